"""Disks that a pod mounts without a claim and that two pods of one node cannot both write (VolumeRestrictions).

Two are the same disk when they are of one kind and have a name in common: an RBD image has one for each of its
monitors. Sharing is fine where both only read, except for EBS (isVolumeConflict, volumerestrictions, 1.36).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pointsman.kube.objects import Pod, Volume


class Disk(NamedTuple):
    """`names` are those by which other pods may mean the same disk."""

    kind: str
    names: frozenset[tuple[str, ...]]
    shareable: bool


def disks_of(pod: Pod) -> tuple[Disk, ...]:
    """The pod's disks of the kinds that count, in the order of its volumes."""
    return tuple(disk for volume in pod.spec.volumes for disk in _disks(volume))


def clash(disks: Sequence[Disk], others: Sequence[Disk]) -> bool:
    """Whether pods with these disks cannot run on one node."""
    return any(
        disk.kind == other.kind and not (disk.shareable and other.shareable) and not disk.names.isdisjoint(other.names)
        for disk in disks
        for other in others
    )


def _disks(volume: Volume) -> Iterator[Disk]:
    if (source := volume.gce_persistent_disk) is not None:
        yield Disk("gcePersistentDisk", frozenset({(source.get("pdName", ""),)}), bool(source.get("readOnly")))
    if (source := volume.aws_elastic_block_store) is not None:
        yield Disk("awsElasticBlockStore", frozenset({(source.get("volumeID", ""),)}), shareable=False)
    if (source := volume.iscsi) is not None:
        yield Disk("iscsi", frozenset({(source.get("iqn", ""),)}), bool(source.get("readOnly")))
    if (source := volume.rbd) is not None:
        image = (source.get("pool", "rbd"), source.get("image", ""))
        names = frozenset((str(monitor), *image) for monitor in source.get("monitors") or ())
        yield Disk("rbd", names, bool(source.get("readOnly")))
