"""The status of a profile, built anew from what is there; only last good policy, times and counters look back."""

from datetime import datetime
from typing import Final

from msgspec import UNSET, UnsetType, structs

from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.status import (
    MAX_ENGINES,
    MAX_NOTES,
    EngineStatus,
    LastGood,
    PolicyStatus,
    PriorityStatus,
    ProfileStatus,
    cut,
    find_condition,
)
from pointsman.controller.plan.conditions import conditions, dated, policy_valid, summary
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.revision import Revision
from pointsman.controller.plan.statistics import statistics
from pointsman.controller.plan.verdict import FALSE, Verdict
from pointsman.controller.plan.world import World
from pointsman.controller.render import children

_OUR_TYPES: Final = frozenset(str(each) for each in ConditionType)


def build_status(
    profile: Profile, world: World, verdict: Verdict, shown: Revision | None, now: datetime
) -> ProfileStatus:
    """The status that goes with a verdict; `shown` is the revision that the profile's children are made from."""
    ready = sum(engine.ready for engine in world.engines)
    replicas = shown.replicas if shown is not None else 0
    return ProfileStatus(
        observed_generation=profile.generation,
        conditions=conditions(profile, world, verdict, shown, now),
        replicas=len(world.engines),
        ready_replicas=ready,
        replicas_summary=f"{min(ready, replicas)}/{replicas}",
        selector=children.selector_text(profile.name),
        image=(shown.engine.image or world.fleet.image) if shown is not None else UNSET,
        policy=_policy(shown, _engine_notes(world, shown)) if shown is not None else UNSET,
        engines=_engines(world),
        last_good=_last_good(profile, verdict, shown),
        stats=statistics(world.report, world.waiting, profile.status.stats, now),
    )


def refused(profile: Profile, status: ProfileStatus, verdict: Verdict, now: datetime) -> ProfileStatus:
    """A status with another verdict: the API server did not let us do what was planned."""
    known = find_condition(status.conditions, ConditionType.AVAILABLE)
    told = [*summary(verdict), policy_valid(profile), *([known] if known is not None else [])]
    return structs.replace(status, observed_generation=profile.generation, conditions=dated(profile, told, now))


def same_status(before: ProfileStatus, after: ProfileStatus) -> bool:
    """Whether a status need not be written: neither order nor conditions that somebody else keeps there count."""
    return _comparable(before) == _comparable(after)


def _comparable(status: ProfileStatus) -> ProfileStatus:
    ours = (condition for condition in status.conditions if condition.type in _OUR_TYPES)
    return structs.replace(status, conditions=tuple(sorted(ours, key=lambda condition: condition.type)))


def _engine_notes(world: World, revision: Revision) -> tuple[str, ...]:
    """What the leader says of the policy in force; what it said of another one, or long ago, may be wrong by now."""
    report = world.report
    if report is None or not report.fresh or report.profile.policy_hash != revision.short_hash:
        return ()
    return report.profile.notes


def _policy(revision: Revision, engine_notes: tuple[str, ...]) -> PolicyStatus:
    document = revision.document
    return PolicyStatus(
        hash=revision.short_hash,
        predicates=tuple(entry.name for entry in document.predicates),
        priorities=tuple(PriorityStatus(name=entry.name, weight=entry.weight) for entry in document.priorities),
        notes=tuple(cut(note) for note in (*engine_notes, *revision.notes)[:MAX_NOTES]),
    )


def _engines(world: World) -> tuple[EngineStatus, ...]:
    holder = world.leader
    return tuple(
        EngineStatus(
            pod=engine.pod,
            policy_hash=engine.policy_hash,
            ready=engine.ready,
            leader=holder is not None and engine.pod == holder.pod,
        )
        for engine in sorted(world.engines, key=lambda engine: engine.pod)[:MAX_ENGINES]
    )


def _last_good(profile: Profile, verdict: Verdict, shown: Revision | None) -> LastGood | UnsetType:
    if shown is None or verdict.reason is not Reason.ENGINE_READY or verdict.status == FALSE:
        return profile.status.last_good
    return LastGood(hash=shown.short_hash, generation=shown.generation)
