"""TaintToleration, the predicate: no pod on a node with a NoSchedule or NoExecute taint that it does not tolerate.

How long a NoExecute taint is tolerated plays no part in placing (tainttoleration/taint_toleration.go, 1.36).
"""

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.tolerations import tolerated
from pointsman.policy.view import BoolArray, ClusterView, Rows

_REPELLING = ("NoSchedule", "NoExecute")


class TaintToleration(PredicateBase[BoolArray]):
    """The state is the column of rows with a taint that keeps the pod away."""

    reason = "node(s) had untolerated taint(s)"
    reads = Reads(frozenset({"pod.spec.tolerations"}), Dependence.NODE)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.OWN_TOLERATIONS, _may_help)

    def prepare(self, pod: PodInfo, view: ClusterView) -> BoolArray | Skip:
        tolerations = pod.pod.spec.tolerations
        repelling = [
            rows
            for taint, rows in view.taints().items()
            if taint.effect in _REPELLING and not tolerated(taint, tolerations)
        ]
        return np.logical_or.reduce(repelling) if repelling else SKIP

    def feasible(self, state: BoolArray, rows: Rows) -> BoolArray:
        return np.logical_not(state.take(rows))


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.row is None:
        return True
    taints = change.view.taints_of(change.row)
    return all(taint.effect not in _REPELLING or tolerated(taint, pod.pod.spec.tolerations) for taint in taints)
