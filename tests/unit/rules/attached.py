"""Attached volumes and the limits of drivers, looked up anew for every question."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from tests.unit.rules.storage import HandStorage

from pointsman.kube.objects import Node
from pointsman.policy.storage_view import NO_LIMIT
from pointsman.policy.view import BoolArray, IntArray
from pointsman.policy.volumes.attached import Attached
from pointsman.policy.volumes.in_tree import AttachedVolume

MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"
RUBBISH_ATTACHED = Attached(frozenset(), {})


@dataclass(frozen=True)
class HandAttached:
    """One entry per row, the first of them nobody's."""

    rows: Sequence[Attached]

    def counts(self, driver: str) -> IntArray:
        return np.array([attached.counts.get(driver, 0) for attached in self.rows], dtype=np.int64)

    def rows_with(self, volume: AttachedVolume) -> Collection[int]:
        return [row for row, attached in enumerate(self.rows) if volume in attached.volumes]


@dataclass(frozen=True)
class HandCSINodes:
    """Row 0 is nobody's."""

    nodes: Sequence[Node]
    storage: HandStorage

    def limits(self, driver: str) -> IntArray:
        return np.array([0, *(self._limit(node.metadata.name, driver) for node in self.nodes)], dtype=np.int64)

    def migrated(self, plugin: str) -> BoolArray:
        found = [self.storage.csi_node(node.metadata.name) for node in self.nodes]
        served = [
            csi_node is not None and plugin in csi_node.metadata.annotations.get(MIGRATED, "") for csi_node in found
        ]
        return np.array([False, *served])

    def _limit(self, node: str, driver: str) -> int:
        csi_node = self.storage.csi_node(node)
        told = {entry.name: entry.allocatable for entry in csi_node.spec.drivers} if csi_node is not None else {}
        allocatable = told.get(driver)
        return NO_LIMIT if allocatable is None or allocatable.count is None else allocatable.count
