"""How pods, claims and volumes name each other, and when a claim counts as bound.

As in component-helpers/storage/volume and storage/ephemeral, 1.36. The old annotation for the class of a claim or
volume counts more than the field that took its place.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from pointsman.kube.known import Key
from pointsman.kube.objects import Pod
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim, StorageClass
from pointsman.policy.pod import PodInfo

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
_DELAYED: Final = "WaitForFirstConsumer"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


class UsedClaim(NamedTuple):
    """A claim that a pod uses; `ephemeral` if it is made for the pod from a template."""

    name: str
    ephemeral: bool


def used_claims(pod: Pod) -> Iterator[UsedClaim]:
    """In the order of the pod's volumes; a claim that two volumes name comes twice."""
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            yield UsedClaim(volume.persistent_volume_claim.claim_name, ephemeral=False)
        elif volume.ephemeral is not None:
            yield UsedClaim(f"{pod.metadata.name}-{volume.name}", ephemeral=True)


def named_claims(pod: Pod) -> frozenset[str]:
    """Names of the claims that the pod shares with others by naming them, those of its own templates left out."""
    return frozenset(claim.name for claim in used_claims(pod) if not claim.ephemeral)


def uses(pod: PodInfo, claim: Key) -> bool:
    """Whether the pod uses the claim of that namespace and name, by name or by a template."""
    return any(claim == (pod.namespace, used.name) for used in used_claims(pod.pod))


def names(pod: PodInfo, claim: Key) -> bool:
    """Whether the pod names the claim of that namespace and name."""
    return claim[0] == pod.namespace and claim[1] in named_claims(pod.pod)


def made_for_another(claim: PersistentVolumeClaim, used: UsedClaim, pod: PodInfo) -> str:
    """Why the pod cannot have a claim that should be made from its own template; empty if it can."""
    owners = claim.metadata.owner_references
    if not used.ephemeral or any(owner.controller and owner.uid == pod.uid for owner in owners):
        return ""
    return f"PVC {pod.namespace}/{used.name} was not created for pod {pod.full_name} (pod is not owner)"


def waits_for_a_pod(storage_class: StorageClass) -> bool:
    """Whether volumes of the class are bound only when a pod needs them."""
    return storage_class.volume_binding_mode == _DELAYED


def claim_class(claim: PersistentVolumeClaim) -> str:
    """Name of the claim's storage class, empty when it asks for none."""
    return claim.metadata.annotations.get(_CLASS, claim.spec.storage_class_name or "")


def volume_class(volume: PersistentVolume) -> str:
    """Name of the volume's storage class, empty when it has none."""
    return volume.metadata.annotations.get(_CLASS, volume.spec.storage_class_name)


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the volume controller has finished binding the claim."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.metadata.annotations


def is_promised(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is bound to exactly this claim, or set aside for it; one that names no uid takes any."""
    promised = volume.spec.claim_ref
    if promised is None or (promised.namespace, promised.name) != (claim.metadata.namespace, claim.metadata.name):
        return False
    return promised.uid in ("", claim.metadata.uid)
