"""Which volumes the pods of a node keep attached to it: by CSI driver today, by built-in kind in old Policy files.

Nodes take only so many volumes of a driver, and one that several pods use counts once. The engine keeps these counts
per row (`engine.cluster.attached_volumes`); rules ask here about the incoming pod, and about a row of which they
imagine other pods. filterAttachableVolumes, nodevolumelimits/csi.go, 1.36; filterVolumes, non_csi.go, 1.22.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment
from pointsman.policy.pod import PodInfo
from pointsman.policy.volumes.claims import claim_class, used_claims
from pointsman.policy.volumes.in_tree import (
    KINDS,
    AttachedVolume,
    counted_as,
    counted_persistent_as,
    driver_of,
    is_counted,
    translated,
    translated_persistent,
)


class Lookups(Protocol):
    """What of storage is looked at here; part of StorageView."""

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None: ...
    def volume(self, name: str) -> PersistentVolume | None: ...
    def storage_class(self, name: str) -> StorageClass | None: ...
    def attachments(self, node: str) -> Sequence[VolumeAttachment]: ...


@dataclass(frozen=True, slots=True)
class Attached:
    """`volumes` are those that pods use; `counts`, by driver, are these and what else is attached."""

    volumes: frozenset[AttachedVolume]
    counts: Mapping[str, int]


Attaching = Callable[[Sequence[PodInfo], str, Lookups], Attached]
"""What the pods keep attached to the node of that name."""


def keeps_attached(pod: PodInfo) -> bool:
    """Whether any of a pod's volumes may count at all; those of most pods are made of API objects and do not."""
    return any(
        volume.persistent_volume_claim is not None or volume.ephemeral is not None or is_counted(volume)
        for volume in pod.pod.spec.volumes
    )


def attached_by_driver(pods: Sequence[PodInfo], node: str, storage: Lookups) -> Attached:
    """By CSI driver. What is attached although no pod uses it counts too: it may be on its way off the node."""
    used = frozenset(volume for pod in pods for volume in driver_volumes(pod, storage))
    return Attached(used, Counter(volume.driver for volume in used | set(_left_attached(node, storage))))


def attached_by_kind(pods: Sequence[PodInfo], node: str, storage: Lookups) -> Attached:  # noqa: ARG001 - an Attaching
    """By built-in kind, named as a provisioner."""
    used = frozenset(volume for pod in pods for volume in kind_volumes(pod, storage))
    return Attached(used, Counter(volume.driver for volume in used))


def driver_volumes(pod: PodInfo, storage: Lookups) -> Iterator[AttachedVolume]:
    """The volumes of a pod that drivers count; claims that do not exist do not."""
    for own in pod.pod.spec.volumes:
        if own.persistent_volume_claim is None and own.ephemeral is None and (volume := translated(own)) is not None:
            yield volume
    for used in used_claims(pod.pod):
        claim = storage.claim(pod.namespace, used.name)
        if claim is not None and (volume := _of_claim(claim, storage)) is not None:
            yield volume


def counts_elsewhere(claim: PersistentVolumeClaim, storage: Lookups) -> bool:
    """Whether a claim got a volume of another driver than the one that its class had it count for."""
    expected, found = _to_be_made(claim, storage), _of_claim(claim, storage)
    return expected is not None and (found is None or found.driver != expected.driver)


def kind_volumes(pod: PodInfo, storage: Lookups) -> Iterator[AttachedVolume]:
    """The volumes of a pod that are of a built-in kind, or will be; generic ephemeral ones were never counted."""
    for own in pod.pod.spec.volumes:
        yield from (volume for plugin in KINDS if (volume := counted_as(plugin, own)) is not None)
    for used in used_claims(pod.pod):
        claim = None if used.ephemeral else storage.claim(pod.namespace, used.name)
        if claim is not None:
            yield from _kinds_of_claim(claim, storage)


def _of_claim(claim: PersistentVolumeClaim, storage: Lookups) -> AttachedVolume | None:
    persistent = storage.volume(claim.spec.volume_name) if claim.spec.volume_name else None
    if persistent is None:
        return _to_be_made(claim, storage)
    csi = persistent.spec.csi
    volume = translated_persistent(persistent) if csi is None else AttachedVolume(csi.driver, csi.volume_handle)
    return volume if volume is not None and volume.driver and volume.handle else None


def _to_be_made(claim: PersistentVolumeClaim, storage: Lookups) -> AttachedVolume | None:
    """The volume that the claim's class will have made; a claim without a class never gets one made."""
    name = claim_class(claim)
    storage_class = storage.storage_class(name) if name else None
    driver = "" if storage_class is None else driver_of(storage_class.provisioner)
    return AttachedVolume(driver, "", _name(claim)) if driver else None


def _kinds_of_claim(claim: PersistentVolumeClaim, storage: Lookups) -> Iterator[AttachedVolume]:
    persistent = storage.volume(claim.spec.volume_name) if claim.spec.volume_name else None
    if persistent is not None:
        yield from (volume for plugin in KINDS if (volume := counted_persistent_as(plugin, persistent)) is not None)
        return
    storage_class = storage.storage_class(claim.spec.storage_class_name or "")
    if storage_class is not None and storage_class.provisioner in KINDS:
        yield AttachedVolume(storage_class.provisioner, "", _name(claim))


def _left_attached(node: str, storage: Lookups) -> Iterator[AttachedVolume]:
    for attachment in storage.attachments(node):
        name = attachment.spec.source.persistent_volume_name
        persistent = None if name is None or not attachment.spec.attacher else storage.volume(name)
        if persistent is not None and persistent.spec.csi is not None:
            yield AttachedVolume(attachment.spec.attacher, persistent.spec.csi.volume_handle)


def _name(claim: PersistentVolumeClaim) -> str:
    return f"{claim.metadata.namespace}/{claim.metadata.name}"
