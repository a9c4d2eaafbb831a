"""The start of a cycle: every predicate sees the pod once, before any node is looked at (PreFilter).

Order of answers as in kube-scheduler 1.36 (framework/runtime/framework.go): a refusal that no preemption can mend ends
the cycle at once, any other is remembered while the rest still prepare, and predicates that name the only possible
nodes must have one in common.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Predicate, Reject, Skip
from pointsman.policy.view import ClusterView


class Prepared(NamedTuple):
    """A predicate and what it worked out for the pod."""

    predicate: Predicate[Any]
    state: Any


class Refused(NamedTuple):
    """The pod fits nowhere, whatever the node: why, and the predicates that say so.

    When fewer pods could help, `prepared` are the predicates that have not refused the pod.
    """

    reasons: tuple[str, ...]
    rejectors: tuple[str, ...]
    resolvable: bool = False
    prepared: tuple[Prepared, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparation:
    """The predicates that have something to say, and the only nodes worth looking at (None: all)."""

    prepared: tuple[Prepared, ...]
    names: frozenset[str] | None
    restrictors: tuple[str, ...]  # the predicates that named them


def prepare(policy: Policy, pod: PodInfo, cluster: ClusterView) -> Preparation | Refused:
    """Ask every predicate of the policy in order. Raises RuleError."""
    prepared: list[Prepared] = []
    names: frozenset[str] | None = None
    restrictors: tuple[str, ...] = ()
    remembered: Refused | None = None
    for predicate in policy.predicates:
        state, only = asked(predicate, pod, cluster)
        if isinstance(state, Skip):
            continue
        if isinstance(state, Reject):
            if not state.resolvable:
                return Refused(state.reasons, (predicate.name,))
            remembered = Refused(state.reasons, (predicate.name,), resolvable=True)
            continue
        prepared.append(Prepared(predicate, state))
        if only is not None:
            restrictors = (*restrictors, predicate.name)
            names = only if names is None else names & only
            if not names:
                return Refused((fit_error.irreconcilable(restrictors),), restrictors)
    if remembered is not None:
        return remembered._replace(rejectors=(*restrictors, *remembered.rejectors), prepared=tuple(prepared))
    return Preparation(tuple(prepared), names, restrictors)


def asked(predicate: Predicate[Any], pod: PodInfo, cluster: ClusterView) -> tuple[Any, frozenset[str] | None]:
    """What a predicate works out for the pod, and the only nodes that it names, None for all. Raises RuleError."""
    with asking(predicate.name):
        state = predicate.prepare(pod, cluster)
        return state, None if isinstance(state, Skip | Reject) else predicate.narrows(state)
