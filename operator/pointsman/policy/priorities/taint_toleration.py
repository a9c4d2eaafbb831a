"""TaintToleration, the priority: the fewer PreferNoSchedule taints the pod does not tolerate, the better.

Tolerations for another effect do not count (tainttoleration/taint_toleration.go, 1.36).
"""

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import normalize_reversed
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.tolerations import tolerated
from pointsman.policy.view import ClusterView, IntArray, Rows

_SOFT = "PreferNoSchedule"


class TaintToleration(PriorityBase[IntArray]):
    """The state is the number of such taints per row, (capacity,)."""

    reads = Reads(frozenset({"pod.spec.tolerations"}), Dependence.NODE)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> IntArray:
        tolerations = [entry for entry in pod.pod.spec.tolerations if entry.effect in ("", _SOFT)]
        counts = np.zeros(view.capacity, dtype=np.int64)
        for taint, rows in view.taints().items():
            if taint.effect == _SOFT and not tolerated(taint, tolerations):
                counts += rows
        return counts

    def score(self, state: IntArray, rows: Rows) -> IntArray:
        return state.take(rows)

    def normalize(self, state: IntArray, scores: IntArray) -> IntArray:  # noqa: ARG002 - part of the protocol
        return normalize_reversed(scores)
