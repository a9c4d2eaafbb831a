"""How a rolled out profile is doing: a chain of small questions, and the first one that applies gives the answer.

Ready is Unknown while a rollout is under way, False when something is wrong, True when an engine leads and has
reported the wanted policy. Reconciling means that it can still come right by itself, Stalled that only a change of the
profile can mend it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from msgspec import UNSET

from pointsman.api.names import LEASE_DURATION_SECONDS
from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.status import Condition, find_condition
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.revision import Revision
from pointsman.controller.plan.rollout import DEADLINE_SECONDS, Rollout
from pointsman.controller.plan.world import World

TRUE: Final = "True"
FALSE: Final = "False"
UNKNOWN: Final = "Unknown"

_TIME_TO_LEAD: Final = timedelta(seconds=2 * LEASE_DURATION_SECONDS)
"""A standby that does not have the wanted policy waits a period longer than the others."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The Ready condition, and the abnormal one that goes with it: Reconciling, Stalled or none."""

    status: str
    reason: Reason
    message: str
    abnormal: ConditionType | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A profile whose revision is being or has been rolled out."""

    profile: Profile
    world: World
    revision: Revision
    rollout: Rollout
    now: datetime

    @property
    def before(self) -> Condition | None:
        """The Ready condition, if it is about this generation."""
        ready = find_condition(self.profile.status.conditions, ConditionType.READY)
        return ready if ready is not None and ready.observed_generation == self.profile.generation else None

    @property
    def was_ready(self) -> bool:
        return self.before is not None and self.before.status == TRUE

    @property
    def has_been_ready(self) -> bool:
        """It was, or what is wrong now began after it had been."""
        after = {Reason.ENGINE_NOT_READY, Reason.NO_LEADER}
        return self.was_ready or (self.before is not None and self.before.reason in after)


def judge(case: Case) -> Verdict:
    """The first answer of the chain."""
    return next(verdict for question in _CHAIN if (verdict := question(case)) is not None)


def engines_ready(world: World, revision: Revision) -> str:
    """`1/2 engines ready`: those that are ready with this revision's policy, of those that are wanted."""
    wanted = revision.short_hash
    ready = sum(engine.ready for engine in world.engines if engine.policy_hash == wanted)
    return f"{min(ready, revision.replicas)}/{revision.replicas} engines ready"


def leads(world: World, revision: Revision) -> str:
    """The sentence of a profile that is well."""
    return f"{engines_ready(world, revision)}, leader {world.leadership.holder}, policy {revision.short_hash} in force"


def _scaled_to_zero(case: Case) -> Verdict | None:
    if case.revision.replicas or not case.rollout.complete:
        return None
    message = f"scaled to zero: pods of scheduler {case.revision.document.scheduler_name} wait"
    return Verdict(TRUE, Reason.SCALED_TO_ZERO, message)


def _overdue(case: Case) -> Verdict | None:
    if case.rollout.complete or not case.rollout.overdue:
        return None
    words = _last_words(case)
    message = f"engine not ready within {DEADLINE_SECONDS} s" + (f" ({words})" if words else "")
    return Verdict(FALSE, Reason.ENGINE_NOT_READY, message + _meanwhile(case), ConditionType.STALLED)


def _failing(case: Case) -> Verdict | None:
    words = _last_words(case)
    if case.rollout.complete or not words:
        return None
    message = f"engine not ready: {words}{_meanwhile(case)}"
    return Verdict(FALSE, Reason.ENGINE_NOT_READY, message, ConditionType.RECONCILING)


def _lost(case: Case) -> Verdict | None:
    lost = case.rollout.once_complete and not case.rollout.available and case.has_been_ready
    if case.rollout.complete or not lost:
        return None
    message = f"{engines_ready(case.world, case.revision)}, waiting for one to come back"
    return Verdict(FALSE, Reason.ENGINE_NOT_READY, message, ConditionType.RECONCILING)


def _rolling_out(case: Case) -> Verdict | None:
    if case.rollout.complete:
        return None
    scaling = case.rollout.once_complete
    what = "scaling" if scaling else f"policy {case.revision.short_hash} is rolling out"
    message = f"{engines_ready(case.world, case.revision)}, {what}{_meanwhile(case)}"
    return Verdict(UNKNOWN, Reason.PROGRESSING, message, ConditionType.RECONCILING)


def _leaderless(case: Case) -> Verdict | None:
    if case.world.leadership.held:
        return None
    message = engines_ready(case.world, case.revision)
    if case.was_ready and not case.world.leadership.lapsed:
        return Verdict(TRUE, Reason.ENGINE_READY, f"{message}, the leader is changing")
    since = [engine.ready_since for engine in case.world.engines if engine.ready_since is not None]
    if since and case.now - min(since) < _TIME_TO_LEAD:
        message += ", waiting for one to lead"
        return Verdict(UNKNOWN, Reason.PROGRESSING, message, ConditionType.RECONCILING)
    return Verdict(FALSE, Reason.NO_LEADER, f"{message}, none of them leads", ConditionType.RECONCILING)


def _unproven(case: Case) -> Verdict | None:
    wanted, leader, report = case.revision.short_hash, case.world.leader, case.world.report
    reported = report is not None and report.fresh and report.profile.policy_hash == wanted
    if reported and leader is not None and leader.policy_hash == wanted:
        return None
    holder = case.world.leadership.holder
    message = f"{engines_ready(case.world, case.revision)}, waiting for leader {holder} to report policy {wanted}"
    if case.has_been_ready and (report is None or not report.fresh):
        message = f"leader {holder} does not report"
        return Verdict(FALSE, Reason.ENGINE_NOT_READY, message, ConditionType.RECONCILING)
    return Verdict(UNKNOWN, Reason.PROGRESSING, message + _meanwhile(case), ConditionType.RECONCILING)


def _ready(case: Case) -> Verdict:
    return Verdict(TRUE, Reason.ENGINE_READY, leads(case.world, case.revision))


_CHAIN: Final[tuple[Callable[[Case], Verdict | None], ...]] = (
    _scaled_to_zero,
    _overdue,
    _failing,
    _lost,
    _rolling_out,
    _leaderless,
    _unproven,
    _ready,
)


def _last_words(case: Case) -> str:
    """Why an engine of this revision does not come up, in its own words where it left any."""
    wanted = case.revision.short_hash
    failures = [engine.failure for engine in case.world.engines if engine.policy_hash == wanted and engine.failure]
    return failures[0] if failures else case.rollout.refusal


def _meanwhile(case: Case) -> str:
    """What schedules until then: the leader's policy, when it is another one."""
    leader = case.world.leader
    if leader is None or leader.policy_hash in {"", case.revision.short_hash}:
        return ""
    last = case.profile.status.last_good
    known = last is not UNSET and last.hash == leader.policy_hash
    generation = f" (generation {last.generation})" if known and last is not UNSET else ""
    return f"; policy {leader.policy_hash}{generation} stays in force"
