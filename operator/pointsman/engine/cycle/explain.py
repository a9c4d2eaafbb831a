"""A decision laid open: for every node the predicate that refused it and why, or its scores and total.

The same steps as `cycle.schedule`, keeping what the cycle throws away. Dearer than a decision, so only for people and
tests that ask. The draw among the best is left out: `best` holds all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.scoring import best, score_rows, total
from pointsman.engine.cycle.search import Refusal, Search
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray, ClusterView


@dataclass(frozen=True, slots=True)
class RefusedNode:
    """A node that the pod does not fit, by the first predicate that says so; `also` are the others that would."""

    predicate: str
    reasons: tuple[str, ...]
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoredNode:
    """A node that the pod fits: normalised scores by priority, without their weights, and the weighted total."""

    scores: Mapping[str, int]
    total: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """`refused` and `scored` by node name; nodes in neither were not looked at. `message` is empty if the pod fits."""

    message: str
    refused: Mapping[str, RefusedNode] = field(default_factory=dict)
    scored: Mapping[str, ScoredNode] = field(default_factory=dict)
    best: frozenset[str] = frozenset()


def explain(
    policy: Policy,
    pod: PodInfo,
    cluster: ClusterView,
    candidates: BoolArray,
    nominator: Nominator,
    *,
    every_predicate: bool = False,
) -> Explanation:
    """Lay open what `schedule` would do; a lone feasible node is scored too. Raises RuleError.

    `message` tells of the nodes only, not of preemption. `every_predicate` asks on after the first refusal, as the
    Policy files' alwaysCheckAllPredicates did; the decision is the same.
    """
    if not cluster.node_count:
        return Explanation(fit_error.NO_NODES)
    found = search(policy, pod, cluster, candidates, nominator)
    further = _further_refusals(found) if every_predicate else {}
    refused = {
        cluster.node_name(row): RefusedNode(refusal.predicate.name, refusal.reasons(row), further.get(row, {}))
        for refusal in found.refusals
        for row in refusal.rows.tolist()
    }
    rows = found.feasible
    if not len(rows):
        return Explanation(found.message(found.reason_counts()), refused)
    scored = score_rows(policy, pod, cluster, rows)
    totals = total(scored, len(rows))
    nodes = {
        cluster.node_name(row): ScoredNode({name: int(scores[place]) for name, _, scores in scored}, int(totals[place]))
        for place, row in enumerate(rows.tolist())
    }
    return Explanation("", refused, nodes, frozenset(cluster.node_name(row) for row in best(rows, totals).tolist()))


def _further_refusals(found: Search) -> dict[int, dict[str, tuple[str, ...]]]:
    """By refused row, the reasons of predicates other than the one that came first."""
    first = {row: refusal.predicate.name for refusal in found.refusals for row in refusal.rows.tolist()}
    rows = np.array(sorted(first), np.intp)
    further: dict[int, dict[str, tuple[str, ...]]] = {row: {} for row in first}
    for predicate, state in found.prepared:
        with asking(predicate.name):
            refused = rows[~predicate.feasible(state, rows)]
        refusal = Refusal(predicate, state, refused)
        for row in refused.tolist():
            if first[row] != predicate.name:
                further[row][predicate.name] = refusal.reasons(row)
    return further
