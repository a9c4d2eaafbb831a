"""NodeUnschedulable: cordoned nodes take no pods, except those that tolerate the taint of a cordon.

The taint need not be there yet: the field `spec.unschedulable` decides (nodeunschedulable/node_unschedulable.go, 1.36).
"""

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.tolerations import tolerated
from pointsman.policy.view import BoolArray, ClusterView, Rows, TaintKey

_CORDON = TaintKey("node.kubernetes.io/unschedulable", "", "NoSchedule")


class NodeUnschedulable(PredicateBase[BoolArray]):
    """The state is the column of cordoned rows."""

    reason = "node(s) were unschedulable"
    reads = Reads(frozenset({"pod.spec.tolerations"}), Dependence.NODE)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.OWN_TOLERATIONS, _may_help)

    def prepare(self, pod: PodInfo, view: ClusterView) -> BoolArray | Skip:
        return SKIP if tolerated(_CORDON, pod.pod.spec.tolerations) else view.unschedulable()

    def feasible(self, state: BoolArray, rows: Rows) -> BoolArray:
        return np.logical_not(state.take(rows))


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.row is None:
        return True
    return not change.view.unschedulable()[change.row] or tolerated(_CORDON, pod.pod.spec.tolerations)
