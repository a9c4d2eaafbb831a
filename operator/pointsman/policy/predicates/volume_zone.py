"""VolumeZone: a pod runs only in the zone or region that the labels of its volumes name (volumezone/, 1.36).

Labels of the older kind on a volume are met by either kind on a node. A node without any such label takes every pod:
its cluster has no zones. Other pods make no difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.storage_view import StorageView
from pointsman.policy.topology_labels import DELIMITER, OLD_REGION, OLD_ZONE, REGION, ZONE
from pointsman.policy.view import BoolArray, ClusterView, LabelColumn, Rows
from pointsman.policy.volumes.claims import claim_class, names, used_claims, waits_for_a_pod

_NEWER: Final = {
    OLD_ZONE: ZONE,
    OLD_REGION: REGION,
}
_KEYS: Final = (*_NEWER, *_NEWER.values())


class Topology(NamedTuple):
    """A label of a volume: its key, and the values of which a node must have one."""

    key: str
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class State:
    """`zoned` are rows with any of the labels, `allowed` those on which every volume can be attached, (capacity,)."""

    zoned: BoolArray
    allowed: BoolArray


class VolumeZone(PredicateBase[State]):
    """Works out all rows at once: volumes name few zones."""

    reason = "node(s) had no available volume zone"
    reads = Reads(frozenset({"namespace", "pod.spec.volumes"}), Dependence.ROW | Dependence.CLUSTER)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(
            Happening.NODE_ADD
            | Happening.NODE_TAINTS
            | Happening.NODE_LABELS
            | Happening.STORAGE_CLASS
            | Happening.PERSISTENT_VOLUME_CLAIM
            | Happening.PERSISTENT_VOLUME,
            _may_help,
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip | Reject:
        topologies: set[Topology] = set()
        for used in used_claims(pod.pod):
            volume = None if used.ephemeral else _volume_of(used.name, pod.namespace, view.storage)
            if isinstance(volume, Reject):
                return volume
            topologies.update(_topologies(volume))
        if not topologies:
            return SKIP
        zoned = np.logical_or.reduce([view.labels(key).ids >= 0 for key in _KEYS])
        return State(zoned, np.logical_and.reduce([_allowed(topology, view) for topology in topologies]))

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        return np.logical_not(state.zoned.take(rows)) | state.allowed.take(rows)


def _volume_of(name: str, namespace: str, storage: StorageView) -> PersistentVolume | Reject | None:
    """The volume of a claim, None while it waits for a pod; or why there is none."""
    if not name:
        return Reject(("PersistentVolumeClaim had no name",))
    claim = storage.claim(namespace, name)
    if claim is None:
        return Reject((f'persistentvolumeclaim "{name}" not found',))
    if not claim.spec.volume_name:
        problem = _unbound(claim, storage)
        return Reject((problem,)) if problem else None
    volume = storage.volume(claim.spec.volume_name)
    return Reject((f'persistentvolume "{claim.spec.volume_name}" not found',)) if volume is None else volume


def _unbound(claim: PersistentVolumeClaim, storage: StorageView) -> str:
    """Why a claim without a volume keeps the pod from running; empty if it only waits for the pod."""
    name = claim_class(claim)
    if not name:
        return "PersistentVolumeClaim had no pv name and storageClass name"
    storage_class = storage.storage_class(name)
    if storage_class is None:
        return f'storageclass.storage.k8s.io "{name}" not found'
    if not storage_class.volume_binding_mode:
        return f'VolumeBindingMode not set for StorageClass "{name}"'
    return "" if waits_for_a_pod(storage_class) else "PersistentVolume had no name"


def _topologies(volume: PersistentVolume | None) -> Iterator[Topology]:
    """What the volume's labels name; a label with an empty part says nothing."""
    labels = {} if volume is None else volume.metadata.labels
    for key in _KEYS:
        values = [value.strip() for value in labels.get(key, "").split(DELIMITER)]
        if all(values):
            yield Topology(key, frozenset(values))


def _allowed(topology: Topology, view: ClusterView) -> BoolArray:
    """Rows whose label is one of the values; the newer label stands in where a row lacks the older one."""
    own = view.labels(topology.key)
    allowed = _has_one(own, topology.values)
    newer = _NEWER.get(topology.key)
    if newer is not None:
        allowed |= (own.ids < 0) & _has_one(view.labels(newer), topology.values)
    return allowed


def _has_one(column: LabelColumn, values: frozenset[str]) -> BoolArray:
    table = np.array([*(value in values for value in column.values), False])  # id -1, no label, is the last
    return table.take(column.ids)


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.happening & Happening.PERSISTENT_VOLUME_CLAIM:
        return names(pod, change.key)
    return True
