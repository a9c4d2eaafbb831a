"""CheckNodeLabelPresence: a node must have every one of the labels, or none of them, whatever their values.

nodelabel/node_label.go, 1.22.
"""

from collections.abc import Sequence

import numpy as np

from pointsman.policy.legacy_args import CheckNodeLabelPresenceArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import NODE_ALONE, Change, Happening, PredicateBase, Wakes
from pointsman.policy.view import BoolArray, ClusterView, IdArray, Rows


class CheckNodeLabelPresence(PredicateBase[Sequence[IdArray]]):
    """The state is the labels' columns of value ids."""

    reason = "node(s) didn't have the requested labels"
    reads = NODE_ALONE

    def __init__(self, name: str, args: CheckNodeLabelPresenceArgs) -> None:
        self.name = name
        self.wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_LABELS | Happening.NODE_TAINTS, self._may_help)
        self._labels = args.labels
        self._presence = args.presence

    def prepare(self, pod: PodInfo, view: ClusterView) -> Sequence[IdArray]:  # noqa: ARG002 - part of the protocol
        return [view.labels(label).ids for label in self._labels]

    def feasible(self, state: Sequence[IdArray], rows: Rows) -> BoolArray:
        answer = np.ones(len(rows), dtype=np.bool_)
        for ids in state:
            answer &= (ids.take(rows) >= 0) == self._presence
        return answer

    def _may_help(self, pod: PodInfo, change: Change) -> bool:
        if change.row is None:
            return True
        return bool(self.feasible(self.prepare(pod, change.view), np.array([change.row]))[0])
