"""NodeResourcesBalancedAllocation: nodes on which the pod evens out how full their resources are.

The 1.36 formula (noderesources/balanced_allocation.go): balance after placing the pod against balance before it.
Fractions are float64 and every operation stands in kube-scheduler's order, so that ties come out equal.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.node_resources_args import NodeResourcesBalancedAllocationArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.resource_names import is_counted, is_scalar
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

Floats = NDArray[np.float64]


class Column(NamedTuple):
    """One resource: what the pod requests of it, and its columns, (capacity,) each."""

    request: int
    allocatable: IntArray
    requested: IntArray


class BalancedAllocation(PriorityBase[Sequence[Column]]):
    """Counts real requests, without the defaults that the fit's score assumes."""

    reads = Reads(frozenset({"usage"}), Dependence.ROW)

    def __init__(self, name: str, args: NodeResourcesBalancedAllocationArgs) -> None:
        self.name = name
        self._resources = tuple(entry.name for entry in args.resources if is_counted(entry.name))

    def prepare(self, pod: PodInfo, view: ClusterView) -> Sequence[Column] | Skip:
        requests = {name: pod.usage.get(name, 0) for name in self._resources}
        if not any(requests.values()):
            return SKIP
        return [
            Column(request, view.allocatable(name), view.requested(name))
            for name, request in requests.items()
            if request != 0 or not is_scalar(name)  # a scalar that the pod does not want is left out
        ]

    def score(self, state: Sequence[Column], rows: Rows) -> IntArray:
        capacity = [column.allocatable.take(rows) for column in state]
        before = [column.requested.take(rows) for column in state]
        after = [used + column.request for used, column in zip(before, state, strict=True)]
        gain = _balance(after, capacity) - _balance(before, capacity)
        return MAX_SCORE // 2 + (MAX_SCORE // 2 + gain) // 2  # a balance is 50..100, so nothing here is negative


def _balance(used: Sequence[IntArray], capacity: Sequence[IntArray]) -> IntArray:
    """How even the used fractions are: 100 when all are equal. int64 (rows,)."""
    present = [amount != 0 for amount in capacity]
    fractions = [
        np.where(there, np.minimum(part / np.where(there, whole, 1), 1.0), 0.0)
        for part, whole, there in zip(used, capacity, present, strict=True)
    ]
    return ((1.0 - _deviation(fractions, present)) * MAX_SCORE).astype(np.int64)


def _deviation(fractions: Sequence[Floats], present: Sequence[BoolArray]) -> Floats:
    """How far the fractions that a row has are from each other; 0 for fewer than two. float64 (rows,)."""
    if len(fractions) == 2:
        return np.where(present[0] & present[1], _half_difference(*fractions), 0.0)
    count = np.zeros(len(present[0]), dtype=np.int64)
    for there in present:
        count += there
    high = np.max([np.where(there, part, -np.inf) for part, there in zip(fractions, present, strict=True)], axis=0)
    low = np.min([np.where(there, part, np.inf) for part, there in zip(fractions, present, strict=True)], axis=0)
    two = np.where(count == 2, _half_difference(high, low), 0.0)
    return np.where(count > 2, _standard_deviation(fractions, present, np.maximum(count, 1)), two)


def _half_difference(one: Floats, other: Floats) -> Floats:
    half: Floats = np.abs((one - other) / 2)
    return half


def _standard_deviation(fractions: Sequence[Floats], present: Sequence[BoolArray], count: IntArray) -> Floats:
    """Population standard deviation of the fractions that are present, added up in their order."""
    total = np.zeros(len(count))
    for fraction in fractions:
        total += fraction
    mean = total / count
    squares = np.zeros(len(count))
    for fraction, there in zip(fractions, present, strict=True):
        squares += np.where(there, (fraction - mean) * (fraction - mean), 0.0)
    deviation: Floats = np.sqrt(squares / count)
    return deviation
