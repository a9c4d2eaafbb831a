"""What the CSI drivers on each node can do, as columns: how many volumes they take, which built-in kinds they serve.

A column is made when a rule first asks for its driver or kind, in one pass over the rows, and kept up to date from then
on (getVolumeLimits, nodevolumelimits/csi.go, kube-scheduler 1.36).
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.kube.storage_objects import CSINode
from pointsman.policy.storage_view import NO_LIMIT
from pointsman.policy.view import BoolArray, IntArray

MIGRATED_PLUGINS: Final = "storage.alpha.kubernetes.io/migrated-plugins"


class CSINodes:
    """`node_on` gives the CSINode of a row, None for a row without."""

    def __init__(self, capacity: int, node_on: Callable[[int], CSINode | None]) -> None:
        self._capacity = capacity
        self._node_on = node_on
        self._limits: dict[str, Column[np.int64]] = {}
        self._migrated: dict[str, Column[np.bool_]] = {}

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for limits in self._limits.values():
            limits.grow(capacity)
        for migrated in self._migrated.values():
            migrated.grow(capacity)

    def changed(self, row: int) -> None:
        """The row stands for another node now, or its CSINode came, changed or went."""
        for driver, limits in self._limits.items():
            limits.data[row] = _limit(self._node_on(row), driver)
        for plugin, migrated in self._migrated.items():
            migrated.data[row] = _serves(self._node_on(row), plugin)

    def limits(self, driver: str) -> IntArray:
        column = self._limits.get(driver)
        if column is None:
            column = self._limits[driver] = Column(np.int64, self._capacity, NO_LIMIT)
            column.data[:] = [_limit(self._node_on(row), driver) for row in range(self._capacity)]
        return column.view

    def migrated(self, plugin: str) -> BoolArray:
        column = self._migrated.get(plugin)
        if column is None:
            column = self._migrated[plugin] = Column(np.bool_, self._capacity, 0)
            column.data[:] = [_serves(self._node_on(row), plugin) for row in range(self._capacity)]
        return column.view


def _limit(node: CSINode | None, driver: str) -> int:
    for entry in node.spec.drivers if node is not None else ():
        if entry.name == driver and entry.allocatable is not None and entry.allocatable.count is not None:
            return entry.allocatable.count
    return NO_LIMIT


def _serves(node: CSINode | None, plugin: str) -> bool:
    return node is not None and plugin in node.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")
