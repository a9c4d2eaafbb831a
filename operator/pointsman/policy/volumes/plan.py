"""What is to be written for a pod's volumes once its node is chosen: volumes promised to claims, claims given a node.

The objects are as they will be; the engine assumes them at once, writes them before it binds the pod, and waits until
the volume controller has done the rest (AssumePodVolumes, volumebinding/binder.go; GetBindVolumeToClaim,
component-helpers/storage/volume/pv_helpers.go, 1.36).
"""

from dataclasses import dataclass

import msgspec

from pointsman.kube.storage_objects import ObjectReference, PersistentVolume, PersistentVolumeClaim
from pointsman.policy.volumes.claims import BOUND_BY_CONTROLLER, SELECTED_NODE, is_promised


@dataclass(frozen=True, slots=True)
class Promise:
    """A volume as promised to a claim; not `changed` if it was before, by name and uid."""

    volume: PersistentVolume
    claim: PersistentVolumeClaim
    changed: bool


@dataclass(frozen=True, slots=True)
class VolumePlan:
    """Everything for one pod on one node; `timeout` in seconds, for the volume controller's part."""

    node: str
    promises: tuple[Promise, ...]
    provisions: tuple[PersistentVolumeClaim, ...]  # as they will be, with the node's name
    timeout: int


def promise(volume: PersistentVolume, claim: PersistentVolumeClaim) -> Promise:
    """The volume set aside for the claim. One that its owner had set aside is not marked as the controller's doing."""
    metadata, wanted = volume.metadata, claim.metadata
    if not is_promised(volume, claim):
        annotations = {BOUND_BY_CONTROLLER: "yes", **metadata.annotations}
        metadata = msgspec.structs.replace(metadata, annotations=annotations)
    kept = volume.spec.claim_ref
    if kept is not None and (kept.namespace, kept.name, kept.uid) == (wanted.namespace, wanted.name, wanted.uid):
        return Promise(volume, claim, changed=False)
    reference = ObjectReference(
        kind="PersistentVolumeClaim", namespace=wanted.namespace, name=wanted.name, uid=wanted.uid
    )
    spec = msgspec.structs.replace(volume.spec, claim_ref=reference)
    return Promise(msgspec.structs.replace(volume, metadata=metadata, spec=spec), claim, changed=True)


def with_node(claim: PersistentVolumeClaim, node: str) -> PersistentVolumeClaim:
    """The claim as it tells its provisioner where to make the volume."""
    annotations = {**claim.metadata.annotations, SELECTED_NODE: node}
    metadata = msgspec.structs.replace(claim.metadata, annotations=annotations)
    return msgspec.structs.replace(claim, metadata=metadata)
