"""NodeName: a pod that names its node runs there or nowhere (nodename/node_name.go, 1.36).

The API server takes such a pod as bound, so one that reaches a queue is rare; an update may still bring it.
"""

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Rows

_NOWHERE = -1


class NodeName(PredicateBase[int]):
    """The state is the row of the wanted node, -1 when there is none of that name."""

    reason = "node(s) didn't match the requested node name"
    reads = Reads(frozenset({"node_name"}), Dependence.NODE)
    wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_TAINTS)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> int | Skip:
        if not pod.node_name:
            return SKIP
        row = view.row_of(pod.node_name)
        return _NOWHERE if row is None else row

    def feasible(self, state: int, rows: Rows) -> BoolArray:
        named: BoolArray = rows == state
        return named
