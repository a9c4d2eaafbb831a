"""LeastRequestedPriority: the more is left free, the better (noderesources/least_allocated.go, 1.22)."""

from collections.abc import Sequence

from pointsman.policy.legacy_args import NodeResourcesLeastAllocatedArgs
from pointsman.policy.priorities.requested_share import RequestedShare, mean
from pointsman.policy.priorities.strategies.share import Share, percent
from pointsman.policy.view import IntArray


class LeastRequestedPriority(RequestedShare):
    """Free percentage, weighted over the resources."""

    def __init__(self, name: str, args: NodeResourcesLeastAllocatedArgs) -> None:
        super().__init__(name, ((entry.name, entry.weight) for entry in args.resources), _least_requested)


def _least_requested(shares: Sequence[Share]) -> IntArray:
    return mean(shares, lambda share: percent(share.capacity - share.wanted, share.capacity))
