"""NodeResourcesFit, the priority: how much of a node is used, turned into a score by the strategy of its args.

Pods without a request for cpu or memory count as if they asked for a little, or they would all go to one node
(noderesources/resource_allocation.go, 1.36). No reduce step: scores are 0..100 as they come.
"""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.node_resources_args import NodeResourcesFitArgs, ScoringStrategy
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.strategies.least_allocated import least_allocated
from pointsman.policy.priorities.strategies.most_allocated import most_allocated
from pointsman.policy.priorities.strategies.requested_to_capacity_ratio import requested_to_capacity_ratio
from pointsman.policy.priorities.strategies.share import Column, Strategy, column_of, inputs_of, scored
from pointsman.policy.resource_names import is_counted, is_scalar
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.view import ClusterView, IntArray, Rows


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
        columns = ((name, column_of(name, weight, pod, view)) for name, weight in self._resources)
        # a scalar that the pod does not want is left out
        return [column for name, column in columns if column.request != 0 or not is_scalar(name)]

    def inputs(self, state: Sequence[Column], row: int) -> tuple[int, ...]:
        return inputs_of(state, row)

    def score(self, state: Sequence[Column], rows: Rows) -> IntArray:
        return scored(self._strategy, state, rows) if state else np.zeros(len(rows), dtype=np.int64)


def _strategy(args: ScoringStrategy) -> Strategy:
    match args.type:
        case "LeastAllocated":
            return least_allocated
        case "MostAllocated":
            return most_allocated
        case "RequestedToCapacityRatio":
            shape = args.requested_to_capacity_ratio
            return requested_to_capacity_ratio(shape.shape if shape else ())
