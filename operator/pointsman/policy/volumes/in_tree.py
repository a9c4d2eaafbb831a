"""Volume kinds that were built into Kubernetes, and the CSI drivers that serve them today.

What kube-scheduler 1.36 takes from staging/src/k8s.io/csi-translation-lib to count attached volumes: the driver's name,
and the handle under which the driver knows the volume. Azure Files and vSphere volumes have a translation too, but are
not counted (isCSIMigrationOn, nodevolumelimits/utils.go).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from pointsman.kube.objects import Volume
from pointsman.kube.storage_objects import PersistentVolume
from pointsman.policy.topology_labels import DELIMITER, OLD_ZONE, ZONE

Source = dict[str, Any]

EBS: Final = "kubernetes.io/aws-ebs"
GCE_PD: Final = "kubernetes.io/gce-pd"
AZURE_DISK: Final = "kubernetes.io/azure-disk"
CINDER: Final = "kubernetes.io/cinder"
PORTWORX: Final = "kubernetes.io/portworx-volume"
_UNCOUNTED: Final = frozenset({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"})

_UNSPECIFIED: Final = "UNSPECIFIED"
_EBS_VOLUME: Final = re.compile(r"vol-[^/]*")


class AttachedVolume(NamedTuple):
    """A volume as a node counts it; one that is not made yet goes by its claim, namespace/name."""

    driver: str
    handle: str
    claim: str = ""


class _Kind(NamedTuple):
    """`identity` is the field that a node of old counted volumes by, `handle` the one that tells the driver which."""

    driver: str
    identity: str
    handle: str
    inline: Callable[[Volume], Source | None]
    persistent: Callable[[PersistentVolume], Source | None]


KINDS: Final[Mapping[str, _Kind]] = {
    EBS: _Kind(
        "ebs.csi.aws.com",
        "volumeID",
        "volumeID",
        lambda volume: volume.aws_elastic_block_store,
        lambda volume: volume.spec.aws_elastic_block_store,
    ),
    GCE_PD: _Kind(
        "pd.csi.storage.gke.io",
        "pdName",
        "pdName",
        lambda volume: volume.gce_persistent_disk,
        lambda volume: volume.spec.gce_persistent_disk,
    ),
    AZURE_DISK: _Kind(
        "disk.csi.azure.com",
        "diskName",
        "diskURI",
        lambda volume: volume.azure_disk,
        lambda volume: volume.spec.azure_disk,
    ),
    CINDER: _Kind(
        "cinder.csi.openstack.org",
        "volumeID",
        "volumeID",
        lambda volume: volume.cinder,
        lambda volume: volume.spec.cinder,
    ),
    PORTWORX: _Kind(
        "pxd.portworx.com",
        "volumeID",
        "volumeID",
        lambda volume: volume.portworx_volume,
        lambda volume: volume.spec.portworx_volume,
    ),
}


def driver_of(provisioner: str) -> str:
    """The driver that makes volumes of a provisioner, which is the driver itself unless it was built in; "" if none
    counts them."""
    kind = KINDS.get(provisioner)
    if kind is not None:
        return kind.driver
    return "" if provisioner in _UNCOUNTED else provisioner


def is_counted(volume: Volume) -> bool:
    """Whether a pod's volume is, without a claim, one that a driver serves."""
    return any(kind.inline(volume) is not None for kind in KINDS.values())


def translated(volume: Volume) -> AttachedVolume | None:
    """A pod's own volume as its driver counts it; None if no driver does, or it is not named as the driver wants."""
    return next((_translated(plugin, source, ()) for plugin, source in _inline(volume)), None)


def translated_persistent(volume: PersistentVolume) -> AttachedVolume | None:
    """A PersistentVolume of a built-in kind as its driver counts it; None as for `translated`."""
    zones = next((labels for key in (OLD_ZONE, ZONE) if (labels := volume.metadata.labels.get(key))), "")
    found = _persistent(volume)
    return next((_translated(plugin, source, tuple(zones.split(DELIMITER))) for plugin, source in found), None)


def counted_as(plugin: str, volume: Volume) -> AttachedVolume | None:
    """A pod's own volume as nodes counted it before there were drivers."""
    return _identity(plugin, KINDS[plugin].inline(volume))


def counted_persistent_as(plugin: str, volume: PersistentVolume) -> AttachedVolume | None:
    """A PersistentVolume as nodes counted it before there were drivers."""
    return _identity(plugin, KINDS[plugin].persistent(volume))


def _identity(plugin: str, source: Source | None) -> AttachedVolume | None:
    return None if source is None else AttachedVolume(plugin, _text(source, KINDS[plugin].identity))


def _inline(volume: Volume) -> list[tuple[str, Source]]:
    return [(plugin, source) for plugin, kind in KINDS.items() if (source := kind.inline(volume)) is not None]


def _persistent(volume: PersistentVolume) -> list[tuple[str, Source]]:
    return [(plugin, source) for plugin, kind in KINDS.items() if (source := kind.persistent(volume)) is not None]


def _translated(plugin: str, source: Source, zones: tuple[str, ...]) -> AttachedVolume | None:
    kind = KINDS[plugin]
    handle: str | None = _text(source, kind.handle)
    if plugin == EBS:
        handle = _ebs_handle(handle or "")
    elif plugin == GCE_PD:
        handle = _gce_handle(handle or "", zones)
    return None if handle is None else AttachedVolume(kind.driver, handle)


def _ebs_handle(volume_id: str) -> str | None:
    """A bare id as it is; of `aws://zone/id` the id."""
    if not volume_id.startswith("aws://"):
        return volume_id
    try:
        path = urlsplit(volume_id).path.strip("/")
    except ValueError:
        return None
    return path if _EBS_VOLUME.fullmatch(path) else None


def _gce_handle(name: str, zones: tuple[str, ...]) -> str | None:
    """Where the disk is, as far as the volume's labels tell: in a zone, or in the region of several."""
    if len(zones) <= 1:
        zone = "".join(zones) or _UNSPECIFIED
        return f"projects/{_UNSPECIFIED}/zones/{zone}/disks/{name}"
    parts = [zone.split("-") for zone in zones]
    regions = {"-".join(part[:2]) for part in parts}
    if len(regions) != 1 or any(len(part) != 3 for part in parts):
        return None
    return f"projects/{_UNSPECIFIED}/regions/{regions.pop()}/disks/{name}"


def _text(source: Source, field: str) -> str:
    return str(source.get(field, ""))
