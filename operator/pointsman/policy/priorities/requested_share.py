"""What LeastRequested-, MostRequested- and RequestedToCapacityRatioPriority have in common (Policy files, until 1.22).

They see resources as the fit's score does, with three differences (noderesources/resource_allocation.go, 1.22): no
resource drops out because a node lacks it or a pod does not ask for it, each keeps its weight, and an overcommitted one
is no better than a full one. What the pod asks for is added up as in 1.36.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.strategies.share import Column, Share, Strategy, column_of, inputs_of, scored
from pointsman.policy.resource_names import is_counted
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows


class RequestedShare(PriorityBase[Sequence[Column]]):
    """The state is the columns of all resources of the args."""

    reads = Reads(frozenset({"requests", "nonzero_cpu", "nonzero_memory", "pod.spec.resources"}), Dependence.ROW)

    def __init__(self, name: str, resources: Iterable[tuple[str, int]], strategy: Strategy) -> None:
        self.name = name
        self._resources = tuple(resources)
        self._strategy = strategy

    def prepare(self, pod: PodInfo, view: ClusterView) -> Sequence[Column]:
        return [_column(name, weight, pod, view) for name, weight in self._resources]

    def inputs(self, state: Sequence[Column], row: int) -> tuple[int, ...]:
        return inputs_of(state, row)

    def score(self, state: Sequence[Column], rows: Rows) -> IntArray:
        return scored(self._strategy, state, rows)


def _column(resource: str, weight: int, pod: PodInfo, view: ClusterView) -> Column:
    if is_counted(resource):
        return column_of(resource, weight, pod, view)
    nothing = np.zeros(view.capacity, dtype=np.int64)  # kube-scheduler knows no such resource: a node has none of it
    return Column(weight, np.int64(0), nothing, nothing)


def overcommitted(share: Share) -> BoolArray:
    """Whether a row lacks the resource or would have too much of it in use: bool (rows,)."""
    over: BoolArray = (share.capacity == 0) | (share.wanted > share.capacity)
    return over


def mean(shares: Sequence[Share], score_of: Callable[[Share], IntArray]) -> IntArray:
    """The weighted mean, in which an overcommitted resource scores 0 and keeps its weight. int64 (rows,)."""
    total = np.zeros(len(shares[0].capacity), dtype=np.int64)
    for share in shares:
        total += share.weight * np.where(overcommitted(share), 0, score_of(share))
    result: IntArray = total // sum(share.weight for share in shares)
    return result
