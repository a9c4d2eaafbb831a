"""From what a user asks for to what an engine does: spec -> policy document, or every reason why not.

Base and lists become two lists of instances with canonical names, weights and complete args, in a fixed order, so that
two specs that mean the same give the same document. Nothing here knows a cluster or does I/O: the operator and
`pointsman validate` run exactly this.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.api import catalogue
from pointsman.api.catalogue import CatalogueEntry, Standing
from pointsman.api.spec import Base, PreemptionSpec, ProfileSpec, QueueSpec, State
from pointsman.policy.arguments import read_args
from pointsman.policy.cancelling import cancelling
from pointsman.policy.document import (
    NodesEntry,
    PodsEntry,
    PolicyDocument,
    PredicateEntry,
    PreemptionEntry,
    PriorityEntry,
    QueueEntry,
)
from pointsman.policy.entries import Changes, Entry, read_list
from pointsman.policy.errors import PolicyError, Problem
from pointsman.policy.guards import NEEDS
from pointsman.policy.notes import notes_of
from pointsman.policy.registry import BUILT
from pointsman.policy.settings import engine_problems, read_selector
from pointsman.policy.sides import Side

ListChanges = Mapping[Side, Changes]
CompleteArgs = dict[str, dict[str, Any]]
"""Args with their defaults, by the name of the instance."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A policy document, and what its user should know about it."""

    document: PolicyDocument
    notes: tuple[str, ...]


def compile_spec(profile: str, spec: ProfileSpec) -> Compiled:
    """Compile the spec of the profile of that name; raise PolicyError with every problem, in the spec's order."""
    changes: ListChanges = {
        Side.PREDICATES: read_list(Side.PREDICATES, spec.predicates, spec.priorities, spec.base),
        Side.PRIORITIES: read_list(Side.PRIORITIES, spec.priorities, spec.predicates, spec.base),
    }
    problems = [problem for side in Side for problem in changes[side].problems]
    problems += cancelling(spec.base, changes[Side.PRIORITIES])
    args = _args_by_name(changes, problems)
    nodes = read_selector(spec.nodes.selector, "spec.nodes.selector", problems)
    pods = read_selector(spec.pods.namespace_selector, "spec.pods.namespaceSelector", problems)
    problems += engine_problems(spec.engine)
    if problems:
        raise PolicyError(tuple(problems))
    document = PolicyDocument(
        profile=profile,
        scheduler_name=spec.scheduler_name,
        predicates=tuple(_predicates(spec.base, changes[Side.PREDICATES], args)),
        priorities=tuple(_priorities(spec.base, changes[Side.PRIORITIES], args)),
        guards=tuple(_guards(spec.base, changes[Side.PREDICATES])),
        nodes=NodesEntry(selector=nodes),
        pods=PodsEntry(namespace_selector=pods),
        queue=_queue(spec.queue),
        preemption=_preemption(spec.preemption),
    )
    return Compiled(document, notes_of(spec, document, changes))


def _args_by_name(changes: ListChanges, problems: list[Problem]) -> CompleteArgs:
    """Complete args of every instance that a list turns on: one instance has one set of args, wherever it stands."""
    args: CompleteArgs = {}
    first: dict[str, Entry] = {}
    for entry in (entry for side in Side for entry in changes[side].enabled.values()):
        twin = first.setdefault(entry.name, entry)
        if twin.rule is not entry.rule:
            words = f"must be {twin.rule.name}, as in {twin.path}: entries of one name are one instance"
            problems.append(Problem(f"{entry.path}.rule", words))
            continue
        if entry.args is None and entry.name in args:
            continue
        try:
            read = read_args(BUILT[entry.rule.name].args, entry.args, f"{entry.path}.args")
        except PolicyError as error:
            problems += error.problems
            continue
        if entry is not twin and twin.args is not None and read != args.get(entry.name, read):
            words = f"must not differ from those of {twin.path}: give them in one of the two"
            problems.append(Problem(f"{entry.path}.args", words))
        args[entry.name] = read
    return args


def _of_base(side: Side, base: Base, changes: Changes) -> Iterator[CatalogueEntry]:
    """Rules of the base's order that are on under their own names, because they are listed or because they stay."""
    for rule in catalogue.base():
        if rule.standing is Standing.BUILT and (rule.name in changes.enabled or _stays(side, rule, base, changes)):
            yield rule


def _beside_base(changes: Changes) -> list[Entry]:
    """Instances without a place in the base's order, in the list's: names of their own, rules of old Policy files."""
    return [entry for entry in changes.enabled.values() if entry.name != entry.rule.name or entry.rule.order is None]


def _stays(side: Side, rule: CatalogueEntry, base: Base, changes: Changes) -> bool:
    """Whether a rule is on without being listed."""
    from_base = base is Base.DEFAULT and side.in_base(rule) and not changes.star
    return (from_base or side.always_on(rule)) and rule.name not in changes.disabled


def _predicates(base: Base, changes: Changes, args: CompleteArgs) -> Iterator[PredicateEntry]:
    for rule in _of_base(Side.PREDICATES, base, changes):
        yield PredicateEntry(name=rule.name, rule=rule.name, args=_complete(args, rule))
    for entry in _beside_base(changes):
        yield PredicateEntry(name=entry.name, rule=entry.rule.name, args=args[entry.name])


def _priorities(base: Base, changes: Changes, args: CompleteArgs) -> Iterator[PriorityEntry]:
    """The sum does not depend on their order, so instances that have no place in the base's are sorted."""
    for rule in _of_base(Side.PRIORITIES, base, changes):
        entry = changes.enabled.get(rule.name)
        weight = (entry and entry.weight) or (base is Base.DEFAULT and rule.weight) or 1
        yield PriorityEntry(name=rule.name, rule=rule.name, args=_complete(args, rule), weight=weight)
    for own in sorted(_beside_base(changes), key=lambda entry: entry.name):
        yield PriorityEntry(name=own.name, rule=own.rule.name, args=args[own.name], weight=own.weight or 1)


def _complete(args: CompleteArgs, rule: CatalogueEntry) -> dict[str, Any]:
    return args[rule.name] if rule.name in args else read_args(BUILT[rule.name].args, None, rule.name)


def _guards(base: Base, changes: Changes) -> Iterator[str]:
    """Rules of the base that this release does not build. "*" leaves them on guard: no pod is placed by guess."""
    for rule in catalogue.base():
        if base is Base.DEFAULT and rule.name in NEEDS and rule.name not in changes.disabled:
            yield rule.name


def _queue(queue: QueueSpec) -> QueueEntry:
    return QueueEntry(
        pod_initial_backoff_seconds=queue.pod_initial_backoff_seconds,
        pod_max_backoff_seconds=queue.pod_max_backoff_seconds,
    )


def _preemption(preemption: PreemptionSpec) -> PreemptionEntry | None:
    if preemption.state is State.DISABLED:
        return None
    return PreemptionEntry(
        min_candidate_nodes_percentage=preemption.args.min_candidate_nodes_percentage,
        min_candidate_nodes_absolute=preemption.args.min_candidate_nodes_absolute,
    )
