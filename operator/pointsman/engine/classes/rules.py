"""A policy's rules by how long their raw answers last.

Steady ones depend on the pod's own fields, on objects of nodes and on the pods of the row in question: an answer stands
until that row, or some node, changes. Moving ones look further (domains, claims, other pods, the clock) or do not say
what they read, and are asked anew for every pod.
"""

from dataclasses import dataclass
from typing import Any, Final

from pointsman.policy.policy import Policy, WeightedPriority
from pointsman.policy.rule import Dependence, Predicate, PriorityBase, Reads

_STEADY: Final = Dependence.NODE | Dependence.NODES | Dependence.ROW


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy's rules, each list in the policy's order. `fields` are those of the pod that steady ones read."""

    of_nodes: tuple[Predicate[Any], ...]  # steady, whatever pods are there
    of_rows: tuple[Predicate[Any], ...]  # steady while the row's pods stay
    moving: tuple[Predicate[Any], ...]
    plain_of_nodes: tuple[WeightedPriority, ...]  # likewise, and the raw score is the score
    plain_of_rows: tuple[WeightedPriority, ...]
    relative: tuple[WeightedPriority, ...]  # of nodes alone, with a reduce step
    moving_priorities: tuple[WeightedPriority, ...]
    fields: frozenset[str]


def rules_of(policy: Policy) -> Rules:
    """Sort a policy's rules."""
    predicates, priorities = policy.predicates, policy.priorities
    steady = [one for one in predicates if _is_steady(one.reads)]
    scored = [one for one in priorities if _is_steady(one.priority.reads)]
    plain = [one for one in scored if _is_plain(one)]
    relative = [one for one in scored if not _is_plain(one) and _of_nodes(one.priority.reads)]
    kept = {id(one) for one in (*plain, *relative)}
    reads = (*(one.reads for one in steady), *(one.priority.reads for one in (*plain, *relative)))
    return Rules(
        of_nodes=tuple(one for one in steady if _of_nodes(one.reads)),
        of_rows=tuple(one for one in steady if not _of_nodes(one.reads)),
        moving=tuple(one for one in predicates if not _is_steady(one.reads)),
        plain_of_nodes=tuple(one for one in plain if _of_nodes(one.priority.reads)),
        plain_of_rows=tuple(one for one in plain if not _of_nodes(one.priority.reads)),
        relative=tuple(relative),
        moving_priorities=tuple(one for one in priorities if id(one) not in kept),
        fields=frozenset(field for one in reads for field in one.pod_fields),
    )


def _is_steady(reads: Reads) -> bool:
    return bool(reads.pod_fields) and not reads.depends & ~_STEADY


def _of_nodes(reads: Reads) -> bool:
    return not reads.depends & Dependence.ROW


def _is_plain(weighted: WeightedPriority) -> bool:
    return getattr(type(weighted.priority), "normalize", None) is PriorityBase.normalize
