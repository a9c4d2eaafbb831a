"""MostRequestedPriority: the more is used, the better: bin packing (noderesources/most_allocated.go, 1.22)."""

from collections.abc import Sequence

from pointsman.policy.legacy_args import NodeResourcesMostAllocatedArgs
from pointsman.policy.priorities.requested_share import RequestedShare, mean
from pointsman.policy.priorities.strategies.share import Share, percent
from pointsman.policy.view import IntArray


class MostRequestedPriority(RequestedShare):
    """Used percentage, weighted over the resources."""

    def __init__(self, name: str, args: NodeResourcesMostAllocatedArgs) -> None:
        super().__init__(name, ((entry.name, entry.weight) for entry in args.resources), _most_requested)


def _most_requested(shares: Sequence[Share]) -> IntArray:
    return mean(shares, lambda share: percent(share.wanted, share.capacity))
