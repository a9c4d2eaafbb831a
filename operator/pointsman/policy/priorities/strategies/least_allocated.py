"""LeastAllocated: the more is left free, the better (noderesources/least_allocated.go, 1.36)."""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.priorities.strategies.share import Share, percent, weighted_mean
from pointsman.policy.view import IntArray


def least_allocated(shares: Sequence[Share]) -> IntArray:
    """Free percentage, weighted over the resources; an overcommitted one counts 0. int64 (rows,), 0..100."""
    return weighted_mean(shares, _score)


def _score(share: Share) -> IntArray:
    return percent(np.maximum(share.capacity - share.wanted, 0), share.capacity)
