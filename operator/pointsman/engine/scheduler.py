"""The scheduler of one policy, as the rest of the process sees it.

It follows what the watch shows of the policy's pods, and tells how things stand: the report for the Lease, the gauges
for Prometheus. Which pod is whose, and what every policy must hear of, `intake` decides.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from pointsman.api.report import ProfileReport
from pointsman.engine.announce.announce import Announcer
from pointsman.engine.attempts import Attempts
from pointsman.engine.nominations import tell_of_end
from pointsman.engine.policy_state import Surroundings, policy_state
from pointsman.engine.queue.queued_pod import Place
from pointsman.engine.queue.wakeups import own_changes
from pointsman.engine.report.metrics import Reading
from pointsman.engine.report.reporting import top_reasons
from pointsman.engine.report.statistics import Statistics
from pointsman.kube.clock import Clock
from pointsman.policy.document import short_hash
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Change


class PolicyScheduler:
    """One policy at work. Times are read from the shared clock."""

    def __init__(self, policy: Policy, announcer: Announcer, around: Surroundings) -> None:
        self.policy = policy
        self._state = policy_state(policy, around.cluster, around.metrics)
        self._attempts = Attempts(self._state, announcer, around)
        self._announcer = announcer
        self._around = around

    @property
    def profile(self) -> str:
        return self.policy.profile

    @property
    def statistics(self) -> Statistics:
        return self._state.statistics

    @property
    def clock(self) -> Clock:
        return self._around.clock

    def pod_pending(self, pod: PodInfo) -> None:
        """A pod of ours has no node: a new one, or a newer version of one that is known."""
        assumption = self._state.assumed.get(pod.uid)
        if assumption is not None:
            ending = pod.terminating and not assumption.pod.terminating
            assumption.pod = pod
            if ending:  # the API server refuses to bind it; its room is free at once
                self._around.broadcast(self._around.cluster.forget(pod.uid))
            assumption.on_news()
            return
        self._announcer.seen(pod)
        record, now = self._state.queue.get(pod.uid), self.clock.monotonic()
        if pod.terminating:
            self._state.queue.delete(pod.uid)
        elif record is None:
            self._state.queue.add(pod, now)
        else:
            self._state.queue.update(pod, own_changes(record.pod, pod, self._around.cluster), now)
        tell_of_end(self._around.nominator.update(pod), self._around)

    def pod_assigned(self, pod: PodInfo) -> None:
        """A pod has its node, whoever gave it."""
        assumption = self._state.assumed.get(pod.uid)
        if assumption is not None:
            assumption.pod = pod
            assumption.on_news()
            if assumption.acknowledged:
                del self._state.assumed[pod.uid]
        self._let_go(pod.uid)

    def pod_gone(self, uid: str) -> None:
        """A pod was deleted, or has finished."""
        assumption = self._state.assumed.get(uid)
        if assumption is not None:
            assumption.gone = True
            assumption.on_news()
            if assumption.acknowledged:
                del self._state.assumed[uid]
        self._let_go(uid)

    def node_removed(self, node: str) -> None:
        """A node is gone; pods that were bound to it a moment ago ended nowhere."""
        for pod in self._state.recent.take(node, self.clock.monotonic()):
            self._attempts.stranded(pod, node)
        for assumption in self._state.assumed.values():
            if assumption.node == node:
                assumption.on_news()

    def changed(self, changes: Iterable[Change]) -> None:
        """Wake the pods that these changes of the cluster may help."""
        now = self.clock.monotonic()
        for change in changes:
            self._state.queue.on_change(change, now)

    def flush(self) -> None:
        """Move pods whose time has come."""
        self._state.queue.flush(self.clock.monotonic())

    def has_next(self) -> bool:
        """Whether there is a pod to try."""
        return self._state.queue.has_next()

    def schedule_next(self) -> None:
        """Try one pod, if there is one."""
        self._attempts.make_one()

    def report(self) -> ProfileReport:
        """How things stand, for the Lease."""
        queue = self._state.queue
        report = self.statistics.report(short_hash(self.policy.hash), queue.pending(), top_reasons(queue.records()))
        return msgspec.structs.replace(report, notes=self._around.notes(self.policy.document))

    def readings(self) -> Iterator[Reading]:
        """How things stand, for Prometheus."""
        pending = self._state.queue.pending()
        for place in (Place.ACTIVE, Place.BACKOFF, Place.UNSCHEDULABLE, Place.GATED):
            yield Reading("scheduler_pending_pods", (place.value,), getattr(pending, place.value))
        waiting = (record for record in self._state.queue.records() if record.place is not Place.IN_FLIGHT)
        for plugin, pods in Counter(name for record in waiting for name in record.rejectors).items():
            yield Reading("scheduler_unschedulable_pods", (plugin, self.policy.profile), pods)
        yield Reading("scheduler_cache_size", ("assumed_pods",), len(self._state.assumed))

    def _let_go(self, uid: str) -> None:
        self._state.queue.delete(uid)
        self._announcer.gone(uid)
        tell_of_end(self._around.nominator.remove(uid), self._around)
