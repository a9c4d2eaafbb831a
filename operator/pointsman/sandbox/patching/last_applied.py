"""From client-side to server-side apply: kubectl's annotation speaks for fields that its other manager owns.

kubectl that applied on its own side owns fields as `kubectl-client-side-apply`; when it applies server-side as
`kubectl` those are no conflicts, and the annotation is kept up to date, so that both ways can be mixed. Rules:
apimachinery 1.36, pkg/util/managedfields/internal/{lastappliedmanager,lastappliedupdater}.go.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pointsman.sandbox.patching.compare import compare
from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.fields import NOTHING, Fields, fields_of
from pointsman.sandbox.patching.typed import check_typed
from pointsman.sandbox.schema.schema import Schema

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
_MANAGER: Final = "kubectl"
_MOST_BYTES: Final = 256 * 1024  # of all annotations: apimachinery 1.36, pkg/api/validation/objectmeta.go


def is_kubectl(manager: str, subresource: str) -> bool:
    """Whether an apply is one for which the annotation counts."""
    return manager == _MANAGER and not subresource


def fields_kept(live: Mapping[str, Any], schema: Schema) -> Fields:
    """The fields that kubectl applied on its own side, and that still have those values.

    None at all when the annotation is absent, of another version of the kind, or no configuration of it.
    """
    last = _last(live)
    if not isinstance(last, Mapping) or last.get("apiVersion") != live["apiVersion"]:
        return NOTHING
    try:
        check_typed(last, schema)
        difference = compare(last, live, schema)
        return fields_of(last, schema) - difference.changed - difference.removed
    except PatchError:
        return NOTHING


def renewed(obj: Mapping[str, Any], applied: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object with the annotation set to what is applied now; without change where there was none.

    An annotation that would make all of them too big is taken away.
    """
    if not _annotations(obj).get(ANNOTATION):
        return obj
    metadata = {key: value for key, value in applied["metadata"].items() if key != "managedFields"}
    if ANNOTATION in _annotations(applied):
        metadata["annotations"] = {k: v for k, v in metadata["annotations"].items() if k != ANNOTATION}
    written = json.dumps({**applied, "metadata": metadata}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    annotations = {**_annotations(obj), ANNOTATION: written + "\n"}
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _MOST_BYTES:
        del annotations[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


def _last(live: Mapping[str, Any]) -> Any:
    try:
        return json.loads(_annotations(live)[ANNOTATION])
    except (KeyError, ValueError):
        return None


def _annotations(obj: Mapping[str, Any]) -> Mapping[str, str]:
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    return annotations
