"""NodeResourcesBalancedAllocation: nodes on which the pod evens out how full their resources are.

The 1.36 formula (noderesources/balanced_allocation.go): balance after placing the pod against balance before it.
Fractions are float64 and every operation stands in kube-scheduler's order, so that ties come out equal.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.node_resources_args import NodeResourcesBalancedAllocationArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.resource_names import is_counted, is_scalar
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

Floats = NDArray[np.float64]
_HALF: Final = MAX_SCORE // 2
_MAX_DEVIATION: Final = 0.5  # of fractions in 0..1; beyond it only if sums overflowed, for which kube-scheduler fails


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

    def inputs(self, state: Sequence[Column], row: int) -> tuple[int, ...]:
        return tuple([part.item(row) for column in state for part in (column.allocatable, column.requested)])

    def score(self, state: Sequence[Column], rows: Rows) -> IntArray:
        present = [column.allocatable.take(rows) != 0 for column in state]
        if all(there.all() for there in present):
            return _score(state, rows)
        result = np.full(len(rows), _HALF + _HALF // 2, dtype=np.int64)  # what a row without any of them gets
        for columns, chosen in _kinds(state, present):
            result[chosen] = _score(columns, rows[chosen])
        return result


def _kinds(state: Sequence[Column], present: Sequence[BoolArray]) -> Iterator[tuple[Sequence[Column], BoolArray]]:
    """Rows by which of the resources they have: those resources, and bool (rows,)."""
    kind = np.zeros(len(present[0]), dtype=np.int64)
    for bit, there in enumerate(present):
        kind |= there.astype(np.int64) << bit
    for bits in np.unique(kind[kind != 0]).tolist():
        yield [column for bit, column in enumerate(state) if bits >> bit & 1], kind == bits


def _score(columns: Sequence[Column], rows: Rows) -> IntArray:
    """The score of rows that have all the resources. int64 (rows,)."""
    before, after = [], []
    for column in columns:
        used, whole = column.requested.take(rows), column.allocatable.take(rows)
        before.append(np.minimum(used / whole, 1.0))
        after.append(np.minimum((used + column.request) / whole, 1.0))
    return _HALF + (_HALF + _balance(after) - _balance(before)) // 2  # a balance is 50..100: nothing is negative


def _balance(fractions: Sequence[Floats]) -> IntArray:
    """How even the used fractions are: 100 when all are equal, at least 50. int64 (rows,)."""
    return ((1.0 - np.minimum(_deviation(fractions), _MAX_DEVIATION)) * MAX_SCORE).astype(np.int64)


def _deviation(fractions: Sequence[Floats]) -> Floats:
    """Population standard deviation, added up in the order of the resources. float64 (rows,)."""
    if len(fractions) == 1:
        return np.zeros_like(fractions[0])
    if len(fractions) == 2:
        half: Floats = np.abs((fractions[0] - fractions[1]) / 2)
        return half
    total = np.zeros_like(fractions[0])
    for fraction in fractions:
        total += fraction
    mean = total / len(fractions)
    squares = np.zeros_like(mean)
    for fraction in fractions:
        squares += (fraction - mean) * (fraction - mean)
    deviation: Floats = np.sqrt(squares / len(fractions))
    return deviation
