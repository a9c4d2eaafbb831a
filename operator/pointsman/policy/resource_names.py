"""Which resource names exist for scheduling.

kube-scheduler keeps cpu, memory, ephemeral-storage and "scalar" resources; it drops every other name, from pods and
from nodes alike, so a request for an unknown plain name is neither met nor missed (pkg/scheduler/framework/types.go and
pkg/apis/core/v1/helper/helpers.go, 1.36).
"""

import re
from functools import lru_cache
from typing import Final

CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
PODS: Final = "pods"

_NATIVE_NAMESPACE: Final = "kubernetes.io/"
_QUOTA_PREFIX: Final = "requests."
HUGE_PAGES_PREFIX: Final = "hugepages-"
_ATTACHABLE_VOLUMES_PREFIX: Final = "attachable-volumes-"

_LABEL = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_DOMAIN_PART = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_QUALIFIED_NAME = re.compile(rf"(?:(?P<domain>{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*)/)?{_LABEL}", re.ASCII)
_LABEL_VALUE = re.compile(rf"(?:{_LABEL})?", re.ASCII)
_MAX_DOMAIN = 253


def is_qualified_name(name: str) -> bool:
    """Whether a label key or resource name is well formed: an optional DNS domain, a slash, at most 63 characters."""
    match = _QUALIFIED_NAME.fullmatch(name)
    return match is not None and len(match["domain"] or "") <= _MAX_DOMAIN


def is_label_value(value: str) -> bool:
    """Whether a label value is well formed; the empty one is."""
    return _LABEL_VALUE.fullmatch(value) is not None


@lru_cache(maxsize=1024)
def is_extended(name: str) -> bool:
    """Whether a name is an extended resource, like `nvidia.com/gpu`: the only kind that may be ignored."""
    return (
        "/" in name
        and _NATIVE_NAMESPACE not in name
        and not name.startswith(_QUOTA_PREFIX)
        and is_qualified_name(_QUOTA_PREFIX + name)
    )


@lru_cache(maxsize=1024)
def is_scalar(name: str) -> bool:
    """Whether a name is counted one by one: extended, huge pages, attachable volumes, or in the native namespace."""
    return (
        name.startswith((HUGE_PAGES_PREFIX, _ATTACHABLE_VOLUMES_PREFIX))
        or _NATIVE_NAMESPACE in name
        or is_extended(name)
    )


def is_counted(name: str) -> bool:
    """Whether requests for a name count at all; `pods` is a limit of nodes, not something that pods request."""
    return name in (CPU, MEMORY, EPHEMERAL_STORAGE) or is_scalar(name)
