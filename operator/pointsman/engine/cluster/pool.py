"""The nodes that a profile may use, as one mask over the rows, kept up to date while nodes and labels change."""

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import LabelMatcher
from pointsman.policy.rule import Change, Happening, Wakes
from pointsman.policy.view import BoolArray


class Pool:
    """Made by `Cluster.pool`, which tells it of every node that comes, changes or goes."""

    def __init__(self, matches: LabelMatcher | None, capacity: int) -> None:
        self._matches = matches
        self._mask: Column[np.bool_] = Column(np.bool_, capacity)

    @property
    def candidates(self) -> BoolArray:
        """bool (capacity,): existing nodes whose labels match; read anew for each decision."""
        return self._mask.view

    @property
    def wakes_on(self) -> Wakes:
        """What can help a pod that failed because nodes were outside the pool: a node that is inside now."""
        return Wakes(Happening.NODE_ADD | Happening.NODE_LABELS, self._is_inside)

    def grow(self, capacity: int) -> None:
        self._mask.grow(capacity)

    def set_row(self, row: int, labels: dict[str, str]) -> None:
        self._mask.data[row] = self._matches is None or self._matches(labels)

    def clear_row(self, row: int) -> None:
        self._mask.data[row] = False

    def _is_inside(self, pod: PodInfo, change: Change) -> bool:  # noqa: ARG002 - a hint's signature
        return change.row is not None and bool(self._mask.data[change.row])
