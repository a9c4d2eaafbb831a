"""One attempt from beginning to end: pop, decide, assume, and what follows from how the binding ended.

Both halves are synchronous: a decision sees one state of the world from beginning to end, and so does a settlement.
What is to be written goes to the announcer and the binder.
"""

import logging

from pointsman.engine.announce.announce import Announcer
from pointsman.engine.announce.pod_condition import Failure, FailureReason
from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.reservation import Reservation
from pointsman.engine.binding.verdict import Outcome, Verdict, judge
from pointsman.engine.classes.classes import Classes
from pointsman.engine.cycle.cycle import Decision
from pointsman.engine.cycle.rule_error import RuleError
from pointsman.engine.nominations import tell_of_end
from pointsman.engine.policy_state import PolicyState, Surroundings
from pointsman.engine.preemption.following import Preemptions
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.engine.queue.wakeups import NAMESPACE_REJECTOR, UNREADABLE_REJECTOR
from pointsman.policy.pod import PodInfo
from pointsman.policy.volumes.plan import VolumePlan

logger = logging.getLogger(__name__)


class Attempts:
    """Makes the attempts of one policy."""

    def __init__(self, state: PolicyState, announcer: Announcer, around: Surroundings) -> None:
        self._state = state
        self._announcer = announcer
        self._around = around
        self._classes = Classes(state.policy)
        self._preemptions = Preemptions(state, announcer, around)
        self._profile = state.policy.profile

    def make_one(self) -> None:
        """Try the next pod, if there is one."""
        record = self._state.queue.pop()
        if record is None:
            return
        if self._around.cluster.placement(record.uid) is not None:
            self._state.queue.done(record)  # it found a node by another way
            return
        started = self._now()
        try:
            decision = self._decide(record.pod)
        except RuleError as error:  # rules may be users' code: one that raises costs its pod an attempt, no more
            logger.debug("trace of the failed rule", exc_info=error, extra=self._about(record.pod))
            self._fail(record, started, str(error))
            return
        except Exception as error:
            logger.exception("a decision failed", extra=self._about(record.pod))
            self._fail(record, started, f"internal error: {type(error).__name__}: {error}")
            return
        self._around.metrics.algorithm_seconds.observe(self._now() - started)
        if decision.row is None:
            self._reject(record, started, decision)
        else:
            self._assume(record, started, decision)

    def settle(self, assumption: Assumption, outcome: Outcome) -> None:
        """The binder knows how a binding ended. What the watch has shown meanwhile counts more than a failure."""
        verdict = outcome.verdict
        if verdict in (Verdict.FAILED, Verdict.WITHHELD):
            seen = judge(None if assumption.gone else assumption.pod.pod, assumption.uid, assumption.node)
            verdict = verdict if seen is Verdict.FAILED else seen
        if verdict is Verdict.BOUND:
            self._confirm(assumption)
            return
        del self._state.assumed[assumption.uid]
        self._around.broadcast(self._around.cluster.forget(assumption.uid))
        if assumption.reservation is not None:
            self._around.broadcast(assumption.reservation.release())
        record = assumption.queued
        record.pod = assumption.pod
        if verdict is Verdict.FAILED:
            self._fail(record, assumption.started, outcome.message)
        elif verdict is Verdict.WITHHELD:
            self._state.queue.requeue(record, frozenset(), (), self._now())
        elif verdict is Verdict.ELSEWHERE:
            logger.warning("bound by somebody else", extra=self._about(assumption.pod))
            self._state.statistics.bind_conflict()
            self._around.metrics.bind_conflicts.labels(self._profile).inc()

    def stranded(self, pod: PodInfo, node: str) -> None:
        """A pod was bound to a node that no longer exists."""
        logger.warning("bound to a node that was removed", extra=self._about(pod, node))
        self._around.metrics.stranded.labels(self._profile).inc()
        self._announcer.stranded(pod, node)

    def _decide(self, pod: PodInfo) -> Decision:
        policy, cluster = self._state.policy, self._around.cluster
        if pod.errors:
            return _refused("; ".join(pod.errors), UNREADABLE_REJECTOR)
        if policy.serves is not None and not policy.serves(cluster.namespace_labels(pod.namespace) or {}):
            words = f"namespace {pod.namespace} is not served by SchedulerProfile {policy.profile}"
            return _refused(f"{words} (spec.pods.namespaceSelector)", NAMESPACE_REJECTOR)
        if not self._around.may_preempt():
            policy = policy.without_preemption()
        candidates, nominator = self._state.pool.candidates, self._around.nominator
        return self._classes.schedule(policy, pod, cluster, candidates, nominator, self._around.rng)

    def _assume(self, record: QueuedPod, started: float, decision: Decision) -> None:
        pod, node = record.pod, decision.node
        self._state.queue.done(record)
        self._around.cluster.assume(pod, node)
        ended = self._around.nominator.remove(pod.uid)
        if ended is not None and ended.node != node:
            tell_of_end(ended, self._around)
        self._announcer.assumed(pod)
        assumption = Assumption(record, pod, node, started, reservation=self._hold(decision))
        self._state.assumed[pod.uid] = assumption
        self._around.submit(assumption, self.settle)

    def _hold(self, decision: Decision) -> Reservation | None:
        plan = next((plan for plan in decision.reserved if isinstance(plan, VolumePlan)), None)
        if plan is None:
            return None
        reservation = Reservation(self._around.cluster, plan)
        reservation.hold()
        return reservation

    def _reject(self, record: QueuedPod, started: float, decision: Decision) -> None:
        logger.debug("fits nowhere: %s", decision.message, extra=self._about(record.pod))
        now = self._now()
        self._state.statistics.unschedulable()
        self._around.metrics.attempt("unschedulable", self._profile, now - started)
        self._preemptions.begin(record.pod, decision)
        self._state.queue.requeue(record, decision.rejectors, decision.reasons, now)
        self._preemptions.nominate(record.pod, decision)
        failure = Failure(FailureReason.UNSCHEDULABLE, decision.message)
        self._announcer.failed(record.pod, failure, decision.nomination)

    def _fail(self, record: QueuedPod, started: float, message: str) -> None:
        logger.error("%s", message, extra=self._about(record.pod))
        now = self._now()
        self._state.statistics.error()
        self._around.metrics.attempt("error", self._profile, now - started)
        self._state.queue.requeue(record, frozenset(), (message,), now)
        tell_of_end(self._around.nominator.remove(record.uid), self._around)
        self._announcer.failed(record.pod, Failure(FailureReason.SCHEDULER_ERROR, message), "")

    def _confirm(self, assumption: Assumption) -> None:
        record, pod, node, now = assumption.queued, assumption.pod, assumption.node, self._now()
        assumption.acknowledged = True
        if assumption.told_by_watch:
            del self._state.assumed[pod.uid]
        waited = now - (assumption.started if record.first_queued is None else record.first_queued)
        self._state.statistics.bound(waited, now)
        self._around.metrics.attempt("scheduled", self._profile, now - assumption.started)
        self._around.metrics.placed(record.attempts, waited, flushed=record.flushed)
        self._announcer.bound(pod, node)
        logger.info("bound", extra=self._about(pod, node))
        if self._around.cluster.row_of(node) is None:
            self.stranded(pod, node)
        else:
            self._state.recent.add(node, pod, now)

    def _now(self) -> float:
        return self._around.clock.monotonic()

    def _about(self, pod: PodInfo, node: str = "") -> dict[str, str]:
        return {"profile": self._profile, "pod": pod.full_name, "node": node}


def _refused(message: str, rejector: str) -> Decision:
    return Decision(None, "", 0, 0, message, (message,), frozenset((rejector,)))
