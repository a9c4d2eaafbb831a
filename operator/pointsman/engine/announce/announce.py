"""What a pod's owner gets to see of its scheduling: events and the condition, in kube-scheduler's words.

Texts and fields as in kube-scheduler 1.36 (pkg/scheduler/schedule_one.go), so that people, dashboards and autoscalers
need not know who placed the pod. An event that says of a pod what the last one said is not sent again for a while:
where kube-scheduler's recorder counts up a series, a hopeless pod would otherwise bury the namespace in equal events.
Other counts of nodes alone are no news: in a busy cluster they differ at every attempt. The condition has them.
"""

import re
from typing import Any

from pointsman.engine.announce.conditions import ConditionWriter
from pointsman.engine.announce.pod_condition import Failure
from pointsman.kube.clock import Clock
from pointsman.kube.events import EventWriter
from pointsman.policy.pod import PodInfo

_NUMBERS = re.compile(r"[0-9]+")
REPEAT_SECONDS = 360.0  # when a series ends in client-go (tools/events/event_broadcaster.go, finishTime)


class Announcer:
    """Tells about the pods of one policy; the event writer's reporting controller is its schedulerName."""

    def __init__(self, events: EventWriter, conditions: ConditionWriter, clock: Clock) -> None:
        self._events = events
        self._conditions = conditions
        self._clock = clock
        self._last_failure: dict[str, tuple[str, float]] = {}  # uid -> words and when they were last an event

    def failed(self, pod: PodInfo, failure: Failure, nomination: str | None = None) -> None:
        """An attempt ended without a node. `nomination`: as in `ConditionWriter.tell`."""
        words, now = _NUMBERS.sub("", failure.message), self._clock.monotonic()
        before, since = self._last_failure.get(pod.uid, ("", 0.0))
        if words != before or now - since >= REPEAT_SECONDS:
            self._last_failure[pod.uid] = (words, now)
            self._event(pod, "Warning", "FailedScheduling", "Scheduling", failure.message)
        self._conditions.tell(pod, failure, nomination)

    def assumed(self, pod: PodInfo) -> None:
        """A node was found: an older failure that was not written yet must not be written any more."""
        self._conditions.withdraw(pod.uid)

    def bound(self, pod: PodInfo, node: str) -> None:
        """The API server acknowledged the binding."""
        self._event(pod, "Normal", "Scheduled", "Binding", f"Successfully assigned {pod.full_name} to {node}")

    def preempted(self, victim: PodInfo, preemptor: PodInfo, node: str, *, in_memory: bool = False) -> None:
        """A pod makes room for another: the API server took its eviction, or its binding was given up in time."""
        where = " (in kube-scheduler memory)." if in_memory else ""
        note = f"Preempted by pod {preemptor.uid} on node {node}{where}"
        self._event(victim, "Normal", "Preempted", "Preempting", note, related=preemptor)

    def stranded(self, pod: PodInfo, node: str) -> None:
        """The binding came through although the node was removed at the same time."""
        note = f"{pod.full_name} was assigned to node {node}, which was removed at the same time; delete the pod"
        self._event(pod, "Warning", "NodeRemoved", "Binding", note)

    def seen(self, pod: PodInfo) -> None:
        """A newer version of a pending pod was seen."""
        self._conditions.follow(pod)

    def gone(self, uid: str) -> None:
        """The pod is bound or gone for good."""
        self._last_failure.pop(uid, None)
        self._conditions.forget(uid)

    def _event(
        self, pod: PodInfo, type_: str, reason: str, action: str, note: str, related: PodInfo | None = None
    ) -> None:
        references = {"regarding": _reference(pod)}
        if related is not None:
            references["related"] = _reference(related)
        self._events.post(**references, reason=reason, note=note, type=type_, action=action)


def _reference(pod: PodInfo) -> dict[str, Any]:
    metadata = pod.pod.metadata
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": metadata.namespace,
        "name": metadata.name,
        "uid": metadata.uid,
        "resourceVersion": metadata.resource_version,
    }
