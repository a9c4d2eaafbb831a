"""Resources as columns, what a scoring strategy sees of them, and the weighted mean that two strategies end with."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pointsman.policy.accounting import score_request
from pointsman.policy.integers import divided, wrapped
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.resource_names import CPU, MEMORY
from pointsman.policy.view import ClusterView, IntArray, Rows


class Share(NamedTuple):
    """One resource over the rows asked for: (rows,) each. Where capacity is 0 the resource does not count."""

    weight: int
    capacity: IntArray
    wanted: IntArray  # used on the node and by the pod, together


class Column(NamedTuple):
    """One weighted resource of a view: what the pod adds, and its columns, (capacity,) each."""

    weight: int
    request: np.int64
    allocatable: IntArray
    used: IntArray


Strategy = Callable[[Sequence[Share]], IntArray]  # at least one share; 0..100 per row


def column_of(resource: str, weight: int, pod: PodInfo, view: ClusterView) -> Column:
    """A resource that kube-scheduler counts; cpu and memory with its defaults for pods that ask for none."""
    used = view.nonzero_requested(resource) if resource in (CPU, MEMORY) else view.requested(resource)
    return Column(weight, wrapped(score_request(pod, resource)), view.allocatable(resource), used)


def scored(strategy: Strategy, columns: Sequence[Column], rows: Rows) -> IntArray:
    """The strategy's score of the rows, of at least one column. int64 (len(rows),), 0..100."""
    shares = [
        Share(column.weight, column.allocatable.take(rows), column.used.take(rows) + column.request)
        for column in columns
    ]
    result = strategy(shares)
    return np.clip(result, 0, MAX_SCORE, out=result)  # outside only if sums overflowed; kube-scheduler fails then


def inputs_of(columns: Sequence[Column], row: int) -> tuple[int, ...]:
    """The numbers of a row on which its score depends."""
    return tuple([part.item(row) for column in columns for part in (column.allocatable, column.used)])


def percent(part: IntArray, capacity: IntArray) -> IntArray:
    """100 * part / capacity, truncated; means nothing where capacity is 0. int64 (rows,)."""
    return divided(part * MAX_SCORE, np.maximum(capacity, 1))


def weighted_mean(shares: Sequence[Share], score_of: Callable[[Share], IntArray]) -> IntArray:
    """Mean of the scores of the resources that a row has; 0 where it has none. int64 (rows,)."""
    total = np.zeros(len(shares[0].capacity), dtype=np.int64)
    weights: IntArray | int = 0
    for share in shares:
        score = share.weight * score_of(share)
        present = share.capacity != 0
        if present.all():
            weights = weights + share.weight
        else:
            weights = weights + share.weight * present
            score *= present
        total += score
    return divided(total, np.maximum(weights, 1))
