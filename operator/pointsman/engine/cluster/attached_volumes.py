"""Volumes attached to nodes: how many of a driver are on each row, and which rows have a given one.

What a pod's claim stands for depends on claims, volumes and classes that change on their own. So each row remembers
what was looked up for it, and is counted anew when one of these, its pods or its attachments have changed and somebody
asks: a decision costs the rows that changed since the last one. Until a rule asks for the first time nothing is kept.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.engine.cluster.storage import Storage
from pointsman.kube.known import Key
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment
from pointsman.policy.view import IntArray, Pods
from pointsman.policy.volumes.attached import Attached, Attaching, keeps_attached
from pointsman.policy.volumes.in_tree import AttachedVolume

Lookup = tuple[str, Key]
_CLAIM, _VOLUME, _CLASS = "claim", "volume", "class"
_NOTHING: Final = Attached(frozenset(), {})
_NO_ROWS: Final[frozenset[int]] = frozenset()


class AttachedVolumes:
    """Counts as `attaching` says. `pods_on` and `node_name` tell of a row."""

    def __init__(
        self,
        capacity: int,
        attaching: Attaching,
        storage: Storage,
        pods_on: Callable[[int], Pods],
        node_name: Callable[[int], str],
    ) -> None:
        self._capacity = capacity
        self._attaching = attaching
        self._storage = storage
        self._pods_on = pods_on
        self._node_name = node_name
        self._changed: set[int] | None = None  # None: nobody has asked yet
        self._attached: dict[int, Attached] = {}
        self._counts: dict[str, Column[np.int64]] = {}
        self._rows_with: dict[AttachedVolume, set[int]] = {}
        self._lookups: dict[int, frozenset[Lookup]] = {}
        self._rows_after: dict[Lookup, set[int]] = {}
        storage.claims.watch(lambda key: self._looked_up((_CLAIM, key)))
        storage.volumes.watch(lambda key: self._looked_up((_VOLUME, key)))
        storage.classes.watch(lambda key: self._looked_up((_CLASS, key)))

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for column in self._counts.values():
            column.grow(capacity)

    def changed(self, row: int) -> None:
        """Pods or attachments of the row changed, or it stands for another node."""
        if self._changed is not None:
            self._changed.add(row)

    def counts(self, driver: str) -> IntArray:
        self._catch_up()
        return self._column(driver).view

    def rows_with(self, volume: AttachedVolume) -> Collection[int]:
        self._catch_up()
        return self._rows_with.get(volume, _NO_ROWS)

    def _looked_up(self, lookup: Lookup) -> None:
        if self._changed is not None:
            self._changed |= self._rows_after.get(lookup, _NO_ROWS)

    def _catch_up(self) -> None:
        if self._changed is None:
            self._changed = set(range(self._capacity))
        while self._changed:
            self._count(self._changed.pop())

    def _count(self, row: int) -> None:
        lookups = _Recorded(self._storage)
        pods = tuple(filter(keeps_attached, self._pods_on(row)))
        after = self._attaching(pods, self._node_name(row), lookups)
        self._remember(row, lookups.seen)
        before = self._attached.pop(row, _NOTHING)
        for driver in before.counts:
            self._column(driver).data[row] = 0
        for driver, count in after.counts.items():
            self._column(driver).data[row] = count
        for volume in before.volumes - after.volumes:
            self._rows_with[volume].discard(row)
            if not self._rows_with[volume]:
                del self._rows_with[volume]
        for volume in after.volumes - before.volumes:
            self._rows_with.setdefault(volume, set()).add(row)
        if after.counts:
            self._attached[row] = after

    def _remember(self, row: int, lookups: set[Lookup]) -> None:
        for lookup in self._lookups.pop(row, frozenset()):
            rows = self._rows_after[lookup]
            rows.discard(row)
            if not rows:
                del self._rows_after[lookup]
        for lookup in lookups:
            self._rows_after.setdefault(lookup, set()).add(row)
        if lookups:
            self._lookups[row] = frozenset(lookups)

    def _column(self, driver: str) -> Column[np.int64]:
        column = self._counts.get(driver)
        if column is None:
            column = self._counts[driver] = Column(np.int64, self._capacity, 0)
        return column


class _Recorded:
    """Storage that notes what was asked, found or not."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.seen: set[Lookup] = set()

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        self.seen.add((_CLAIM, (namespace, name)))
        return self._storage.claim(namespace, name)

    def volume(self, name: str) -> PersistentVolume | None:
        self.seen.add((_VOLUME, ("", name)))
        return self._storage.volume(name)

    def storage_class(self, name: str) -> StorageClass | None:
        self.seen.add((_CLASS, ("", name)))
        return self._storage.storage_class(name)

    def attachments(self, node: str) -> Sequence[VolumeAttachment]:
        return self._storage.attachments(node)
