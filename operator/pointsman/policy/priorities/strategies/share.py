"""What a scoring strategy sees of one resource, and the weighted mean that two of the strategies end with."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pointsman.policy.integers import divided
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.view import IntArray


class Share(NamedTuple):
    """One resource over the rows asked for: (rows,) each. Where capacity is 0 the resource does not count."""

    weight: int
    capacity: IntArray
    wanted: IntArray  # used on the node and by the pod, together


Strategy = Callable[[Sequence[Share]], IntArray]  # at least one share; 0..100 per row


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
