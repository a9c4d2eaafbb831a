"""Whether a child is as it should be, without asking the API server.

What we applied is remembered on the object as a hash, so that a change of ours, also one that only takes a field away,
is told from somebody else's. Beside that our fields must have our values. Two things are compared whole, because
server-side apply replaces them whole or because an addition would change what they mean: lists, and selectors. A field
that is absent equals its zero value: that is how the API server stores one.

A Deployment's pod template is another matter, see `template`.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pointsman.api.names import FIELD_MANAGER
from pointsman.controller.render.children import Child
from pointsman.kube.resources import DEPLOYMENTS

APPLIED_ANNOTATION: Final = "pointsman.dev/applied"
RESTARTED_ANNOTATION: Final = "kubectl.kubernetes.io/restartedAt"

_WHOLE: Final = frozenset({"selector"})
_OTHERS_MAY_ADD: Final = frozenset({"ownerReferences"})
_NOT_LISTED: Final = frozenset({"apiVersion", "kind"})  # absent from the items of a list
_HASH_LENGTH: Final = 16


def fingerprint(body: Mapping[str, Any]) -> str:
    """A short hash of what is applied."""
    return hashlib.sha256(msgspec.json.encode(body, order="deterministic")).hexdigest()[:_HASH_LENGTH]


def sealed(child: Child) -> dict[str, Any]:
    """The object as it is applied: with the hash of itself."""
    metadata = child.body["metadata"]
    annotations = {**metadata.get("annotations", {}), APPLIED_ANNOTATION: fingerprint(child.body)}
    return {**child.body, "metadata": {**metadata, "annotations": annotations}}


def is_changed(wanted: Mapping[str, Any], live: Mapping[str, Any]) -> bool:
    """Whether we want something else than what was applied last; if not, every difference is drift."""
    return _applied(wanted) != _applied(live)


def is_drifted(child: Child, live: Mapping[str, Any]) -> bool:
    """Whether a field of ours is not as we want it, or is not ours any more."""
    body = {key: value for key, value in child.body.items() if key not in _NOT_LISTED}
    if child.identity.resource is DEPLOYMENTS:
        body["spec"] = {key: value for key, value in body["spec"].items() if key != "template"}
    return not _owned(live) or not contains(body, live)


def contains(wanted: Any, live: Any, key: str = "") -> bool:
    """Whether `live` has what is wanted; `key` is the name of the field that is compared."""
    if isinstance(wanted, Mapping):
        if key in _WHOLE:
            return bool(_stripped(wanted) == _stripped(live))
        there = live if isinstance(live, Mapping) else {}
        return all(contains(value, there.get(name), name) for name, value in wanted.items())
    if key in _OTHERS_MAY_ADD:
        return all(any(contains(item, other) for other in live or ()) for item in wanted)
    return bool(_stripped(wanted) == _stripped(live))


def same_template(wanted: Mapping[str, Any], live: Mapping[str, Any]) -> bool:
    """Whether two pod templates are equal; the mark of `kubectl rollout restart` is nobody's drift."""
    return bool(_without_restart(wanted) == _without_restart(live))


def restart_mark(template: Mapping[str, Any]) -> str:
    """When somebody last asked for a restart."""
    return str((template.get("metadata", {}).get("annotations") or {}).get(RESTARTED_ANNOTATION, ""))


def _without_restart(template: Mapping[str, Any]) -> Any:
    metadata = template.get("metadata") or {}
    annotations = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if key != RESTARTED_ANNOTATION
    }
    return _stripped({**template, "metadata": {**metadata, "annotations": annotations}})


def _applied(body: Mapping[str, Any]) -> str:
    return str((body["metadata"].get("annotations") or {}).get(APPLIED_ANNOTATION, ""))


def _owned(live: Mapping[str, Any]) -> bool:
    entries = live["metadata"].get("managedFields") or ()
    return any(entry.get("manager") == FIELD_MANAGER and entry.get("operation") == "Apply" for entry in entries)


def _stripped(value: Any) -> Any:
    """A value without what equals absence; None for what is nothing but that."""
    if isinstance(value, Mapping):
        kept = {key: stripped for key, item in value.items() if (stripped := _stripped(item)) is not None}
        return kept or None
    if isinstance(value, list | tuple):
        return [_stripped(item) for item in value] or None
    return value or None
