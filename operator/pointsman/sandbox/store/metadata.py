"""What the server itself keeps in `metadata`, and what it accepts there."""

import random
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from pointsman.sandbox.store.errors import Cause, bad_request
from pointsman.sandbox.store.faults import invalid_value, required
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.names import (
    label_faults,
    label_key_faults,
    label_value_faults,
    path_faults,
    subdomain_faults,
)

MAX_GENERATED: Final = 58  # characters of generateName that are kept; names.go, apiserver 1.36
_SUFFIX: Final = "bcdfghjklmnpqrstvwxz2456789"  # apimachinery 1.36, util/rand
_MAX_ANNOTATIONS: Final = 256 * 1024
_KEPT: Final = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")
_NEVER_SENT: Final = ("managedFields", "resourceVersion", "selfLink")
_LABEL_NAMES: Final = frozenset(("Namespace", "Service"))


def for_create(kind: Kind, obj: Object, namespace: str, now: str, rng: random.Random) -> Object:
    """The new object's metadata: named, identified, dated. Raises Refused when the body contradicts the URL."""
    given = obj.get("metadata") or {}
    metadata = {key: value for key, value in given.items() if key not in (*_KEPT, *_NEVER_SENT) and value is not None}
    if kind.namespaced:
        _same_namespace(given.get("namespace"), namespace)
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)
    if not metadata.get("name") and metadata.get("generateName"):
        suffix = "".join(rng.choice(_SUFFIX) for _ in range(5))
        metadata["name"] = metadata["generateName"][:MAX_GENERATED] + suffix
    metadata["uid"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    metadata["creationTimestamp"] = now
    if kind.has_generation:
        metadata["generation"] = 1
    return metadata


def for_update(new: Object, old: Object) -> Object:
    """The metadata after an update: what the server keeps stays, whatever was sent."""
    before, given = old["metadata"], new.get("metadata") or {}
    if given.get("name", before["name"]) != before["name"]:
        raise bad_request(
            f"the name of the object ({given['name']}) does not match the name on the URL ({before['name']})"
        )
    _same_namespace(given.get("namespace"), before.get("namespace", ""))
    metadata = {key: value for key, value in given.items() if key not in (*_KEPT, *_NEVER_SENT) and value is not None}
    for key in ("name", "namespace", *_KEPT):
        if key in before:
            metadata[key] = before[key]
    return metadata


def faults(kind: Kind, obj: Mapping[str, Any]) -> list[Cause]:
    """What is wrong with an object's metadata."""
    metadata = obj["metadata"]
    name = metadata.get("name", "")
    if not name:
        return [required("metadata.name", "name or generateName is required")]
    found = [invalid_value("metadata.name", name, fault) for fault in name_rule(kind)(name)]
    for key, value in (metadata.get("labels") or {}).items():
        found += [invalid_value("metadata.labels", key, fault) for fault in label_key_faults(key)]
        found += [invalid_value("metadata.labels", value, fault) for fault in label_value_faults(value)]
    for key in metadata.get("annotations") or {}:
        found += [invalid_value("metadata.annotations", key, fault) for fault in label_key_faults(key.lower())]
    return found


def name_rule(kind: Kind) -> Callable[[str], list[str]]:
    """The form that names of a kind have."""
    if kind.kind in _LABEL_NAMES and not kind.custom:
        return label_faults
    return path_faults if kind.group == "rbac.authorization.k8s.io" else subdomain_faults


def _same_namespace(given: str | None, namespace: str) -> None:
    if given and given != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
