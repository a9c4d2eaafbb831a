"""EqualPriority: every node scores 1, so that it changes no choice (Policy files, algorithm/priorities, 1.16).

kube-scheduler 1.22 accepted the name and dropped it.
"""

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import NODE_ALONE, PriorityBase
from pointsman.policy.view import ClusterView, IntArray, Rows


class EqualPriority(PriorityBase[None]):
    """Has no state."""

    reads = NODE_ALONE

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> None:  # noqa: ARG002 - part of the protocol
        return None

    def score(self, state: None, rows: Rows) -> IntArray:  # noqa: ARG002 - part of the protocol
        return np.ones(len(rows), dtype=np.int64)
