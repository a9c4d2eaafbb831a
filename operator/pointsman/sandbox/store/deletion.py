"""How objects go: at once, after their grace period, or when the last finalizer is gone."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.store.kinds import Kind, Object

BACKGROUND: Final = "Background"
FOREGROUND: Final = "Foreground"
ORPHAN: Final = "Orphan"
_FINALIZERS: Final = {FOREGROUND: "foregroundDeletion", ORPHAN: "orphan"}


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a delete call asks for. Empty fields ask for nothing."""

    uid: str = ""
    resource_version: str = ""
    propagation: str = ""  # Background (also when empty), Foreground or Orphan
    grace_seconds: int | None = None


def deleting(kind: Kind, old: Object, deletion: Deletion, now: datetime) -> Object:
    """The object with the deletion begun (or, of one that is being deleted, hastened): see `is_done`."""
    metadata = dict(old["metadata"])
    _set_finalizers(metadata, deletion.propagation)
    grace = kind.grace(old, deletion.grace_seconds) if kind.grace else 0
    if "deletionTimestamp" in metadata:
        grace = min(grace, metadata["deletionGracePeriodSeconds"])
        if grace == metadata["deletionGracePeriodSeconds"] and metadata == old["metadata"]:
            return old
    elif "generation" in metadata:
        metadata["generation"] += 1
    metadata["deletionTimestamp"] = rfc3339(now + timedelta(seconds=grace))
    metadata["deletionGracePeriodSeconds"] = grace
    new = {**old, "metadata": metadata}
    if kind.kind == "Namespace" and not kind.group:
        new["status"] = {**old.get("status", {}), "phase": "Terminating"}
    return new


def is_done(kind: Kind, obj: Object) -> bool:
    """Whether nothing holds a deletion back any more."""
    metadata = obj["metadata"]
    if "deletionTimestamp" not in metadata or metadata.get("finalizers") or metadata["deletionGracePeriodSeconds"]:
        return False
    return kind.kind != "Namespace" or bool(kind.group) or not obj["spec"].get("finalizers")


def _set_finalizers(metadata: Object, propagation: str) -> None:
    """Foreground and orphan deletion are finalizers, which the garbage collector takes away."""
    if not propagation:
        return
    kept = [one for one in metadata.get("finalizers") or () if one not in _FINALIZERS.values()]
    wanted = [_FINALIZERS[propagation]] if propagation in _FINALIZERS else []
    if kept or wanted:
        metadata["finalizers"] = [*kept, *wanted]
    else:
        metadata.pop("finalizers", None)
