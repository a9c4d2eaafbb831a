"""NodeResourcesFit, the priority: how much of a node is used, turned into a score by the strategy of its args.

Pods without a request for cpu or memory count as if they asked for a little, or they would all go to one node
(noderesources/resource_allocation.go, 1.36). No reduce step: scores are 0..100 as they come.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pointsman.policy.accounting import score_request
from pointsman.policy.integers import wrapped
from pointsman.policy.node_resources_args import NodeResourcesFitArgs, ScoringStrategy
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.priorities.strategies.least_allocated import least_allocated
from pointsman.policy.priorities.strategies.most_allocated import most_allocated
from pointsman.policy.priorities.strategies.requested_to_capacity_ratio import requested_to_capacity_ratio
from pointsman.policy.priorities.strategies.share import Share, Strategy
from pointsman.policy.resource_names import CPU, MEMORY, is_counted, is_scalar
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.view import ClusterView, IntArray, Rows


class Column(NamedTuple):
    """One weighted resource: what the pod adds, and its columns, (capacity,) each."""

    weight: int
    request: np.int64
    allocatable: IntArray
    used: IntArray


class NodeResourcesFit(PriorityBase[Sequence[Column]]):
    """The state is the columns of the resources that count for this pod."""

    reads = Reads(
        frozenset({"requests", "nonzero_cpu", "nonzero_memory", "pod.spec.resources"}),
        Dependence.ROW,
    )

    def __init__(self, name: str, args: NodeResourcesFitArgs) -> None:
        self.name = name
        self._strategy = _strategy(args.scoring_strategy)
        self._resources = tuple(
            (entry.name, entry.weight) for entry in args.scoring_strategy.resources if is_counted(entry.name)
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> Sequence[Column]:
        requests = ((name, weight, score_request(pod, name)) for name, weight in self._resources)
        return [
            Column(weight, wrapped(request), view.allocatable(name), _used(view, name))
            for name, weight, request in requests
            if request != 0 or not is_scalar(name)  # a scalar that the pod does not want is left out
        ]

    def inputs(self, state: Sequence[Column], row: int) -> tuple[int, ...]:
        return tuple([part.item(row) for column in state for part in (column.allocatable, column.used)])

    def score(self, state: Sequence[Column], rows: Rows) -> IntArray:
        if not state:
            return np.zeros(len(rows), dtype=np.int64)
        shares = [
            Share(column.weight, column.allocatable.take(rows), column.used.take(rows) + column.request)
            for column in state
        ]
        result = self._strategy(shares)
        return np.clip(result, 0, MAX_SCORE, out=result)  # outside only if sums overflowed; kube-scheduler fails then


def _used(view: ClusterView, resource: str) -> IntArray:
    return view.nonzero_requested(resource) if resource in (CPU, MEMORY) else view.requested(resource)


def _strategy(args: ScoringStrategy) -> Strategy:
    match args.type:
        case "LeastAllocated":
            return least_allocated
        case "MostAllocated":
            return most_allocated
        case "RequestedToCapacityRatio":
            shape = args.requested_to_capacity_ratio
            return requested_to_capacity_ratio(shape.shape if shape else ())
