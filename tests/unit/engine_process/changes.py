"""Changes and wake-ups for queue tests, in one readable line each."""

from collections.abc import Mapping

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.queue.backoff import Backoff
from pointsman.engine.queue.queue import SchedulingQueue
from pointsman.engine.queue.queued_pod import Place, QueuedPod
from pointsman.engine.queue.wakeups import Wakeups, own_changes
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Change, Happening, Wakes

VIEW = Cluster()
FIT = frozenset({"NodeResourcesFit"})
TAINTS = frozenset({"TaintToleration"})
WAKES: Mapping[str, Wakes] = {
    "NodeResourcesFit": Wakes(Happening.NODE_ADD | Happening.NODE_ALLOCATABLE | Happening.POD_DELETE),
    "TaintToleration": Wakes(Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.OWN_TOLERATIONS),
}


def queue(initial: float = 1, maximum: float = 10, wakes: Mapping[str, Wakes] = WAKES) -> SchedulingQueue:
    return SchedulingQueue(Backoff(initial, maximum), Wakeups(wakes))


def change(happening: Happening, pod: PodInfo | None = None) -> Change:
    return Change(happening, VIEW, pod=pod)


def reject(waiting: SchedulingQueue, now: float, rejectors: frozenset[str] = FIT) -> QueuedPod:
    """Pop the next pod and have it rejected."""
    record = waiting.pop()
    assert record is not None
    waiting.requeue(record, rejectors, ("Insufficient cpu",), now)
    return record


def update(waiting: SchedulingQueue, new: PodInfo, now: float) -> None:
    """Deliver a new version of a pod that the queue knows."""
    record = waiting.get(new.uid)
    assert record is not None
    waiting.update(new, own_changes(record.pod, new, VIEW), now)


def place(waiting: SchedulingQueue, pod: PodInfo) -> Place:
    record = waiting.get(pod.uid)
    return Place.OUT if record is None else record.place


def popped(waiting: SchedulingQueue) -> str:
    """Name of the next pod, empty when there is none."""
    record = waiting.pop()
    return "" if record is None else record.pod.name
