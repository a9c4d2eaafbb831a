"""VolumeRestrictions: a disk that only one pod of a node may write, and claims that only one pod at all may use.

volumerestrictions/volume_restrictions.go, 1.36. Both can be mended by preemption, so the state counts what stands in
the way, row by row for disks and over the whole cluster for claims. When it imagines pods away, kube-scheduler goes by
the name of a claim alone; so does this, although a pod of another namespace may then be evicted in vain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, Rows
from pointsman.policy.volumes.claims import named_claims, names, used_claims
from pointsman.policy.volumes.disks import Disk, clash, disks_of

_DISK: Final = "node(s) had no available disk"
_CLAIM: Final = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
_ONE_POD: Final = "ReadWriteOncePod"


@dataclass(frozen=True, slots=True)
class State:
    """`clashes` is how many pods of each row have one of the disks, (capacity,); `in_use` how often others use the
    exclusive claims."""

    disks: tuple[Disk, ...]
    clashes: IntArray
    exclusive: frozenset[str]  # claims for one pod
    in_use: int


class VolumeRestrictions(PredicateBase[State]):
    """Looks only at rows that have pods with disks."""

    preemptible = True
    reads = Reads(frozenset({"namespace", "pod.spec.volumes"}), Dependence.ROW | Dependence.CLUSTER)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(
            Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.POD_DELETE | Happening.PERSISTENT_VOLUME_CLAIM,
            _may_help,
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip | Reject:
        if not pod.pod.spec.volumes:
            return SKIP
        exclusive = _exclusive_claims(pod, view)
        if isinstance(exclusive, Reject):
            return exclusive
        disks = disks_of(pod.pod)
        in_use = sum(bool(view.storage.claim_users(pod.namespace, name)) for name in exclusive)
        if not disks and not in_use:
            return SKIP
        clashes = np.zeros(view.capacity, dtype=np.int64)
        if disks:
            for row, pods in view.pods_with_disks().items():
                clashes[row] = _clashing(disks, pods)
        return State(disks, clashes, exclusive, in_use)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        if state.in_use > 0:
            return np.zeros(len(rows), dtype=np.bool_)
        free: BoolArray = state.clashes.take(rows) == 0
        return free

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        in_use = state.in_use + _uses(state, add) - _uses(state, remove)
        change = _clashing(state.disks, add) - _clashing(state.disks, remove)
        if not change:
            return state if in_use == state.in_use else replace(state, in_use=in_use)
        clashes = state.clashes.copy()
        clashes[row] += change
        return replace(state, clashes=clashes, in_use=in_use)

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return (_DISK if state.clashes[row] > 0 else _CLAIM,)

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        clashing = int(np.count_nonzero(state.clashes.take(rows) > 0))
        counts = {_DISK: clashing, _CLAIM: len(rows) - clashing}
        return {reason: count for reason, count in counts.items() if count}


def _exclusive_claims(pod: PodInfo, view: ClusterView) -> frozenset[str] | Reject:
    """Names of the pod's claims that only one pod may use; all claims that it names have to exist."""
    exclusive = set()
    for used in used_claims(pod.pod):
        if used.ephemeral:
            continue
        claim = view.storage.claim(pod.namespace, used.name)
        if claim is None:
            return Reject((f'persistentvolumeclaim "{used.name}" not found',))
        if _ONE_POD in claim.spec.access_modes:
            exclusive.add(used.name)
    return frozenset(exclusive)


def _clashing(disks: Sequence[Disk], pods: Pods) -> int:
    return sum(clash(disks, disks_of(pod.pod)) for pod in pods) if disks else 0


def _uses(state: State, pods: Pods) -> int:
    """How often these pods use the exclusive claims."""
    if not state.exclusive:
        return 0
    return sum(not used.ephemeral and used.name in state.exclusive for pod in pods for used in used_claims(pod.pod))


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.happening & Happening.PERSISTENT_VOLUME_CLAIM:
        return names(pod, change.key)
    if not change.happening & Happening.POD_DELETE or change.pod is None:
        return True
    shared = named_claims(pod.pod) & named_claims(change.pod.pod) if change.pod.namespace == pod.namespace else ()
    return bool(shared) or clash(disks_of(pod.pod), disks_of(change.pod.pod))
