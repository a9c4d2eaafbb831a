"""What the four Max…VolumeCount predicates of old Policy files share: a limit on volumes of one built-in kind.

nodevolumelimits/non_csi.go, 1.22. The node's allocatable tells the limit where it names one, else the rule's default
does. On nodes where a CSI driver serves the kind the rule has nothing to say: there NodeVolumeLimits counts. The
environment variable KUBE_MAX_PD_VOLS of kube-scheduler has no counterpart, and an allocatable of 0 counts as absent.
"""

from dataclasses import dataclass, replace

import numpy as np

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.storage_view import NO_LIMIT
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, Rows
from pointsman.policy.volumes.attached import attached_by_kind, keeps_attached, kind_volumes
from pointsman.policy.volumes.claims import uses
from pointsman.policy.volumes.imagined import Imagined, over_limit


@dataclass(frozen=True, slots=True)
class State:
    """Where the pod's volumes would be too many, (capacity,)."""

    over: BoolArray
    imagined: Imagined


class MaxVolumeCount(PredicateBase[State]):
    """`plugin` is the kind, named as a provisioner; `resource` the allocatable that tells a node's limit."""

    reason = "node(s) exceed max volume count"
    preemptible = True
    reads = Reads(frozenset({"namespace", "pod.spec.volumes"}), Dependence.ROW | Dependence.CLUSTER)

    def __init__(self, name: str, plugin: str, resource: str, default: int) -> None:
        self.name = name
        self._plugin = plugin
        self._resource = resource
        self._default = default
        self.wakes_on = Wakes(
            Happening.NODE_ADD
            | Happening.NODE_TAINTS
            | Happening.NODE_LABELS
            | Happening.NODE_ALLOCATABLE
            | Happening.POD_DELETE
            | Happening.CSI_NODE
            | Happening.PERSISTENT_VOLUME_CLAIM
            | Happening.PERSISTENT_VOLUME,
            _may_help,
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        volumes = frozenset(volume for volume in kind_volumes(pod, view.storage) if volume.driver == self._plugin)
        if not volumes:
            return SKIP
        told = view.allocatable(self._resource)
        limits = np.where(told > 0, told, self.defaults(view))
        limits[view.csi_nodes.migrated(self._plugin)] = NO_LIMIT
        imagined = Imagined(volumes, {self._plugin: limits}, attached_by_kind, view)
        return State(over_limit(imagined, view.attached_by_kind), imagined)

    def defaults(self, view: ClusterView) -> IntArray:
        """The limit of each row that does not tell its own: int64 (capacity,)."""
        return np.full(view.capacity, self._default, dtype=np.int64)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        return np.logical_not(state.over.take(rows))

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        if not any(map(keeps_attached, (*add, *remove))):
            return state
        imagined = state.imagined.with_pods(row, add, remove)
        over = state.over.copy()
        over[row] = imagined.over_limit_on(row)
        return replace(state, over=over, imagined=imagined)


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.happening & Happening.PERSISTENT_VOLUME_CLAIM:
        return uses(pod, change.key)
    if change.happening & Happening.POD_DELETE and change.pod is not None:
        return keeps_attached(change.pod)
    return True
