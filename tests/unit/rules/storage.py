"""Storage made by hand from a list of objects: every lookup goes through the list."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pointsman.kube.storage_objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    StorageObject,
    VolumeAttachment,
)
from pointsman.policy.pod import PodInfo

T = TypeVar("T", bound=StorageObject)


@dataclass(frozen=True)
class HandStorage:
    """`placed` are pods with the rows that they run on."""

    objects: Sequence[StorageObject]
    placed: Sequence[tuple[int, PodInfo]] = ()

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        return self._find(PersistentVolumeClaim, name, namespace)

    def volume(self, name: str) -> PersistentVolume | None:
        return self._find(PersistentVolume, name)

    def volumes_of_class(self, class_name: str) -> Sequence[PersistentVolume]:
        return [volume for volume in self._all(PersistentVolume) if volume.spec.storage_class_name == class_name]

    def storage_class(self, name: str) -> StorageClass | None:
        return self._find(StorageClass, name)

    def csi_node(self, node: str) -> CSINode | None:
        return self._find(CSINode, node)

    def csi_driver(self, name: str) -> CSIDriver | None:
        return self._find(CSIDriver, name)

    def capacities(self, class_name: str) -> Sequence[CSIStorageCapacity]:
        return [item for item in self._all(CSIStorageCapacity) if item.storage_class_name == class_name]

    def attachments(self, node: str) -> Sequence[VolumeAttachment]:
        return [item for item in self._all(VolumeAttachment) if item.spec.node_name == node]

    def claim_users(self, namespace: str, name: str) -> Mapping[int, int]:
        return Counter(row for row, pod in self.placed if pod.namespace == namespace and _names(pod, name))

    def _all(self, kind: type[T]) -> list[T]:
        return [item for item in self.objects if isinstance(item, kind)]

    def _find(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        wanted = (namespace, name)
        items = self._all(kind)
        return next((item for item in items if (item.metadata.namespace, item.metadata.name) == wanted), None)


def _names(pod: PodInfo, claim: str) -> bool:
    sources = (volume.persistent_volume_claim for volume in pod.pod.spec.volumes)
    return any(source is not None and source.claim_name == claim for source in sources)
