"""What to do about a profile: a pure function from what is there to what should be.

    plan(profile, world, now) -> Plan(objects, deletions, status, events, requeue_after)

It is asked again after everything that it led to, until it has nothing left to ask for. The status speaks of the world
as it was gathered, so it is written only when that world needed no change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from msgspec import UNSET

from pointsman.api import names
from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.status import Condition, ProfileStatus, cut, find_condition
from pointsman.controller.checks.finding import Effect, Finding, Inputs
from pointsman.controller.checks.registry import examine
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.revision import Revision, from_config_map
from pointsman.controller.plan.rollout import Rollout
from pointsman.controller.plan.status import build_status
from pointsman.controller.plan.verdict import FALSE, UNKNOWN, Case, Verdict, engines_ready, judge, leads
from pointsman.controller.plan.world import World
from pointsman.controller.render import children
from pointsman.controller.render.children import Child, Identity, LiveChild
from pointsman.controller.render.render import cluster_roles, render, wanted
from pointsman.kube.resources import CONFIG_MAPS, DEPLOYMENTS

CHECK_AGAIN_SECONDS: Final = 10.0
"""Until the next look at a profile that is not settled, and between counts of pods that nobody else counts."""

_MAX_FINDING_BYTES: Final = 800  # so that what stays in force is still told


@dataclass(frozen=True, slots=True)
class Notice:
    """Something worth an event on the profile."""

    reason: str
    note: str
    warning: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What should be: objects in the order of writing, what has to go, what to say, when to look again."""

    status: ProfileStatus
    objects: tuple[Child, ...] = ()
    deletions: tuple[LiveChild, ...] = ()
    events: tuple[Notice, ...] = ()
    requeue_after: float | None = None


def plan(profile: Profile, world: World, now: datetime) -> Plan:
    """Decide. Raises AllowlistError if the templates made something that they must not make."""
    in_force = revision_in_force(profile, world)
    outcome = examine(Inputs(profile, world, in_force))
    made_from: Revision | None
    shown: Revision | None
    if isinstance(outcome, Revision):
        made_from = shown = outcome
        needless = _needless(profile, world, outcome)
        verdict = judge(Case(profile, world, outcome, _rollout(profile, world, outcome), now))
    else:
        made_from, shown, needless = _despite(outcome, profile, world, in_force)
        verdict = _verdict(profile, world, shown, outcome)
    status = build_status(profile, world, verdict, shown, now)
    return Plan(
        status=status,
        objects=render(made_from, profile.uid, world.fleet) if made_from is not None else (),
        deletions=_last_first(needless),
        events=notices(profile, status),
        requeue_after=_requeue_after(world, verdict),
    )


def revision_in_force(profile: Profile, world: World) -> Revision | None:
    """The revision that was applied last: of all policies that are kept, the one of the highest generation."""
    return max(_kept_revisions(profile, world), key=lambda each: each.generation, default=None)


def _kept_revisions(profile: Profile, world: World) -> Iterator[Revision]:
    for child in world.ours():
        if child.identity.resource is CONFIG_MAPS and not child.going:
            revision = from_config_map(profile.name, child.body)
            if revision is not None:
                yield revision


def _rollout(profile: Profile, world: World, revision: Revision) -> Rollout:
    deployment = world.find(Identity(DEPLOYMENTS, names.engine_name(profile.name)))
    return Rollout.of(deployment.body if deployment is not None else None, revision)


def _despite(
    finding: Finding, profile: Profile, world: World, in_force: Revision | None
) -> tuple[Revision | None, Revision | None, Iterable[LiveChild]]:
    """While a generation is refused: what children are made from, what the status tells of, and what has to go.

    The policy in force is healed unless something speaks against that one too.
    """
    if finding.effect is Effect.REMOVE:
        return None, None, world.ours()
    if finding.effect is Effect.KEEP and in_force is not None:
        as_before = replace(profile, candidate=in_force, problems=())
        if isinstance(examine(Inputs(as_before, world, in_force)), Revision):
            return in_force, in_force, _needless(profile, world, in_force)
    return None, in_force, ()


def _verdict(profile: Profile, world: World, shown: Revision | None, finding: Finding) -> Verdict:
    if finding.reason is Reason.SUSPENDED:
        before = find_condition(profile.status.conditions, ConditionType.READY)
        message = f"{finding.message}; {_how_it_is(world, shown)}"
        return Verdict(before.status if before is not None else UNKNOWN, finding.reason, message)
    message = cut(finding.message, _MAX_FINDING_BYTES)
    if finding.effect is not Effect.REMOVE:
        message += f"; {_what_stays(shown)}"
    if finding.final:
        return Verdict(FALSE, finding.reason, message, ConditionType.STALLED)
    return Verdict(UNKNOWN, finding.reason, message, ConditionType.RECONCILING)


def _how_it_is(world: World, shown: Revision | None) -> str:
    if shown is None:
        return "no engine runs"
    return leads(world, shown) if world.leader is not None else engines_ready(world, shown)


def _what_stays(shown: Revision | None) -> str:
    if shown is None:
        return "no policy is in force"
    return f"policy {shown.short_hash} (generation {shown.generation}) stays in force"


def _needless(profile: Profile, world: World, revision: Revision) -> Iterable[LiveChild]:
    """What is ours and not wanted. A policy is kept while a ReplicaSet mounts it or it is the last good one."""
    last = profile.status.last_good
    policies = world.mounted if last is UNSET else world.mounted | {last.hash}
    configs = (children.config_map(profile.name, policy) for policy in policies)
    keep = {*wanted(revision), *configs, *_rights_in_use(profile, world)}
    return (child for child in world.ours() if child.identity not in keep)


def _rights_in_use(profile: Profile, world: World) -> Iterator[Identity]:
    """The ClusterRoleBindings that the engines of the moment need, all of them where a policy cannot be read."""
    known = {revision.short_hash: cluster_roles(revision.document) for revision in _kept_revisions(profile, world)}
    every = frozenset(children.CLUSTER_ROLES)
    roles = {role for engine in world.engines for role in known.get(engine.policy_hash, every)}
    bindings = children.cluster_role_bindings(profile.name)
    return (identity for identity, role in bindings.items() if role in roles)


def _last_first(needless: Iterable[LiveChild]) -> tuple[LiveChild, ...]:
    """In the order of deletion: the Deployment first, the rights that its pods use last."""
    left = (child for child in needless if not child.going)
    return tuple(sorted(left, key=lambda child: children.ORDER.index(child.identity.resource), reverse=True))


def notices(profile: Profile, status: ProfileStatus) -> tuple[Notice, ...]:
    """One event when Ready changes its status or reason, or names another fault in the spec."""
    before = find_condition(profile.status.conditions, ConditionType.READY)
    after = find_condition(status.conditions, ConditionType.READY)
    if after is None or not _is_news(before, after):
        return ()
    return (Notice(after.reason, after.message, warning=after.status == FALSE),)


def _is_news(before: Condition | None, after: Condition) -> bool:
    if before is None or (before.status, before.reason) != (after.status, after.reason):
        return True
    return after.reason == Reason.POLICY_INVALID and before.message != after.message


def _requeue_after(world: World, verdict: Verdict) -> float | None:
    """Changes of objects wake us; what changes by time alone, or where nobody watches, is looked at again."""
    if verdict.reason is Reason.SCHEDULER_NAME_TAKEN:
        return None
    unsettled = verdict.abnormal is ConditionType.RECONCILING
    uncounted = world.report is None or not world.report.fresh
    return CHECK_AGAIN_SECONDS if unsettled or uncounted else None
