"""NodeVolumeLimits: a node takes only so many volumes of a CSI driver, as its CSINode tells.

A volume that another pod of the node uses already costs nothing. A claim that is not bound yet counts as a volume of
its class's provisioner. Drivers without a limit, and nodes without a CSINode, take any number. As in
nodevolumelimits/csi.go, 1.36.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Pods, Rows
from pointsman.policy.volumes.attached import attached_by_driver, counts_elsewhere, driver_volumes, keeps_attached
from pointsman.policy.volumes.claims import made_for_another, used_claims, uses
from pointsman.policy.volumes.imagined import Imagined, over_limit

_EXCEEDED: Final = "node(s) exceed max volume count"


@dataclass(frozen=True, slots=True)
class State:
    """`over` is where the pod's volumes would be too many, (capacity,). With a `problem` the pod fits nowhere."""

    problem: str
    over: BoolArray
    imagined: Imagined


class NodeVolumeLimits(PredicateBase[State]):
    """Counts are columns; only a row of which other pods are imagined is counted pod by pod."""

    reads = Reads(
        frozenset({"namespace", "uid", "pod.metadata.name", "pod.spec.volumes"}), Dependence.ROW | Dependence.CLUSTER
    )

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(
            Happening.NODE_ADD
            | Happening.NODE_TAINTS
            | Happening.CSI_NODE
            | Happening.POD_DELETE
            | Happening.PERSISTENT_VOLUME_CLAIM
            | Happening.PERSISTENT_VOLUME
            | Happening.STORAGE_CLASS
            | Happening.VOLUME_ATTACHMENT_DELETE,
            _may_help,
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        if not keeps_attached(pod):
            return SKIP
        problem = _problem(pod, view)
        volumes = frozenset() if problem else frozenset(driver_volumes(pod, view.storage))
        if not volumes and not problem:
            return SKIP
        limits = {driver: view.csi_nodes.limits(driver) for driver in Counter(volume.driver for volume in volumes)}
        imagined = Imagined(volumes, limits, attached_by_driver, view)
        return State(problem, over_limit(imagined, view.attached_by_driver), imagined)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        if state.problem:
            return np.zeros(len(rows), dtype=np.bool_)
        return np.logical_not(state.over.take(rows))

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        if not any(map(keeps_attached, (*add, *remove))):
            return state
        imagined = state.imagined.with_pods(row, add, remove)
        over = imagined.over_limit_on(row)
        if over == state.over[row]:
            return replace(state, imagined=imagined)
        changed = state.over.copy()
        changed[row] = over
        return replace(state, over=changed, imagined=imagined)

    def resolvable(self, state: State, rows: Rows) -> BoolArray:
        return np.full(len(rows), not state.problem)

    def reasons(self, state: State, row: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for every row
        return (state.problem or _EXCEEDED,)


def _problem(pod: PodInfo, view: ClusterView) -> str:
    """Why the pod's volumes cannot be counted: a claim is missing, or made for another pod; empty if they can."""
    for used in used_claims(pod.pod):
        claim = view.storage.claim(pod.namespace, used.name)
        if claim is None:
            return f'looking up PVC {pod.namespace}/{used.name}: persistentvolumeclaim "{used.name}" not found'
        if problem := made_for_another(claim, used, pod):
            return problem
    return ""


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.happening & Happening.PERSISTENT_VOLUME_CLAIM:
        claim = change.view.storage.claim(*change.key)
        if claim is not None and counts_elsewhere(claim, change.view.storage):
            return True
        return uses(pod, change.key)
    if change.happening & Happening.POD_DELETE and change.pod is not None:
        return keeps_attached(change.pod)
    return True
