"""MostAllocated: the more is used, the better: bin packing (noderesources/most_allocated.go, 1.36)."""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.priorities.strategies.share import Share, percent, weighted_mean
from pointsman.policy.view import IntArray


def most_allocated(shares: Sequence[Share]) -> IntArray:
    """Used percentage, weighted over the resources; an overcommitted one counts 100. int64 (rows,), 0..100."""
    return weighted_mean(shares, _score)


def _score(share: Share) -> IntArray:
    return percent(np.minimum(share.wanted, share.capacity), share.capacity)
