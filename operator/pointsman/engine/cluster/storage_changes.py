"""The half of the cluster's mutators that is about storage.

An object that appears or changes may help a pod that waits. One that goes helps nobody, but for an attachment or its
volume, or a class and so its claims, which no longer count on the node, a CSINode, with which a limit goes, and a
driver, with which the check of its capacity goes. Updates of what no rule reads are no changes: provisioners and
attachers write to these objects all the time.
"""

import logging
from collections.abc import Iterable

from pointsman.engine.cluster.kept import Kept, T
from pointsman.engine.cluster.view import Columns
from pointsman.kube.known import key_of
from pointsman.kube.objects import Metadata
from pointsman.kube.storage_objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from pointsman.policy.errors import Problem
from pointsman.policy.rule import Change, Happening
from pointsman.policy.volumes.problems import claim_problems, room_problems, volume_problems

logger = logging.getLogger(__name__)

Changes = tuple[Change, ...]


class StorageChanges(Columns):
    """Mutators for storage objects; each takes the object as the watch shows it, a removal the last one known."""

    def upsert_claim(self, claim: PersistentVolumeClaim) -> Changes:
        changes = self._upsert(self._storage.claims, claim, Happening.PERSISTENT_VOLUME_CLAIM)
        if changes:
            _tell("PersistentVolumeClaim", claim.metadata, claim_problems(claim))
        self._storage.tell(claim)
        return changes

    def remove_claim(self, claim: PersistentVolumeClaim) -> Changes:
        self._storage.claims.pop(key_of(claim))
        self._storage.tell(claim)
        return ()

    def upsert_volume(self, volume: PersistentVolume) -> Changes:
        changes = self._upsert(self._storage.volumes, volume, Happening.PERSISTENT_VOLUME)
        if changes:
            _tell("PersistentVolume", volume.metadata, volume_problems(volume))
        self._storage.tell(volume)
        return changes

    def remove_volume(self, volume: PersistentVolume) -> Changes:
        changes = self._remove(self._storage.volumes, volume, Happening.PERSISTENT_VOLUME)
        self._storage.tell(volume)
        return changes

    def upsert_storage_class(self, storage_class: StorageClass) -> Changes:
        return self._upsert(self._storage.classes, storage_class, Happening.STORAGE_CLASS)

    def remove_storage_class(self, storage_class: StorageClass) -> Changes:
        return self._remove(self._storage.classes, storage_class, Happening.STORAGE_CLASS)

    def upsert_csi_node(self, csi_node: CSINode) -> Changes:
        changes = self._upsert(self._storage.csi_nodes, csi_node, Happening.CSI_NODE)
        self._csi_node_changed(csi_node)
        return changes

    def remove_csi_node(self, csi_node: CSINode) -> Changes:
        changes = self._remove(self._storage.csi_nodes, csi_node, Happening.CSI_NODE)
        self._csi_node_changed(csi_node)
        return changes

    def upsert_csi_driver(self, driver: CSIDriver) -> Changes:
        return self._upsert(self._storage.csi_drivers, driver, Happening.CSI_DRIVER)

    def remove_csi_driver(self, driver: CSIDriver) -> Changes:
        return self._remove(self._storage.csi_drivers, driver, Happening.CSI_DRIVER)

    def upsert_capacity(self, capacity: CSIStorageCapacity) -> Changes:
        changes = self._upsert(self._storage.capacity_objects, capacity, Happening.CSI_STORAGE_CAPACITY)
        if changes:
            _tell("CSIStorageCapacity", capacity.metadata, room_problems(capacity))
        return changes

    def remove_capacity(self, capacity: CSIStorageCapacity) -> Changes:
        self._storage.capacity_objects.pop(key_of(capacity))
        return ()

    def upsert_attachment(self, attachment: VolumeAttachment) -> Changes:
        self._storage.attachment_objects.put(attachment)
        self._attachment_changed(attachment)
        return ()

    def remove_attachment(self, attachment: VolumeAttachment) -> Changes:
        changes = self._remove(self._storage.attachment_objects, attachment, Happening.VOLUME_ATTACHMENT_DELETE)
        self._attachment_changed(attachment)
        return changes

    def assume_volume(self, volume: PersistentVolume) -> None:
        """Take a volume as promised before the API server knows; ValueError if it is not the current version."""
        self._storage.volumes.assume(volume)

    def assume_claim(self, claim: PersistentVolumeClaim) -> None:
        """Take a claim as given its node before the API server knows; ValueError if it is not the current version."""
        self._storage.claims.assume(claim)

    def restore_volume(self, volume: PersistentVolume) -> Changes:
        """Take `assume_volume` back; no change if the watch has shown another version since."""
        return self._restore(self._storage.volumes, volume, Happening.PERSISTENT_VOLUME)

    def restore_claim(self, claim: PersistentVolumeClaim) -> Changes:
        """Take `assume_claim` back; no change if the watch has shown another version since."""
        return self._restore(self._storage.claims, claim, Happening.PERSISTENT_VOLUME_CLAIM)

    def _csi_node_changed(self, csi_node: CSINode) -> None:
        row = self.row_of(csi_node.metadata.name)
        if row is not None:
            self._csi_nodes.changed(row)

    def _attachment_changed(self, attachment: VolumeAttachment) -> None:
        row = self.row_of(attachment.spec.node_name)
        if row is not None:
            self._attached_changed(row)

    def _node_storage_changed(self, row: int) -> None:
        """The row stands for another node, or for none."""
        self._csi_nodes.changed(row)
        self._attached_changed(row)

    def _attached_changed(self, row: int) -> None:
        self._by_driver.changed(row)
        self._by_kind.changed(row)

    def _upsert(self, kept: Kept[T], new: T, happening: Happening) -> Changes:
        return (Change(happening, self, key=key_of(new)),) if kept.put(new) else ()

    def _remove(self, kept: Kept[T], old: T, happening: Happening) -> Changes:
        return (Change(happening, self, key=key_of(old)),) if kept.pop(key_of(old)) else ()

    def _restore(self, kept: Kept[T], changed: T, happening: Happening) -> Changes:
        return (Change(happening, self, key=key_of(changed)),) if kept.restore(changed) else ()


def _tell(kind: str, metadata: Metadata, problems: Iterable[Problem]) -> None:
    name = "/".join(filter(None, (metadata.namespace, metadata.name)))
    for problem in problems:
        logger.warning("%s %s: %s", kind, name, problem)
