"""One decision, two sides: which of the things that count are equal, and how they differ where they are not."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pointsman.policy.policy import Policy
from tests.oracle.ours import Decision
from tests.oracle.server import Verdict


@dataclass(slots=True)
class Comparison:
    """What is equal between the two sides; things that a decision does not have are equal."""

    feasible: bool = True
    scores: bool = True
    chosen: bool = True
    message: bool = True
    preemption: bool = True
    differences: dict[str, Any] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)  # our first rejecters, and of how many nodes
    scored: tuple[str, ...] = ()  # plugins that kube-scheduler has scored with
    nowhere: bool = False
    preempting: bool = False

    @property
    def equal(self) -> bool:
        return self.feasible and self.scores and self.chosen and self.message and self.preemption

    def differ(self, what: str, oracle: Any, ours: Any) -> None:
        """Note a difference, both sides in full."""
        setattr(self, what, False)
        self.differences[what] = {"kube-scheduler": oracle, "pointsman": ours}


def compare(verdict: Verdict, ours: Decision, policy: Policy) -> Comparison:
    """Hold our decision against kube-scheduler's verdict."""
    found = Comparison(rejected=dict(ours.rejected))
    if verdict.node:
        _compare_choice(found, verdict, ours, policy)
    else:
        found.nowhere = True
        if ours.explanation.scored:
            found.differ("feasible", [], sorted(ours.explanation.scored))
        if verdict.message != ours.message:
            found.differ("message", verdict.message, ours.message)
        _compare_preemption(found, verdict, ours)
    return found


def compare_volumes(found: Comparison, theirs: Mapping[str, str], ours: Mapping[str, str]) -> None:
    """What the claims of a pod were bound to; of volumes of one size either side may take any."""
    if theirs != ours:
        found.differ("chosen", theirs, ours)


def _compare_preemption(found: Comparison, verdict: Verdict, ours: Decision) -> None:
    target = verdict.log.target
    found.preempting = bool(target)
    if ours.nomination != verdict.nominated and not target:
        found.differ("preemption", {"nominated": verdict.nominated}, {"nominated": ours.nomination})
    if not target and not ours.ties:
        return
    if ours.ties.get(target) != frozenset(verdict.log.victims):
        theirs = {target: sorted(verdict.log.victims)}
        found.differ("preemption", theirs, {node: sorted(victims) for node, victims in ours.ties.items()})


def _compare_choice(found: Comparison, verdict: Verdict, decision: Decision, policy: Policy) -> None:
    ours = decision.explanation
    totals = verdict.log.totals
    feasible = set(totals) or {verdict.node}
    if feasible != ours.scored.keys() or len(feasible) != decision.feasible:
        reasons = {name: said.reasons for name, said in ours.refused.items() if name in feasible}
        found.differ("feasible", sorted(feasible), {"nodes": sorted(ours.scored), "refused": reasons})
        if decision.message:
            found.differences["feasible"]["pointsman"]["message"] = decision.message
        return
    if verdict.node not in ours.best or decision.node not in ours.best:
        found.differ("chosen", verdict.node, {"best": sorted(ours.best), "chosen": decision.node})
    if totals:
        _compare_scores(found, verdict, decision, policy)


def _compare_scores(found: Comparison, verdict: Verdict, decision: Decision, policy: Policy) -> None:
    ours = decision.explanation
    weights = {weighted.priority.name: weighted.weight for weighted in policy.priorities}
    differing: dict[str, Any] = {}
    for node, total in verdict.log.totals.items():
        theirs = verdict.log.scores[node]
        mine = {name: score * weights[name] for name, score in ours.scored[node].scores.items()}
        unequal = dict(_unequal(theirs, mine))
        if unequal or total != ours.scored[node].total:
            differing[node] = unequal, total, ours.scored[node].total
    some_node = next(iter(verdict.log.scores.values()), {})
    found.scored = tuple(some_node)
    if differing:
        found.differ("scores", "see pointsman", differing)


def _unequal(theirs: Mapping[str, int], mine: Mapping[str, int]) -> Iterator[tuple[str, list[int | None]]]:
    """A rule that has nothing to say about a pod scores 0, whether it says so or not."""
    for name in sorted({*theirs, *mine}):
        if theirs.get(name, 0) != mine.get(name, 0):
            yield name, [theirs.get(name), mine.get(name)]


def told(seed: int, world: int, pod: str, comparison: Comparison, detail: Mapping[str, Any]) -> str:
    """A disagreement as one line of JSON: where to find it again, and both sides."""
    return json.dumps(
        {"seed": seed, "world": world, "pod": pod, "differences": comparison.differences, **detail}, default=list
    )
