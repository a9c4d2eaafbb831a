"""The claims of a pod, sorted by what is still to be done for them.

podHasPVCs, volumebinding/volume_binding.go, and GetPodVolumeClaims, volumebinding/binder.go, 1.36. A claim whose
size cannot be read is refused by name instead of being matched by chance.
"""

from dataclasses import dataclass
from typing import Final

from pointsman.kube.quantity import QuantityError
from pointsman.kube.storage_objects import PersistentVolumeClaim
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Reject
from pointsman.policy.storage_view import StorageView
from pointsman.policy.volumes.claims import (
    SELECTED_NODE,
    UsedClaim,
    claim_class,
    is_bound,
    made_for_another,
    used_claims,
    waits_for_a_pod,
)
from pointsman.policy.volumes.sizes import requested_by

_UNBOUND: Final = "pod has unbound immediate PersistentVolumeClaims"


@dataclass(frozen=True, slots=True)
class PodClaims:
    """In the order of the pod's volumes; a claim that two volumes name is there twice."""

    bound: tuple[PersistentVolumeClaim, ...]
    open: tuple[PersistentVolumeClaim, ...]  # to be matched with a volume, or to get a new one
    given: tuple[PersistentVolumeClaim, ...]  # to get a new volume on the node that they were given before

    @property
    def empty(self) -> bool:
        """Whether the pod uses no claims at all."""
        return not (self.bound or self.open or self.given)


def sort_claims(pod: PodInfo, storage: StorageView) -> PodClaims | Reject:
    """The pod's claims, or why it cannot run anywhere for now."""
    claims = []
    for used in used_claims(pod.pod):
        claim = storage.claim(pod.namespace, used.name)
        problem = _missing(used) if claim is None else _problem(claim, used, pod)
        if claim is None or problem:
            return Reject((problem,))
        claims.append(claim)
    bound = tuple(claim for claim in claims if is_bound(claim))
    unbound = [claim for claim in claims if not is_bound(claim)]
    if not all(_waits_for_a_pod(claim, storage) for claim in unbound):
        return Reject((_UNBOUND,))
    return PodClaims(
        bound,
        open=tuple(claim for claim in unbound if SELECTED_NODE not in claim.metadata.annotations),
        given=tuple(claim for claim in unbound if SELECTED_NODE in claim.metadata.annotations),
    )


def _missing(used: UsedClaim) -> str:
    if used.ephemeral:
        return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{used.name}"'
    return f'persistentvolumeclaim "{used.name}" not found'


def _problem(claim: PersistentVolumeClaim, used: UsedClaim, pod: PodInfo) -> str:
    """Why the pod cannot use the claim, empty if it can."""
    name = f'persistentvolumeclaim "{used.name}"'
    if claim.status.phase == "Lost":
        return f'{name} bound to non-existent persistentvolume "{claim.spec.volume_name}"'
    if claim.metadata.deletion_timestamp is not None:
        return f"{name} is being deleted"
    if problem := made_for_another(claim, used, pod):
        return problem
    try:
        requested_by(claim)
    except QuantityError as error:
        return f"{name}: spec.resources.requests.storage: {error}"
    return ""


def _waits_for_a_pod(claim: PersistentVolumeClaim, storage: StorageView) -> bool:
    """Whether binding starts with a pod; one that names a volume is the volume controller's, whatever its class."""
    storage_class = storage.storage_class(claim_class(claim))
    return storage_class is not None and waits_for_a_pod(storage_class) and not claim.spec.volume_name
