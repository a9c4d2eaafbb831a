"""What follows from a decision to preempt: nominations, evictions, and the preemptor that waits meanwhile.

The preemptor is held back until the API server has taken the last eviction, so that no attempt in between picks the
same victims again; what would have woken it is remembered. From then on it is woken by its victims as they go. A
victim counts as ending as soon as its deletion is acknowledged: the watch tells so a little later.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from pointsman.engine.announce.announce import Announcer
from pointsman.engine.cycle.cycle import Decision
from pointsman.engine.nominations import tell_of_end
from pointsman.engine.policy_state import PolicyState, Surroundings
from pointsman.engine.preemption.eligibility import DISRUPTION_TARGET, PREEMPTED
from pointsman.engine.preemption.eviction import Eviction
from pointsman.kube.clock import rfc3339
from pointsman.kube.objects import PodCondition
from pointsman.policy.pod import PodInfo

logger = logging.getLogger(__name__)


class Preemptions:
    """Follows the decisions of one policy."""

    def __init__(self, state: PolicyState, announcer: Announcer, around: Surroundings) -> None:
        self._state = state
        self._announcer = announcer
        self._around = around

    def begin(self, pod: PodInfo, decision: Decision) -> None:
        """Start the evictions of a decision, if there are any; to be called before the pod is requeued."""
        if decision.asked_preemption:
            self._around.metrics.preemption_attempts.inc()
        chosen = decision.preemption
        if chosen is None:
            return
        victims = tuple(victim for victim in chosen.victims if not victim.terminating)
        if not victims:
            return  # all of them are ending already
        logger.info(
            "preempts %d pods on node %s", len(victims), chosen.node, extra={"pod": pod.full_name, "node": chosen.node}
        )
        self._around.metrics.preemption_victims.observe(len(chosen.victims))
        self._state.statistics.preempted(len(victims))
        self._state.queue.hold(pod.uid)
        yielding = self._around.nominator.below(chosen.node, pod.priority)
        self._end_nominations(yielding)
        self._around.evict(
            Eviction(
                preemptor=pod,
                victims=victims,
                yielding=yielding,
                evicted=lambda victim: self._evicted(victim, pod, chosen.node),
                recalled=lambda victim: self._announcer.preempted(victim, pod, chosen.node, in_memory=True),
                ended=lambda failure: self._ended(pod, failure),
            )
        )

    def nominate(self, pod: PodInfo, decision: Decision) -> None:
        """Take over what a decision says of the pod's nomination."""
        nominator = self._around.nominator
        if decision.nomination:
            tell_of_end(nominator.nominate(pod, decision.nomination), self._around)
        elif decision.nomination is not None:
            tell_of_end(nominator.remove(pod.uid), self._around)

    def _end_nominations(self, pods: Sequence[PodInfo]) -> None:
        """They may not fit any longer: let them look for another place without waiting for their victims."""
        for pod in pods:
            tell_of_end(self._around.nominator.remove(pod.uid), self._around)
            self._state.queue.activate(pod.uid, self._around.clock.monotonic())

    def _evicted(self, victim: PodInfo, preemptor: PodInfo, node: str) -> None:
        self._announcer.preempted(victim, preemptor, node)
        placement = self._around.cluster.placement(victim.uid)
        if placement is not None and not placement.pod.terminating:
            now = rfc3339(self._around.clock.now())
            self._around.broadcast(self._around.cluster.upsert_pod(_ending(placement.pod, now)))

    def _ended(self, preemptor: PodInfo, failure: str) -> None:
        if failure:
            logger.warning("preemption failed: %s", failure, extra={"pod": preemptor.full_name})
        self._state.queue.release(preemptor.uid, self._around.clock.monotonic(), failed=bool(failure))


def _ending(pod: PodInfo, now: str) -> PodInfo:
    """The pod as the watch will show it."""
    condition = PodCondition(type=DISRUPTION_TARGET, status="True", reason=PREEMPTED)
    others = (one for one in pod.pod.status.conditions if one.type != DISRUPTION_TARGET)
    metadata = msgspec.structs.replace(pod.pod.metadata, deletion_timestamp=now)
    status = msgspec.structs.replace(pod.pod.status, conditions=(*others, condition))
    return replace(pod, pod=msgspec.structs.replace(pod.pod, metadata=metadata, status=status), terminating=True)
