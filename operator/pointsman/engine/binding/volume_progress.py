"""How far the volume controller is with a pod's volumes, judged from what the watch shows, assumptions apart.

checkBindings, volumebinding/binder.go, kube-scheduler 1.36, whose words these are. A controller that cannot do its
part says so by undoing ours: that ends the wait.
"""

from collections.abc import Iterator

import numpy as np

from pointsman.engine.binding.reservation import Reservation
from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.known import Key, key_of
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from pointsman.policy.volumes.claims import SELECTED_NODE, is_bound
from pointsman.policy.volumes.migrated import whereabouts


class VolumeTrouble(Exception):
    """The volumes will not be bound: the pod has to be tried again."""


def all_bound(reservation: Reservation, cluster: Cluster) -> bool:
    """Whether every claim of the plan is bound. Raises VolumeTrouble."""
    row = cluster.row_of(reservation.plan.node)
    if row is None:
        raise VolumeTrouble(f'failed to get node "{reservation.plan.node}": node "{reservation.plan.node}" not found')
    return _promises_kept(reservation, cluster, row) and _provisions_made(reservation, cluster, row)


def keys_of(reservation: Reservation, cluster: Cluster) -> Iterator[Key]:
    """What to listen for: claims and volumes of the plan, and the volumes that were made since."""
    for promise in reservation.plan.promises:
        yield key_of(promise.volume)
        yield key_of(promise.claim)
    for planned in reservation.plan.provisions:
        yield key_of(planned)
        claim = cluster.storage.claims.seen(key_of(planned))
        if claim is not None and claim.spec.volume_name:
            yield ("", claim.spec.volume_name)


def _promises_kept(reservation: Reservation, cluster: Cluster, row: int) -> bool:
    for promise in reservation.plan.promises:
        name = promise.volume.metadata.name
        volume = cluster.storage.volumes.seen(("", name))
        if volume is None:
            raise VolumeTrouble(f'failed to check binding: persistentvolumes "{name}" not found')
        claim = _claim(promise.claim, cluster, "failed to check binding")
        if _is_older(volume, reservation.volume_versions.get(name, "")):
            return False
        _check_place(volume, cluster, row)
        if volume.spec.claim_ref is None or not volume.spec.claim_ref.uid:
            raise VolumeTrouble(f'ClaimRef got reset for pv "{name}"')
        if not is_bound(claim):
            return False
    return True


def _provisions_made(reservation: Reservation, cluster: Cluster, row: int) -> bool:
    for planned in reservation.plan.provisions:
        name = planned.metadata.name
        claim = _claim(planned, cluster, "failed to check provisioning pvc")
        if _is_older(claim, reservation.claim_versions.get(name, "")):
            return False
        if not claim.metadata.annotations:
            raise VolumeTrouble(f'selectedNode annotation reset for PVC "{name}"')
        if claim.metadata.annotations.get(SELECTED_NODE) != reservation.plan.node:
            raise VolumeTrouble(f'provisioning failed for PVC "{name}"')
        if claim.spec.volume_name:
            volume = cluster.storage.volumes.seen(("", claim.spec.volume_name))
            if volume is None:
                return False
            _check_place(volume, cluster, row)
        if not is_bound(claim):
            return False
    return True


def _claim(planned: PersistentVolumeClaim, cluster: Cluster, doing: str) -> PersistentVolumeClaim:
    namespace, name = planned.metadata.namespace, planned.metadata.name
    claim = cluster.storage.claims.seen((namespace, name))
    if claim is None:
        raise VolumeTrouble(f'{doing}: persistentvolumeclaims "{namespace}/{name}" not found')
    return claim


def _check_place(volume: PersistentVolume, cluster: Cluster, row: int) -> None:
    """The volume may have turned out to be elsewhere, and the node's labels may have changed."""
    if not whereabouts(volume, cluster).match(np.array([row], np.intp))[0]:
        raise VolumeTrouble(
            f'pv "{volume.metadata.name}" node affinity doesn\'t match node "{cluster.node_name(row)}":'
            " no matching NodeSelectorTerms"
        )


def _is_older(seen: PersistentVolume | PersistentVolumeClaim, written: str) -> bool:
    """Whether the watch has yet to show what was written; versions are numbers, except on servers that are not ours."""
    version = seen.metadata.resource_version
    return version.isdecimal() and written.isdecimal() and int(version) < int(written)
