"""RequestedToCapacityRatio: a piecewise linear function of the used percentage, given by its corners.

noderesources/requested_to_capacity_ratio.go and helper/shape_score.go, 1.36. A resource that scores 0 drops out with
its weight, and the mean is rounded, not truncated.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from pointsman.policy.node_resources_args import ShapePoint
from pointsman.policy.priorities.strategies.share import Share, Strategy, percent
from pointsman.policy.view import IntArray

_PERCENT: Final = 100
_SCALE: Final = 10  # the shape's scores are 0..10


def requested_to_capacity_ratio(shape: Sequence[ShapePoint]) -> Strategy:
    """The strategy for one shape, whose points increase in utilization."""
    table = scores_by_percent(shape)
    return lambda shares: mean_of_scoring((share.weight, _score(share, table)) for share in shares)


def scores_by_percent(shape: Sequence[ShapePoint]) -> IntArray:
    """The shape's function as a table: the score, 0..100, at each utilization from 0 to 100 percent. int64 (101,)."""
    return np.array([_value(shape, utilization) for utilization in range(_PERCENT + 1)], dtype=np.int64)


def mean_of_scoring(scores: Iterable[tuple[int, IntArray]]) -> IntArray:
    """The mean of (weight, scores) over the resources that score, half rounded up. At least one; int64 (rows,)."""
    total: IntArray | int = 0
    weights: IntArray | int = 0
    for weight, score in scores:
        total = total + weight * score
        weights = weights + weight * (score > 0)
    divisor = np.maximum(weights, 1)
    rounded: IntArray = (2 * total + divisor) // (2 * divisor)
    return rounded


def _score(share: Share, table: IntArray) -> IntArray:
    utilization = np.clip(percent(share.wanted, share.capacity), 0, _PERCENT)
    utilization[share.wanted > share.capacity] = _PERCENT
    score = table.take(utilization)
    score[share.capacity == 0] = 0
    return score


def _value(shape: Sequence[ShapePoint], utilization: int) -> int:
    """The function's value in 0..100 at a utilization in percent."""
    before = shape[0]
    for point in shape:
        if utilization <= point.utilization:
            width = point.utilization - before.utilization
            if width == 0:
                return before.score * _SCALE
            rise = (point.score - before.score) * _SCALE * (utilization - before.utilization)
            return before.score * _SCALE + (rise // width if rise >= 0 else -(-rise // width))
        before = point
    return before.score * _SCALE
