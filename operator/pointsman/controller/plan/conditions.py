"""Conditions by the rules of kstatus, which Flux, Argo CD and `helm --wait` read.

Ready, PolicyValid and Available are always there. Reconciling and Stalled are there only while they hold, never both,
and carry the reason and message of Ready. `lastTransitionTime` moves with the status alone.
"""

from datetime import datetime

from pointsman.api.names import LEASE_DURATION_SECONDS
from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.status import Condition, find_condition, set_condition
from pointsman.controller.checks.policy_invalid import in_words
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.revision import Revision
from pointsman.controller.plan.verdict import FALSE, TRUE, Verdict
from pointsman.controller.plan.world import World

Conditions = tuple[Condition, ...]


def conditions(profile: Profile, world: World, verdict: Verdict, shown: Revision | None, now: datetime) -> Conditions:
    """All conditions of a profile; `shown` is the revision that its children are made from."""
    wanted = [
        *summary(verdict),
        policy_valid(profile),
        _available(profile, world, shown),
    ]
    return dated(profile, wanted, now)


def summary(verdict: Verdict) -> list[Condition]:
    """Ready, and the abnormal condition if there is one."""
    ready = Condition(type=ConditionType.READY, status=verdict.status, reason=verdict.reason, message=verdict.message)
    if verdict.abnormal is None:
        return [ready]
    return [
        ready,
        Condition(type=verdict.abnormal, status=TRUE, reason=verdict.reason, message=verdict.message),
    ]


def dated(profile: Profile, wanted: list[Condition], now: datetime) -> Conditions:
    """The same with generation and times, as they follow from the conditions that the profile has."""
    made: Conditions = ()
    for condition in wanted:
        before = find_condition(profile.status.conditions, condition.type)
        old = (before,) if before is not None else ()
        made += set_condition(old, _observed(condition, profile.generation), now)
    return made


def _observed(condition: Condition, generation: int) -> Condition:
    return Condition(
        type=condition.type,
        status=condition.status,
        reason=condition.reason,
        message=condition.message,
        observed_generation=generation,
    )


def policy_valid(profile: Profile) -> Condition:
    """Whether the spec of the moment compiles, whatever runs."""
    if profile.candidate is None:
        message = in_words(profile.problems)
        return Condition(type=ConditionType.POLICY_VALID, status=FALSE, reason=Reason.POLICY_INVALID, message=message)
    message = f"compiles to policy {profile.candidate.short_hash}"
    return Condition(type=ConditionType.POLICY_VALID, status=TRUE, reason=Reason.POLICY_COMPILED, message=message)


def _available(profile: Profile, world: World, shown: Revision | None) -> Condition:
    leader, leadership = world.leader, world.leadership
    before = find_condition(profile.status.conditions, ConditionType.AVAILABLE)
    if leader is not None and leader.ready:
        status, reason, message = TRUE, Reason.ENGINE_READY, f"{leader.pod} leads"
    elif shown is not None and shown.replicas == 0 and not world.engines:
        status, reason, message = FALSE, Reason.SCALED_TO_ZERO, "no engine is wanted"
    elif not any(engine.ready for engine in world.engines):
        status, reason, message = FALSE, Reason.ENGINE_NOT_READY, "no engine is ready"
    elif leadership.silent_seconds < LEASE_DURATION_SECONDS and before is not None and before.status == TRUE:
        status, reason, message = TRUE, Reason.ENGINE_READY, "the leader is changing"
    else:
        status, reason, message = FALSE, Reason.NO_LEADER, "no engine that is ready leads"
    return Condition(type=ConditionType.AVAILABLE, status=status, reason=reason, message=message)
