"""Small clusters, policies and hand-written rules: the mechanics are tested without the built-in rules."""

# Rules written by hand need not read everything that the protocol gives them.
# ruff: noqa: ARG002

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import Decision, schedule
from pointsman.engine.cycle.explain import Explanation, explain
from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.document import PolicyDocument, PreemptionEntry
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import LabelMatcher, Policy, WeightedPriority
from pointsman.policy.rule import (
    SKIP,
    Change,
    Dependence,
    Happening,
    Predicate,
    PredicateBase,
    PriorityBase,
    Reads,
    Reject,
    Skip,
    Wakes,
)
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, Rows
from pointsman.testing.builders import NodeBuilder, PodBuilder

_READS = Reads(frozenset(), Dependence.CLUSTER)


def cluster(*parts: NodeBuilder | PodBuilder) -> Cluster:
    """A cluster after one event per node or assigned pod, in this order."""
    made = Cluster()
    for part in parts:
        if isinstance(part, NodeBuilder):
            made.upsert_node(part.build())
        else:
            made.upsert_pod(part.info())
    return made


def row(of: Cluster, node: str) -> int:
    found = of.row_of(node)
    assert found is not None
    return found


def happened(changes: tuple[Change, ...]) -> list[Happening]:
    return [change.happening for change in changes]


def policy(
    *rules: "Predicate[Any] | Points",
    weights: Mapping[str, int] | None = None,
    preemption: PreemptionEntry | None = None,
) -> Policy:
    """A policy of hand-written rules; predicates and priorities keep their order."""
    predicates = tuple(rule for rule in rules if not isinstance(rule, Points))
    priorities = tuple(
        WeightedPriority(rule, (weights or {}).get(rule.name, 1)) for rule in rules if isinstance(rule, Points)
    )
    document = PolicyDocument(profile="test", scheduler_name="test", preemption=preemption)
    return Policy(document, "sha256:0", predicates, priorities, candidates=None, serves=None)


def decide(
    on: Cluster,
    pod: PodInfo,
    rules: Policy,
    *,
    pool: LabelMatcher | None = None,
    nominator: Nominator | None = None,
    seed: int = 0,
) -> Decision:
    candidates = on.pool(pool).candidates
    return schedule(rules, pod, on, candidates, nominator or Nominator(), random.Random(seed))


def laid_open(
    on: Cluster, pod: PodInfo, rules: Policy, nominator: Nominator | None = None, *, every_predicate: bool = False
) -> Explanation:
    candidates = on.pool(None).candidates
    return explain(rules, pod, on, candidates, nominator or Nominator(), every_predicate=every_predicate)


@dataclass(frozen=True)
class FitState:
    requests: Mapping[str, int]
    free: Mapping[str, IntArray]
    places: IntArray


class Fit(PredicateBase[FitState]):
    """Pod count and free amounts; a request of zero is never compared."""

    name = "Fit"
    wakes_on = Wakes(Happening.POD_DELETE)
    reads = _READS

    def prepare(self, pod: PodInfo, view: ClusterView) -> FitState:
        requests = {name: amount for name, amount in pod.requests.items() if amount}
        free = {name: view.allocatable(name) - view.requested(name) for name in requests}
        return FitState(requests, free, view.allowed_pods() - view.pod_count())

    def feasible(self, state: FitState, rows: Rows) -> BoolArray:
        fits = state.places[rows] > 0
        for name, amount in state.requests.items():
            fits &= state.free[name][rows] >= amount
        return fits

    def with_pods(self, state: FitState, row: int, add: Pods, remove: Pods) -> FitState:
        free = {name: column.copy() for name, column in state.free.items()}
        places = state.places.copy()
        for sign, pods in ((-1, add), (1, remove)):
            for pod in pods:
                places[row] += sign
                for name, column in free.items():
                    column[row] += sign * pod.usage.get(name, 0)
        return replace(state, free=free, places=places)

    def reasons(self, state: FitState, row: int) -> tuple[str, ...]:
        short = [name for name, amount in state.requests.items() if state.free[name][row] < amount]
        return (*(("Too many pods",) if state.places[row] <= 0 else ()), *(f"Insufficient {name}" for name in short))


class Refuse(PredicateBase[ClusterView]):
    """Refuses the nodes that it is told."""

    wakes_on = Wakes(Happening.NODE_ADD)
    reads = _READS

    def __init__(self, name: str, nodes: Mapping[str, tuple[str, ...]]) -> None:
        self.name = name
        self._nodes = nodes

    def prepare(self, pod: PodInfo, view: ClusterView) -> ClusterView:
        return view

    def feasible(self, state: ClusterView, rows: Rows) -> BoolArray:
        return np.array([state.node_name(row) not in self._nodes for row in rows.tolist()], np.bool_)

    def reasons(self, state: ClusterView, row: int) -> tuple[str, ...]:
        return self._nodes[state.node_name(row)]


class Prefilter(PredicateBase[frozenset[str] | None]):
    """Answers `prepare` as told; what it does not refuse it accepts everywhere."""

    wakes_on = Wakes(Happening.NODE_ADD)
    reads = _READS

    def __init__(self, name: str, answer: Skip | Reject | None = None, only: frozenset[str] | None = None) -> None:
        self.name = name
        self._answer = answer
        self._only = only
        self.asked = 0

    def prepare(self, pod: PodInfo, view: ClusterView) -> frozenset[str] | Skip | Reject | None:
        self.asked += 1
        return self._only if self._answer is None else self._answer

    def narrows(self, state: frozenset[str] | None) -> frozenset[str] | None:
        return state

    def feasible(self, state: frozenset[str] | None, rows: Rows) -> BoolArray:
        assert self._answer is None, "a predicate that skipped is asked"
        return np.ones(len(rows), np.bool_)

    def reasons(self, state: frozenset[str] | None, row: int) -> tuple[str, ...]:
        raise AssertionError("a predicate that accepts everything is asked for reasons")


class Points(PriorityBase[ClusterView]):
    """Scores nodes as told; nodes that are not named get 0."""

    reads = _READS

    def __init__(
        self,
        name: str,
        points: Mapping[str, int] | None,
        normalize: Callable[[IntArray], IntArray] = lambda scores: scores,
    ) -> None:
        self.name = name
        self._points = points
        self._normalize = normalize

    def prepare(self, pod: PodInfo, view: ClusterView) -> ClusterView | Skip:
        return SKIP if self._points is None else view

    def score(self, state: ClusterView, rows: Rows) -> IntArray:
        points = self._points or {}
        return np.array([points.get(state.node_name(row), 0) for row in rows.tolist()], np.int64)

    def normalize(self, state: ClusterView, scores: IntArray) -> IntArray:
        return self._normalize(scores)
