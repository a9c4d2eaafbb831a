"""CSINodes, volumes of CSI drivers and of built-in kinds, and attachments for tests, in one line each."""

from typing import Any

from tests.unit.rules.attached import MIGRATED
from tests.unit.rules.stored import PROVISIONER, volume

from pointsman.kube.objects import Metadata, Volume
from pointsman.kube.storage_objects import (
    AttachmentSource,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSIVolumeSource,
    NodeResources,
    PersistentVolume,
    VolumeAttachment,
    VolumeAttachmentSpec,
)
from pointsman.testing.builders import PodBuilder


def csi_node(name: str, *, migrated: str = "", **limits: int | None) -> CSINode:
    """The drivers of a node with their limits, None for a driver without; `example` stands for csi.example.com."""
    drivers = tuple(
        CSINodeDriver(
            name=PROVISIONER if driver == "example" else driver.replace("_", "."),
            allocatable=None if limit is None else NodeResources(count=limit),
        )
        for driver, limit in limits.items()
    )
    annotations = {MIGRATED: migrated} if migrated else {}
    metadata = Metadata(name=name, resource_version="1", annotations=annotations)
    return CSINode(metadata=metadata, spec=CSINodeSpec(drivers=drivers))


def csi_volume(name: str, handle: str = "", driver: str = PROVISIONER, **more: Any) -> PersistentVolume:
    """A volume of a driver; its handle is its name unless told."""
    return volume(name, csi=CSIVolumeSource(driver=driver, volume_handle=handle or name), **more)


def attachment(name: str, node: str, volume_name: str | None, attacher: str = PROVISIONER) -> VolumeAttachment:
    return VolumeAttachment(
        metadata=Metadata(name=name, resource_version="1"),
        spec=VolumeAttachmentSpec(
            attacher=attacher, node_name=node, source=AttachmentSource(persistent_volume_name=volume_name)
        ),
    )


def mounting(builder: PodBuilder, **source: Any) -> PodBuilder:
    """The pod with one more volume, of the kind that is named."""
    volumes = builder.draft.spec.volumes
    return builder.spec(volumes=(*volumes, Volume(name=f"disk-{len(volumes)}", **source)))
