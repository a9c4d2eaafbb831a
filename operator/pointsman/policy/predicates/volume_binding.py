"""VolumeBinding: a pod runs only where its claims' volumes are, or where they can be had (volumebinding/, 1.36).

Other pods on a node make no difference, so preemption cannot help. What each claim would get is worked out again for
the chosen row when it is reserved: nothing that was chosen for other rows is kept. There is no priority half, because
StorageCapacityScoring is off.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Rows
from pointsman.policy.volume_binding_args import VolumeBindingArgs
from pointsman.policy.volumes.claims import SELECTED_NODE, uses
from pointsman.policy.volumes.matching import NONE, Matching, match_claims
from pointsman.policy.volumes.migrated import Whereabouts, whereabouts
from pointsman.policy.volumes.plan import VolumePlan, promise, with_node
from pointsman.policy.volumes.provisioning import Provisioning, provisioning
from pointsman.policy.volumes.sorting import PodClaims, sort_claims

_REASONS: Final = (  # in the order in which they are told
    "node(s) didn't match PersistentVolume's node affinity",
    "node(s) didn't find available persistent volumes to bind",
    "node(s) did not have enough free storage",
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
)
_NOWHERE: Final = -1


class Faults(NamedTuple):
    """Rows that each reason stands against, each bool (len(rows),); in the order of the reasons."""

    elsewhere: BoolArray
    unmatched: BoolArray
    full: BoolArray
    missing: BoolArray

    def any(self) -> BoolArray:
        return self.elsewhere | self.unmatched | self.full | self.missing


@dataclass(frozen=True, slots=True)
class State:
    """A pod's claims and what there is for them, bound to the columns of one view."""

    claims: PodClaims
    places: tuple[Whereabouts, ...]  # of the volumes of bound claims, up to the first that is missing
    missing: bool  # a bound claim's volume is not there
    only: int | None  # the row that claims were given; _NOWHERE if they disagree or it is gone
    matching: Matching
    provisionings: tuple[Provisioning, ...]  # of the given claims, then of those to be matched in their order
    view: ClusterView


class VolumeBinding(PredicateBase[State]):
    """Waits for the volume controller at most `bindTimeoutSeconds`."""

    reads = Reads(
        frozenset({"namespace", "uid", "pod.metadata.name", "pod.spec.volumes"}), Dependence.ROW | Dependence.CLUSTER
    )

    def __init__(self, name: str, args: VolumeBindingArgs) -> None:
        self.name = name
        self._timeout = args.bind_timeout_seconds
        self.wakes_on = Wakes(
            Happening.NODE_ADD
            | Happening.NODE_TAINTS
            | Happening.NODE_LABELS
            | Happening.STORAGE_CLASS
            | Happening.PERSISTENT_VOLUME_CLAIM
            | Happening.PERSISTENT_VOLUME
            | Happening.CSI_NODE
            | Happening.CSI_DRIVER
            | Happening.CSI_STORAGE_CAPACITY,
            _may_help,
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip | Reject:
        if not pod.pod.spec.volumes:
            return SKIP
        claims = sort_claims(pod, view.storage)
        if isinstance(claims, Reject):
            return claims
        if claims.empty:
            return SKIP
        places, missing = _places(claims, view)
        matching = match_claims(claims.open, view)
        wanting = (*claims.given, *matching.claims)
        provisionings = tuple(provisioning(claim, view) for claim in wanting)
        return State(claims, places, missing, _only(claims, view), matching, provisionings, view)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        return ~_faults(state, rows).any()

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return tuple(self.count_reasons(state, np.array([row], np.intp)))

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        counts = (int(np.count_nonzero(fault)) for fault in _faults(state, rows))
        return {reason: count for reason, count in zip(_REASONS, counts, strict=True) if count}

    def reserve(self, state: State, row: int) -> VolumePlan | None:
        """What to write for the open claims; None when all are bound. The row must be feasible."""
        if not state.claims.open and not state.claims.given:
            return None
        matching, node = state.matching, state.view.node_name(row)
        chosen = matching.choose(np.array([row], np.intp))[:, 0].tolist()
        matched = list(zip(matching.claims, chosen, strict=True))
        provisions = (*state.claims.given, *(claim for claim, volume in matched if volume == NONE))
        return VolumePlan(
            node,
            tuple(promise(matching.volumes[volume], claim) for claim, volume in matched if volume != NONE),
            tuple(with_node(claim, node) for claim in provisions),
            self._timeout,
        )


def _places(claims: PodClaims, view: ClusterView) -> tuple[tuple[Whereabouts, ...], bool]:
    """Where the volumes of bound claims are, up to the first that does not exist; and whether one does not."""
    places: list[Whereabouts] = []
    for claim in claims.bound:
        volume = view.storage.volume(claim.spec.volume_name)
        if volume is None:
            return tuple(places), True
        places.append(whereabouts(volume, view))
    return tuple(places), False


def _only(claims: PodClaims, view: ClusterView) -> int | None:
    nodes = {claim.metadata.annotations[SELECTED_NODE] for claim in claims.given}
    if not nodes:
        return None
    row = view.row_of(nodes.pop())
    return _NOWHERE if nodes or row is None else row


def _faults(state: State, rows: Rows) -> Faults:
    """FindPodVolumes, volumebinding/binder.go: of bound claims and of others, the first that fails tells why."""
    there = np.ones(len(rows), np.bool_)
    for place in state.places:
        there &= place.match(rows)
    unmatched, full = _unprovided(state, rows)
    return Faults(~there, unmatched, full, there & state.missing)


def _unprovided(state: State, rows: Rows) -> tuple[BoolArray, BoolArray]:
    """Rows without a volume for some claim, and rows without room for a new one."""
    fine = np.ones(len(rows), np.bool_) if state.only is None else rows == state.only
    unmatched, full = ~fine, np.zeros(len(rows), np.bool_)
    if not state.provisionings or not fine.any():
        return unmatched, full
    given = np.ones((len(state.claims.given), len(rows)), np.bool_)
    wanting = np.concatenate((given, state.matching.choose(rows) == NONE))
    for question, asked in zip(state.provisionings, wanting, strict=True):
        refused = fine & asked & ~question.allowed(rows)
        lacking = fine & asked & ~refused & ~question.enough(rows)
        unmatched |= refused
        full |= lacking
        fine &= ~(refused | lacking)
    return unmatched, full


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.happening & Happening.PERSISTENT_VOLUME_CLAIM:
        return uses(pod, change.key)
    if change.happening & Happening.CSI_DRIVER:
        driver = change.view.storage.csi_driver(change.key[1])
        return driver is None or not driver.spec.storage_capacity
    return True
