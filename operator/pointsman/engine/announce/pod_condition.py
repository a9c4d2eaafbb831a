"""The condition PodScheduled=False as data: what it says, whether it is news, and the patch that writes it.

Words and fields as kube-scheduler 1.36 writes them (pkg/scheduler/schedule_one.go, pkg/api/v1/pod/util.go).
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from pointsman.kube.clock import rfc3339
from pointsman.kube.objects import Pod

POD_SCHEDULED = "PodScheduled"


class FailureReason(StrEnum):
    """Why a pod has no node yet. Autoscalers act on the first one only."""

    UNSCHEDULABLE = "Unschedulable"
    SCHEDULER_ERROR = "SchedulerError"


class Failure(NamedTuple):
    """What the condition is to say; the message is told in full."""

    reason: FailureReason
    message: str


def told_by(pod: Pod) -> tuple[str, str] | None:
    """Reason and message of the pod's PodScheduled=False, None when it has none."""
    for condition in pod.status.conditions:
        if condition.type == POD_SCHEDULED and condition.status == "False":
            return (condition.reason, condition.message)
    return None


def condition_patch(pod: Pod, failure: Failure, *, already_false: bool, now: datetime) -> dict[str, Any]:
    """A strategic merge patch of the pod's status.

    uid and resourceVersion make it fail rather than touch a namesake, or a pod that was bound meanwhile and says
    PodScheduled=True. lastTransitionTime moves only when the status does; observedGeneration is left out where the
    server does not number the generations of pods.
    """
    condition: dict[str, Any] = {
        "type": POD_SCHEDULED,
        "status": "False",
        "reason": str(failure.reason),
        "message": failure.message,
        "lastProbeTime": None,
    }
    if not already_false:
        condition["lastTransitionTime"] = rfc3339(now)
    if pod.metadata.generation:
        condition["observedGeneration"] = pod.metadata.generation
    metadata = {"uid": pod.metadata.uid, "resourceVersion": pod.metadata.resource_version}
    return {"metadata": {key: value for key, value in metadata.items() if value}, "status": {"conditions": [condition]}}
