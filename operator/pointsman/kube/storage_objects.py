"""Storage objects as typed structs that declare only the fields we read; see `kube.objects`."""

from typing import Any

import msgspec

from pointsman.kube.objects import LabelSelector, Metadata, NodeSelector, Quantities, WireObject


class ObjectReference(WireObject, frozen=True, kw_only=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class ClaimResources(WireObject, frozen=True, kw_only=True):
    requests: Quantities = {}


class ClaimSpec(WireObject, frozen=True, kw_only=True):
    access_modes: tuple[str, ...] = ()
    selector: LabelSelector | None = None
    resources: ClaimResources = ClaimResources()
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: str = ""
    volume_attributes_class_name: str | None = None


class ClaimStatus(WireObject, frozen=True, kw_only=True):
    phase: str = ""


class PersistentVolumeClaim(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()


class CSIVolumeSource(WireObject, frozen=True, kw_only=True):
    driver: str = ""
    volume_handle: str = ""


class VolumeNodeAffinity(WireObject, frozen=True, kw_only=True):
    required: NodeSelector | None = None


class VolumeSpec(WireObject, frozen=True, kw_only=True):
    """In-tree sources are raw maps, as in a pod's volume."""

    capacity: Quantities = {}
    access_modes: tuple[str, ...] = ()
    claim_ref: ObjectReference | None = None
    storage_class_name: str = ""
    volume_mode: str = ""
    volume_attributes_class_name: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    csi: CSIVolumeSource | None = None
    gce_persistent_disk: dict[str, Any] | None = None
    aws_elastic_block_store: dict[str, Any] | None = None
    azure_disk: dict[str, Any] | None = None
    azure_file: dict[str, Any] | None = None
    cinder: dict[str, Any] | None = None
    portworx_volume: dict[str, Any] | None = None
    vsphere_volume: dict[str, Any] | None = None


class VolumeStatus(WireObject, frozen=True, kw_only=True):
    phase: str = ""


class PersistentVolume(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: VolumeSpec = VolumeSpec()
    status: VolumeStatus = VolumeStatus()


class TopologyLabelRequirement(WireObject, frozen=True, kw_only=True):
    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(WireObject, frozen=True, kw_only=True):
    match_label_expressions: tuple[TopologyLabelRequirement, ...] = ()


class StorageClass(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    provisioner: str = ""
    volume_binding_mode: str = ""
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()


class NodeResources(WireObject, frozen=True, kw_only=True):
    count: int | None = None


class CSINodeDriver(WireObject, frozen=True, kw_only=True):
    name: str = ""
    node_id: str = msgspec.field(default="", name="nodeID")
    allocatable: NodeResources | None = None


class CSINodeSpec(WireObject, frozen=True, kw_only=True):
    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: CSINodeSpec = CSINodeSpec()


class CSIDriverSpec(WireObject, frozen=True, kw_only=True):
    storage_capacity: bool = False


class CSIDriver(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: str | int | float | None = None
    maximum_volume_size: str | int | float | None = None


class AttachmentSource(WireObject, frozen=True, kw_only=True):
    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(WireObject, frozen=True, kw_only=True):
    attacher: str = ""
    node_name: str = ""
    source: AttachmentSource = AttachmentSource()


class VolumeAttachment(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()


StorageObject = (
    CSIDriver
    | CSINode
    | CSIStorageCapacity
    | PersistentVolume
    | PersistentVolumeClaim
    | StorageClass
    | VolumeAttachment
)
