"""LeastAllocated: the more is left free, the better (noderesources/least_allocated.go, 1.36)."""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.priorities.strategies.share import Share, percent, weighted_mean
from pointsman.policy.view import IntArray


def least_allocated(shares: Sequence[Share]) -> IntArray:
    """Free percentage, weighted over the resources; an overcommitted one counts 0. int64 (rows,), 0..100."""
    return weighted_mean(shares, _score)


def _score(share: Share) -> IntArray:
    free = np.where(share.wanted > share.capacity, 0, share.capacity - share.wanted)
    return percent(free, share.capacity)
