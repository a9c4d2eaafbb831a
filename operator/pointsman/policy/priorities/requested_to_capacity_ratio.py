"""RequestedToCapacityRatioPriority: a function of the used percentage, given by its corners.

noderesources/requested_to_capacity_ratio.go, 1.22. Unlike the fit's strategy of that name, the used percentage is what
the free one leaves of 100, hence rounded up, and a resource that a node lacks counts as fully used.
"""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.legacy_args import RequestedToCapacityRatioArgs
from pointsman.policy.node_resources_args import ShapePoint
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.priorities.requested_share import RequestedShare, overcommitted
from pointsman.policy.priorities.strategies.requested_to_capacity_ratio import mean_of_scoring, scores_by_percent
from pointsman.policy.priorities.strategies.share import Share, Strategy, percent
from pointsman.policy.view import IntArray


class RequestedToCapacityRatioPriority(RequestedShare):
    """The shape's scores, weighted over the resources that score at all."""

    def __init__(self, name: str, args: RequestedToCapacityRatioArgs) -> None:
        super().__init__(name, ((entry.name, entry.weight) for entry in args.resources), _scoring(args.shape))


def _scoring(shape: Sequence[ShapePoint]) -> Strategy:
    table = scores_by_percent(shape)
    return lambda shares: mean_of_scoring((share.weight, table.take(_utilization(share))) for share in shares)


def _utilization(share: Share) -> IntArray:
    """Used percentage, 0..100, (rows,)."""
    free = np.clip(percent(share.capacity - share.wanted, share.capacity), 0, MAX_SCORE)
    return MAX_SCORE - np.where(overcommitted(share), 0, free)
