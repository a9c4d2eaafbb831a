"""Whether a pod may preempt at all (PodEligibleToPreemptOthers in default_preemption.go, 1.36)."""

from typing import Final

from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.pod import PodInfo
from pointsman.policy.view import Rows

NEVER: Final = "not eligible due to preemptionPolicy=Never."
TERMINATING: Final = "not eligible due to a terminating pod on the nominated node."

DISRUPTION_TARGET: Final = "DisruptionTarget"
PREEMPTED: Final = "PreemptionByScheduler"


def ineligible(pod: PodInfo, nominated: int | None, resolvable: Rows, cluster: PreemptionView) -> str:
    """Why the pod may not preempt, empty if it may.

    `nominated` is the row of its nominated node. Room is being made there while a preempted pod ends, unless that node
    is not among the `resolvable` rows: then fewer pods on it would not help.
    """
    if pod.pod.spec.preemption_policy == "Never":
        return NEVER
    if nominated is None or nominated not in resolvable:
        return ""
    ending = any(other.priority < pod.priority and _ends_by_preemption(other) for other in cluster.pods_on(nominated))
    return TERMINATING if ending else ""


def _ends_by_preemption(pod: PodInfo) -> bool:
    if not pod.terminating:
        return False
    for condition in pod.pod.status.conditions:
        if condition.type == DISRUPTION_TARGET:
            return condition.status == "True" and condition.reason == PREEMPTED
    return False
