"""Which existing volume each claim of a pod would get on each node.

The smallest that is large enough, unless one is set aside for the claim; small claims choose first, and what one has
chosen the others cannot have (FindMatchingVolume, component-helpers/storage/volume/pv_helpers.go, and
findMatchingVolumes, volumebinding/binder.go, 1.36). What does not depend on the node is asked once per volume.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from pointsman.policy.pod_query import NOTHING, Selector, selector_of
from pointsman.policy.selectors import SelectorError
from pointsman.policy.storage_view import StorageView
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows
from pointsman.policy.volumes.claims import claim_class, is_promised
from pointsman.policy.volumes.reach import NO_MORE, BoundPlace, Place, Reach, bind_place, in_place, reach
from pointsman.policy.volumes.sizes import capacity_of, requested_by

NONE: Final = -1
_FILESYSTEM: Final = "Filesystem"
_AVAILABLE: Final = "Available"
_EVERYTHING: Final = Selector()


@dataclass(frozen=True, slots=True)
class _Wish:
    """A claim, the volumes set aside for it, and the others that would do, smallest first; numbers of `volumes`."""

    claim: PersistentVolumeClaim
    promised: tuple[tuple[int, BoundPlace], ...]
    others: IntArray
    within: Reach


@dataclass(frozen=True, slots=True)
class Matching:
    """The claims in the order in which they choose, and all volumes that any of them may get."""

    volumes: tuple[PersistentVolume, ...]
    wishes: tuple[_Wish, ...]

    @property
    def claims(self) -> tuple[PersistentVolumeClaim, ...]:
        return tuple(wish.claim for wish in self.wishes)

    def choose(self, rows: Rows) -> IntArray:
        """int64 (len(claims), len(rows)): numbers of the volumes that the claims get, NONE where there is none."""
        chosen = np.full((len(self.wishes), len(rows)), NONE)
        for number, wish in enumerate(self.wishes):
            chosen[number] = _choice(wish, rows, chosen[:number])
        return chosen


def match_claims(claims: Sequence[PersistentVolumeClaim], view: ClusterView) -> Matching:
    """Prepare the choice for some claims of one pod."""
    volumes: dict[str, PersistentVolume] = {}
    numbers: dict[str, int] = {}
    wishes = []
    for claim in sorted(claims, key=requested_by):
        promised, others = _suitable(claim, view.storage)
        for volume in (*promised, *others):
            numbers.setdefault(volume.metadata.name, len(numbers))
            volumes[volume.metadata.name] = volume
        wishes.append(
            _Wish(
                claim,
                tuple((numbers[volume.metadata.name], bind_place(volume_place(volume), view)) for volume in promised),
                np.array([numbers[volume.metadata.name] for volume in others], np.int64),
                reach(view, map(volume_place, others), depth=len(claims)),
            )
        )
    return Matching(tuple(volumes.values()), tuple(wishes))


def volume_place(volume: PersistentVolume) -> Place:
    """Where a volume can be used."""
    affinity = volume.spec.node_affinity
    return None if affinity is None or affinity.required is None else affinity.required.node_selector_terms


def _choice(wish: _Wish, rows: Rows, earlier: IntArray) -> IntArray:
    """What one claim gets where earlier ones have chosen: int64 (len(rows),)."""
    choice = np.full(len(rows), NONE)
    undecided = np.ones(len(rows), np.bool_)
    for number, place in wish.promised:
        decided = undecided & ~_taken(np.full(len(rows), number), earlier)
        choice[decided & in_place(place, rows)] = number
        undecided &= ~decided
    if len(wish.others) and undecided.any():
        for place_in_order in wish.within.first(rows).T:
            there = undecided & (place_in_order != NO_MORE)
            volume = wish.others.take(np.where(there, place_in_order, 0))
            free = there & ~_taken(volume, earlier)
            choice[free] = volume[free]
            undecided &= ~free
    return choice


def _taken(volume: IntArray, earlier: IntArray) -> BoolArray:
    taken: BoolArray = (earlier == volume).any(axis=0)
    return taken


def _suitable(
    claim: PersistentVolumeClaim, storage: StorageView
) -> tuple[list[PersistentVolume], list[PersistentVolume]]:
    """Volumes that would do wherever they can be used: those set aside for the claim, and others by their size."""
    selector, size = _selector(claim), requested_by(claim)
    promised: list[PersistentVolume] = []
    others: list[tuple[int, PersistentVolume]] = []
    for volume in storage.volumes_of_class(claim_class(claim)):
        ours = is_promised(volume, claim)
        if not ours and (volume.spec.claim_ref is not None or not _available(claim, volume, selector)):
            continue
        capacity = capacity_of(volume)
        if capacity is None or capacity < size or not _alike(claim, volume):
            continue
        if ours:
            promised.append(volume)
        else:
            others.append((capacity.nanos, volume))
    return promised, [volume for _, volume in sorted(others, key=lambda entry: entry[0])]


def _alike(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    return (
        (claim.spec.volume_mode or _FILESYSTEM) == (volume.spec.volume_mode or _FILESYSTEM)
        and (claim.spec.volume_attributes_class_name or "") == (volume.spec.volume_attributes_class_name or "")
        and volume.metadata.deletion_timestamp is None
    )


def _available(claim: PersistentVolumeClaim, volume: PersistentVolume, selector: Selector) -> bool:
    return (
        volume.status.phase == _AVAILABLE
        and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
        and selector.matches(volume.metadata.labels)
    )


def _selector(claim: PersistentVolumeClaim) -> Selector:
    """Which volumes the claim asks for by label; one that cannot be read gets none."""
    if claim.spec.selector is None:
        return _EVERYTHING
    try:
        return selector_of(claim.spec.selector)
    except SelectorError:
        return NOTHING
