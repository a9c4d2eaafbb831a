"""NodeAffinity, the predicate: nodeSelector, required node affinity, and affinity that the profile adds.

Order of the checks and their words as in nodeaffinity/node_affinity.go, 1.36. Terms that pin the pod to named nodes
narrow the search before any row is looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pointsman.kube.objects import NodeSelector, NodeSelectorTerm
from pointsman.policy.node_affinity_args import NodeAffinityArgs
from pointsman.policy.node_selectors import (
    NAME_FIELD,
    RowTest,
    bind_labels,
    bind_terms,
    compile_terms,
    labels_match,
    match_any,
)
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.selectors import equality_tests
from pointsman.policy.view import BoolArray, ClusterView, Rows

REASON_POD = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"


@dataclass(frozen=True, slots=True)
class State:
    """What the profile and the pod require; None requires nothing, no alternatives match nothing."""

    enforced: Sequence[RowTest] | None
    selector: RowTest
    required: Sequence[RowTest] | None
    names: frozenset[str] | None


class NodeAffinity(PredicateBase[State]):
    """The state is bound to the view's label columns."""

    reads = Reads(frozenset({"pod.spec.node_selector", "pod.spec.affinity.node_affinity"}), Dependence.NODE)

    def __init__(self, name: str, args: NodeAffinityArgs) -> None:
        self.name = name
        self.wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_LABELS | Happening.NODE_TAINTS, self._may_help)
        self._enforced = None if args.required is None else compile_terms(args.required.node_selector_terms)

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip | Reject:
        selector = pod.pod.spec.node_selector
        required = _required(pod)
        if required is None and self._enforced is None and not selector:
            return SKIP
        names = _pinned(required.node_selector_terms) if required else None
        if names is not None and not names:
            return Reject((REASON_CONFLICT,))
        return State(
            enforced=None if self._enforced is None else bind_terms(self._enforced, view),
            selector=RowTest(bind_labels(equality_tests(selector), view)),
            required=None if required is None else bind_terms(compile_terms(required.node_selector_terms), view),
            names=names,
        )

    def narrows(self, state: State) -> frozenset[str] | None:
        return state.names

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        answer = state.selector.match(rows)
        if state.required is not None:
            answer &= match_any(state.required, rows)
        if state.enforced is not None:
            answer &= match_any(state.enforced, rows)
        return answer

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return tuple(self.count_reasons(state, np.array([row])))

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        passed = len(rows) if state.enforced is None else int(np.count_nonzero(match_any(state.enforced, rows)))
        counts = {REASON_ENFORCED: len(rows) - passed, REASON_POD: passed}
        return {reason: count for reason, count in counts.items() if count > 0}

    def _may_help(self, pod: PodInfo, change: Change) -> bool:
        if change.row is None:
            return True
        required = _required(pod)
        alternatives = [self._enforced, None if required is None else compile_terms(required.node_selector_terms)]
        return labels_match(equality_tests(pod.pod.spec.node_selector), change.view, change.row) and all(
            any(term.matches(change.view, change.row) for term in terms) for terms in alternatives if terms is not None
        )


def _required(pod: PodInfo) -> NodeSelector | None:
    affinity = pod.pod.spec.affinity
    if affinity is None or affinity.node_affinity is None:
        return None
    return affinity.node_affinity.required_during_scheduling_ignored_during_execution


def _pinned(terms: Sequence[NodeSelectorTerm]) -> frozenset[str] | None:
    """Names of the only nodes that the terms can match; None when one term does not name nodes."""
    if not terms:
        return None
    names: frozenset[str] = frozenset()
    for term in terms:
        named = [
            frozenset(requirement.values or ())
            for requirement in term.match_fields
            if requirement.key == NAME_FIELD and requirement.operator == "In"
        ]
        if not named:
            return None
        names |= frozenset.intersection(*named)
    return names
