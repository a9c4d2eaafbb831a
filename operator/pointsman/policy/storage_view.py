"""What a rule may see of storage: claims, volumes, classes, and what nodes can attach.

Objects are the wire structs, with what the engine has assumed but not yet seen laid over them: a claim promised to a
volume, a claim that was given its node. Where the engine may not watch a kind, there are none of it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pointsman.kube.storage_objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from pointsman.policy.volumes.in_tree import AttachedVolume

NO_LIMIT: Final = np.iinfo(np.int64).max


class AttachedView(Protocol):
    """Volumes that pods keep attached to their nodes, kept up to date once asked for."""

    def counts(self, driver: str) -> NDArray[np.int64]:
        """int64 (capacity,): how many different volumes of a driver are attached to each row."""
        ...

    def rows_with(self, volume: AttachedVolume) -> Collection[int]:
        """The rows on which some pod uses exactly this volume."""
        ...


class CSINodesView(Protocol):
    """What the drivers on each node can do."""

    def limits(self, driver: str) -> NDArray[np.int64]:
        """int64 (capacity,): how many volumes of a driver each row takes, NO_LIMIT where the driver sets none."""
        ...

    def migrated(self, plugin: str) -> NDArray[np.bool_]:
        """bool (capacity,): rows on which a CSI driver serves the volumes of this built-in kind."""
        ...


class StorageView(Protocol):
    """Lookups by name; None where there is no such object."""

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None: ...
    def volume(self, name: str) -> PersistentVolume | None: ...
    def volumes_of_class(self, class_name: str) -> Sequence[PersistentVolume]:
        """In the order in which they came to be known."""
        ...

    def storage_class(self, name: str) -> StorageClass | None: ...
    def csi_node(self, node: str) -> CSINode | None: ...
    def csi_driver(self, name: str) -> CSIDriver | None: ...
    def capacities(self, class_name: str) -> Sequence[CSIStorageCapacity]: ...
    def attachments(self, node: str) -> Sequence[VolumeAttachment]: ...
    def claim_users(self, namespace: str, name: str) -> Mapping[int, int]:
        """Row -> how many pods there name the claim among their volumes (generic ephemeral volumes apart)."""
        ...
