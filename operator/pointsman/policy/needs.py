"""What a pod uses that only a rule which is not in this release could decide about.

By list, because a rule has a hard and a soft half: what its predicate enforces, and what its priority wishes for. What
each rule looks at in a pod is what its plugin's PreFilter or PreScore looks at in kube-scheduler 1.36.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pointsman.kube.objects import Pod, Volume
from pointsman.policy.sides import Side

Asks = Callable[[Pod], str]
"""What a pod uses that needs the rule, in plural words; empty when it does not need it."""


@dataclass(frozen=True, slots=True)
class Need:
    """`fields` are those that `asks` reads; `feature` says in a note whose pods are concerned."""

    rule: str
    feature: str
    asks: Asks
    fields: tuple[str, ...]


def _any_volume(pod: Pod, has: Callable[[Volume], object], words: str) -> str:
    return words if any(has(volume) is not None for volume in pod.spec.volumes) else ""


def _claims(pod: Pod) -> str:
    return _any_volume(pod, lambda volume: volume.persistent_volume_claim, "persistent volume claims")


def _claims_or_ephemeral(pod: Pod) -> str:
    return _claims(pod) or _any_volume(pod, lambda volume: volume.ephemeral, "generic ephemeral volumes")


def _exclusive_disks(pod: Pod) -> str:
    return (
        _claims_or_ephemeral(pod)
        or _any_volume(pod, lambda volume: volume.gce_persistent_disk, "GCE persistent disks")
        or _any_volume(pod, lambda volume: volume.aws_elastic_block_store, "AWS EBS volumes")
        or _any_volume(pod, lambda volume: volume.rbd, "RBD volumes")
        or _any_volume(pod, lambda volume: volume.iscsi, "iSCSI volumes")
    )


def _counted_volumes(pod: Pod) -> str:
    return (
        _claims_or_ephemeral(pod)
        or _any_volume(pod, lambda volume: volume.gce_persistent_disk, "GCE persistent disks")
        or _any_volume(pod, lambda volume: volume.aws_elastic_block_store, "AWS EBS volumes")
        or _any_volume(pod, lambda volume: volume.azure_disk, "Azure disks")
        or _any_volume(pod, lambda volume: volume.cinder, "Cinder volumes")
    )


def _resource_claims(pod: Pod) -> str:
    return "resource claims" if pod.spec.resource_claims else ""


_VOLUMES: Final = ("pod.spec.volumes",)

# In the order in which they are asked: of several rules that a pod needs, the one that says most about it comes first.
NEEDS: Final[dict[Side, tuple[Need, ...]]] = {
    Side.PREDICATES: (
        Need("VolumeRestrictions", "volumes that pods may not share", _exclusive_disks, _VOLUMES),
        Need("NodeVolumeLimits", "volumes of which a node takes only so many", _counted_volumes, _VOLUMES),
        Need("VolumeZone", "volumes that belong to a zone", _claims, _VOLUMES),
        Need("DynamicResources", "resource claims", _resource_claims, ("pod.spec.resource_claims",)),
    ),
    Side.PRIORITIES: (),
}

FEATURES: Final = {side: {need.rule: need.feature for need in needs} for side, needs in NEEDS.items()}
"""By list, the rules that can be guarded, with words for the pods that need them."""
