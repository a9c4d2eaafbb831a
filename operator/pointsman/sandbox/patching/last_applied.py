"""From client-side to server-side apply: kubectl's annotation speaks for fields that its other manager owns.

kubectl that applied on its own side owns fields as `kubectl-client-side-apply`; when it applies server-side as
`kubectl` those are no conflicts, and the annotation is kept up to date, so that both ways can be mixed. Rules:
apimachinery 1.36, pkg/util/managedfields/internal/{lastappliedmanager,lastappliedupdater}.go.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pointsman.sandbox.patching.fields import Fields, fields_of
from pointsman.sandbox.schema.schema import Schema

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
_MANAGER: Final = "kubectl"


def is_kubectl(manager: str, subresource: str) -> bool:
    """Whether an apply is one for which the annotation counts."""
    return manager == _MANAGER and not subresource


def allows(live: Mapping[str, Any], conflicts: Fields, schema: Schema) -> bool:
    """Whether all conflicts are about fields that kubectl applied on its own side, and still have those values."""
    last = _last(live)
    if last is None:
        return False
    return all(path in fields_of(last, schema) and _at(last, path) == _at(live, path) for path in conflicts)


def renewed(obj: Mapping[str, Any], applied: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object with the annotation set to what is applied now; without change where there was none."""
    if ANNOTATION not in _annotations(obj):
        return obj
    metadata = {key: value for key, value in applied["metadata"].items() if key != "managedFields"}
    if ANNOTATION in _annotations(applied):
        metadata["annotations"] = {k: v for k, v in metadata["annotations"].items() if k != ANNOTATION}
    written = json.dumps({**applied, "metadata": metadata}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    annotations = {**_annotations(obj), ANNOTATION: written + "\n"}
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


def _last(live: Mapping[str, Any]) -> Any:
    try:
        return json.loads(_annotations(live)[ANNOTATION])
    except (KeyError, ValueError):
        return None


def _annotations(obj: Mapping[str, Any]) -> Mapping[str, str]:
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    return annotations


def _at(value: Any, path: tuple[str, ...]) -> Any:
    """What lies at a path of plain fields; items of lists are compared whole, by their list."""
    for part in path:
        if not part.startswith("f:"):
            return value
        value = value.get(part.removeprefix("f:")) if isinstance(value, Mapping) else None
    return value
