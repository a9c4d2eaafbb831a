"""What became of a binding, judged from the pod as the API server has it now.

A refusal or a silence does not tell: the binding may have come through with its answer lost, somebody else may have
been faster, or the pod may be another one of the same name. Only the pod itself knows.
"""

from enum import StrEnum
from typing import NamedTuple

from pointsman.kube.objects import Pod


class Verdict(StrEnum):
    """How a binding ended."""

    BOUND = "bound"  # the pod is on the node that was chosen
    ELSEWHERE = "elsewhere"  # somebody else placed it
    DROPPED = "dropped"  # deleted, being deleted, replaced by a namesake, or gated: no longer ours to place
    FAILED = "failed"  # not bound: try again after back-off
    WITHHELD = "withheld"  # not sent, since the Lease was not ours: try again, and say nothing


class Outcome(NamedTuple):
    """A verdict, and for a failure what went wrong in words."""

    verdict: Verdict
    message: str = ""


def judge(found: Pod | None, uid: str, node: str) -> Verdict:
    """Judge from the pod of that name as it is now; None when there is none."""
    if found is None or found.metadata.uid != uid:
        return Verdict.DROPPED
    if found.spec.node_name:
        return Verdict.BOUND if found.spec.node_name == node else Verdict.ELSEWHERE
    if found.metadata.deletion_timestamp or found.spec.scheduling_gates:
        return Verdict.DROPPED
    return Verdict.FAILED
