"""Storage as rules see it: claims, volumes, what nodes can attach, and which rows use a claim (StorageView).

Nothing is worked out here: the objects are kept by name and by what rules look for, and the users of a claim are
counted as pods come and go. Parts that wait for a claim or a volume listen for it by its key.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pointsman.engine.cluster.kept import Kept
from pointsman.kube.known import Key, key_of
from pointsman.kube.storage_objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from pointsman.policy.volumes.claims import volume_class

_NOBODY: Final[Mapping[int, int]] = {}


class Storage:
    """The objects, and the users of claims by row. `claims`, `volumes` and so on are changed by the cluster alone."""

    def __init__(self) -> None:
        self.claims: Kept[PersistentVolumeClaim] = Kept()
        self.volumes: Kept[PersistentVolume] = Kept(volume_class)
        self.classes: Kept[StorageClass] = Kept()
        self.csi_nodes: Kept[CSINode] = Kept()
        self.csi_drivers: Kept[CSIDriver] = Kept()
        self.capacity_objects: Kept[CSIStorageCapacity] = Kept(lambda capacity: capacity.storage_class_name)
        self.attachment_objects: Kept[VolumeAttachment] = Kept(lambda attachment: attachment.spec.node_name)
        self._users: dict[Key, dict[int, int]] = {}
        self._listeners: list[Callable[[Key], None]] = []

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        return self.claims.get((namespace, name))

    def volume(self, name: str) -> PersistentVolume | None:
        return self.volumes.get(("", name))

    def volumes_of_class(self, class_name: str) -> Sequence[PersistentVolume]:
        return self.volumes.of(class_name)

    def storage_class(self, name: str) -> StorageClass | None:
        return self.classes.get(("", name))

    def csi_node(self, node: str) -> CSINode | None:
        return self.csi_nodes.get(("", node))

    def csi_driver(self, name: str) -> CSIDriver | None:
        return self.csi_drivers.get(("", name))

    def capacities(self, class_name: str) -> Sequence[CSIStorageCapacity]:
        return self.capacity_objects.of(class_name)

    def attachments(self, node: str) -> Sequence[VolumeAttachment]:
        return self.attachment_objects.of(node)

    def claim_users(self, namespace: str, name: str) -> Mapping[int, int]:
        return self._users.get((namespace, name), _NOBODY)

    def charge(self, row: int, namespace: str, claims: Iterable[str]) -> None:
        """A pod on the row uses these claims of its namespace."""
        for name in claims:
            users = self._users.setdefault((namespace, name), {})
            users[row] = users.get(row, 0) + 1

    def discharge(self, row: int, namespace: str, claims: Iterable[str]) -> None:
        """Undo `charge` of the same claims."""
        for name in claims:
            users = self._users[(namespace, name)]
            users[row] -= 1
            if not users[row]:
                del users[row]
            if not users:
                del self._users[(namespace, name)]

    def listen(self, listener: Callable[[Key], None]) -> None:
        """Call with the key of every claim (namespace, name) and volume ("", name) of which the watch tells."""
        self._listeners.append(listener)

    def tell(self, told: PersistentVolumeClaim | PersistentVolume) -> None:
        """Call the listeners."""
        for listener in self._listeners:
            listener(key_of(told))
