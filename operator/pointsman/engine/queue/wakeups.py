"""Which change is worth another attempt, and what an update of a waiting pod means.

A rejected pod waits for a change that the predicates which rejected it have named (`Predicate.wakes_on`); everything
else leaves it alone, so that heartbeats of nodes never put hopeless pods in front of others. In doubt a pod is woken:
one attempt too many costs less than five minutes of waiting. After isPodWorthRequeuing of kube-scheduler 1.36
(pkg/scheduler/backend/queue/scheduling_queue.go) and its split of updates (pkg/scheduler/framework/events.go).
"""

import logging
from collections.abc import Iterable, Mapping

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Change, Happening, Wakes
from pointsman.policy.view import ClusterView

logger = logging.getLogger(__name__)

GATES_REJECTOR = "SchedulingGates"
NAMESPACE_REJECTOR = "pods.namespaceSelector"  # not a predicate: the profile does not serve the pod's namespace
UNREADABLE_REJECTOR = "pod.spec"  # nor is this: a field of the pod could not be read

_OWN = Happening.OWN_TOLERATIONS | Happening.OWN_GATES_ELIMINATED | Happening.OWN_UPDATE
_ANYTHING = Wakes(on=~Happening(0))
_OUTSIDE_PREDICATES: Mapping[str, Wakes] = {
    GATES_REJECTOR: Wakes(on=Happening.OWN_GATES_ELIMINATED),
    NAMESPACE_REJECTOR: Wakes(on=Happening.NAMESPACE),
    UNREADABLE_REJECTOR: Wakes(on=_OWN),
}

# Values of the metric label `event` (pkg/scheduler/framework/events.go, 1.36). What does not tell Add from Update is an
# Update.
_LABELS: Mapping[Happening, str] = {
    Happening.NODE_ADD: "NodeAdd",
    Happening.NODE_ALLOCATABLE: "NodeUpdateNodeAllocatable",
    Happening.NODE_LABELS: "NodeUpdateNodeLabel",
    Happening.NODE_TAINTS: "NodeUpdateNodeTaint",
    Happening.NODE_DELETE: "NodeDelete",
    Happening.NODE_IMAGES: "NodeUpdate",
    Happening.POD_DELETE: "AssignedPodDelete",
    Happening.POD_ADD: "AssignedPodAdd",
    Happening.POD_LABELS: "AssignedPodUpdatePodLabel",
    Happening.POD_SCALE_DOWN: "AssignedPodUpdatePodScaleDown",
    Happening.OWN_TOLERATIONS: "UnschedulablePodUpdatePodToleration",
    Happening.OWN_GATES_ELIMINATED: "UnschedulablePodUpdatePodSchedulingGatesEliminated",
    Happening.OWN_UPDATE: "UnschedulablePodUpdate",
    Happening.NAMESPACE: "NamespaceUpdate",
    Happening.NODE_FEATURES: "NodeUpdateNodeDeclaredFeature",
    Happening.PERSISTENT_VOLUME_CLAIM: "PersistentVolumeClaimUpdate",
    Happening.PERSISTENT_VOLUME: "PersistentVolumeUpdate",
    Happening.STORAGE_CLASS: "StorageClassUpdate",
    Happening.CSI_NODE: "CSINodeUpdate",
    Happening.CSI_DRIVER: "CSIDriverUpdate",
    Happening.CSI_STORAGE_CAPACITY: "CSIStorageCapacityUpdate",
    Happening.VOLUME_ATTACHMENT_DELETE: "VolumeAttachmentDelete",
}


class Wakeups:
    """What each rejector of one policy waits for. A rejector that names nothing is woken by everything."""

    def __init__(self, wakes: Mapping[str, Wakes]) -> None:
        self._wakes = {**_OUTSIDE_PREDICATES, **wakes}

    def caring(self, rejectors: frozenset[str], change: Change) -> tuple[Wakes, ...]:
        """What some of these rejectors have named and this change of the cluster is; hints have yet to look closer.

        Asked once for all pods of the same rejectors, because thousands of them may wait.
        """
        return () if _is_about_a_waiting_pod(change) else self._caring(rejectors, change)

    def worth(self, pod: PodInfo, rejectors: frozenset[str], change: Change) -> bool:
        """Whether this change may make the pod schedulable."""
        if _is_about_a_waiting_pod(change) and (change.pod is None or change.pod.uid != pod.uid):
            return False
        return not rejectors or may_help(pod, self._caring(rejectors, change), change)

    def _caring(self, rejectors: frozenset[str], change: Change) -> tuple[Wakes, ...]:
        return tuple(wakes for wakes in map(self._of, rejectors) if wakes.on & change.happening)

    def _of(self, rejector: str) -> Wakes:
        return self._wakes.get(rejector, _ANYTHING)


def may_help(pod: PodInfo, caring: Iterable[Wakes], change: Change) -> bool:
    """Whether a change may make a pod schedulable, in the eyes of any of those that care for its kind."""
    return any(_hint(wakes, pod, change) for wakes in caring)


def event_label(happening: Happening) -> str:
    """kube-scheduler's name of a change, as in the metric queue_incoming_pods_total."""
    return next((label for kind, label in _LABELS.items() if kind & happening), "Unknown")


def own_changes(old: PodInfo, new: PodInfo, view: ClusterView) -> tuple[Change, ...]:
    """What an update of a waiting pod changed; nothing for status and annotations, which decide nothing."""
    happenings = list(_own_happenings(old, new))
    return tuple(Change(happening, view, pod=new, old_pod=old) for happening in happenings)


def _own_happenings(old: PodInfo, new: PodInfo) -> Iterable[Happening]:
    if old.gates and not new.gates:
        yield Happening.OWN_GATES_ELIMINATED
    # Validation lets users add tolerations, never change or remove them: the count tells.
    if len(old.pod.spec.tolerations) != len(new.pod.spec.tolerations):
        yield Happening.OWN_TOLERATIONS
    if any(amount > new.requests.get(resource, 0) for resource, amount in old.requests.items()):
        yield Happening.POD_SCALE_DOWN
    if old.pod.spec != new.pod.spec or old.pod.metadata.labels != new.pod.metadata.labels:
        yield Happening.OWN_UPDATE


def _is_about_a_waiting_pod(change: Change) -> bool:
    """An assigned pod can shrink as well as a waiting one; only the latter has no node."""
    if change.happening & _OWN:
        return True
    shrunk = change.pod if change.happening & Happening.POD_SCALE_DOWN else None
    return shrunk is not None and not shrunk.node_name


def _hint(wakes: Wakes, pod: PodInfo, change: Change) -> bool:
    if wakes.hint is None:
        return True
    try:
        return wakes.hint(pod, change)
    except Exception:  # a hint may be a user's code: whatever it raises, the pod is better tried than forgotten
        logger.exception("queueing hint failed", extra={"pod": pod.full_name})
        return True
