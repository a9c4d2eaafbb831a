"""What a Deployment's status says: counts, and how its rollout is doing. Pure.

kubernetes 1.36, pkg/controller/deployment/{sync,progress}.go and util/deployment_util.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.controllers.objects import Item, condition
from pointsman.sandbox.controllers.rollout import Strategy
from pointsman.sandbox.tables.duration import moment

_NO_DEADLINE: Final = 2**31 - 1
_AVAILABLE: Final = "Available"
_PROGRESSING: Final = "Progressing"
_FAILURE: Final = "ReplicaFailure"
_COMPLETE: Final = "NewReplicaSetAvailable"
_TIMED_OUT: Final = "ProgressDeadlineExceeded"
_COUNTS: Final = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")


@dataclass(frozen=True, slots=True)
class Rollout:
    """A Deployment and its ReplicaSets."""

    deployment: Item
    new: Item | None
    old: Sequence[Item]
    strategy: Strategy

    @property
    def all(self) -> list[Item]:
        """Every ReplicaSet."""
        return [*self.old, *((self.new,) if self.new else ())]


def status_of(rollout: Rollout, now: datetime) -> dict[str, Any]:
    """The whole status."""
    counts = _counts(rollout)
    status: dict[str, Any] = {name: counts[name] for name in _COUNTS if counts[name]}
    status["observedGeneration"] = rollout.deployment.metadata.generation
    status["terminatingReplicas"] = _sum(rollout.all, "terminatingReplicas")
    before = rollout.deployment.status.get("conditions") or []
    conditions = [_availability(rollout, counts, before, now)]
    conditions += _progress(rollout, counts, before, now)
    conditions += _failures(rollout)
    return {**status, "conditions": conditions}


def seconds_to_deadline(rollout: Rollout, status: Mapping[str, Any], now: datetime) -> float | None:
    """How long until the rollout counts as stuck; None when that cannot happen any more."""
    progress = condition(status["conditions"], _PROGRESSING)
    deadline = _deadline(rollout)
    if not progress or deadline is None or progress["reason"] in (_COMPLETE, _TIMED_OUT):
        return None
    return (moment(progress["lastUpdateTime"]) + deadline - now).total_seconds() + 1


def _counts(rollout: Rollout) -> dict[str, int]:
    replicas, available = _sum(rollout.all, "replicas"), _sum(rollout.all, "availableReplicas")
    wanted = sum(one.spec.get("replicas", 1) for one in rollout.all)
    return {
        "replicas": replicas,
        "updatedReplicas": _sum([rollout.new] if rollout.new else [], "replicas"),
        "readyReplicas": _sum(rollout.all, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, wanted - available),
    }


def _sum(sets: Sequence[Item], name: str) -> int:
    return sum(one.status.get(name, 0) for one in sets)


def _availability(
    rollout: Rollout, counts: Mapping[str, int], before: list[dict[str, Any]], now: datetime
) -> dict[str, Any]:
    enough = counts["availableReplicas"] >= rollout.strategy.replicas - rollout.strategy.unavailable
    if enough:
        reason, message = "MinimumReplicasAvailable", "Deployment has minimum availability."
    else:
        reason, message = "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
    return _dated(_AVAILABLE, enough, reason, message, before, now)


def _progress(
    rollout: Rollout, counts: Mapping[str, int], before: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    deadline = _deadline(rollout)
    if deadline is None:
        return []
    last = condition(before, _PROGRESSING)
    if last.get("reason") == _COMPLETE and counts["replicas"] == counts["updatedReplicas"]:
        return [dict(last)]
    name = (
        f'ReplicaSet "{rollout.new.metadata.name}"'
        if rollout.new
        else f'Deployment "{rollout.deployment.metadata.name}"'
    )
    if _is_complete(rollout, counts):
        return [_dated(_PROGRESSING, True, _COMPLETE, f"{name} has successfully progressed.", before, now)]
    if not last or _has_progressed(rollout, counts):
        told = _dated(_PROGRESSING, True, "ReplicaSetUpdated", f"{name} is progressing.", before, now)
        return [{**told, "lastUpdateTime": rfc3339(now)}]
    if last["reason"] != _TIMED_OUT and now >= moment(last["lastUpdateTime"]) + deadline:
        return [_dated(_PROGRESSING, False, _TIMED_OUT, f"{name} has timed out progressing.", before, now)]
    return [dict(last)]


def _is_complete(rollout: Rollout, counts: Mapping[str, int]) -> bool:
    wanted = rollout.strategy.replicas
    every = all(counts[name] == wanted for name in ("replicas", "updatedReplicas", "availableReplicas"))
    return every and rollout.deployment.status.get("observedGeneration", 0) >= rollout.deployment.metadata.generation


def _has_progressed(rollout: Rollout, counts: Mapping[str, int]) -> bool:
    """More new, ready or available pods than the last status told, or fewer old ones."""
    last = rollout.deployment.status
    old_before = last.get("replicas", 0) - last.get("updatedReplicas", 0)
    more = any(counts[name] > last.get(name, 0) for name in ("updatedReplicas", "readyReplicas", "availableReplicas"))
    return more or counts["replicas"] - counts["updatedReplicas"] < old_before


def _failures(rollout: Rollout) -> list[dict[str, Any]]:
    for one in reversed(rollout.all):
        found = condition(one.status.get("conditions") or [], _FAILURE)
        if found:
            return [{**found, "lastUpdateTime": found["lastTransitionTime"]}]
    return []


def _deadline(rollout: Rollout) -> timedelta | None:
    seconds = rollout.deployment.spec.get("progressDeadlineSeconds", _NO_DEADLINE)
    return None if seconds >= _NO_DEADLINE else timedelta(seconds=seconds)


def _dated(
    kind: str, holds: bool, reason: str, message: str, before: list[dict[str, Any]], now: datetime
) -> dict[str, Any]:
    """A condition with its times: of the last change of status, and of the last change at all."""
    told = {"type": kind, "status": str(holds), "reason": reason, "message": message}
    last = condition(before, kind)
    if last and last["status"] == told["status"] and last["reason"] == reason:
        return dict(last)
    moment_now = rfc3339(now)
    same = last.get("status") == told["status"]
    return {
        **told,
        "lastUpdateTime": moment_now,
        "lastTransitionTime": last["lastTransitionTime"] if same else moment_now,
    }
