"""One decision, two sides: which of the things that count are equal, and how they differ where they are not."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pointsman.engine.cycle.explain import Explanation
from pointsman.policy.policy import Policy
from tests.oracle.server import Verdict

# Stock profiles have it on. Without claims it scores 0 everywhere and says one sentence about a pod that fits nowhere;
# Pointsman does not build it.
_NOT_BUILT: Final = "DynamicResources"


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

    @property
    def equal(self) -> bool:
        return self.feasible and self.scores and self.chosen and self.message and self.preemption

    def differ(self, what: str, oracle: Any, ours: Any) -> None:
        """Note a difference, both sides in full."""
        setattr(self, what, False)
        self.differences[what] = {"kube-scheduler": oracle, "pointsman": ours}


def compare(verdict: Verdict, ours: Explanation, policy: Policy) -> Comparison:
    """Hold our explanation against kube-scheduler's verdict."""
    found = Comparison()
    for refused in ours.refused.values():
        found.rejected[refused.predicate] = found.rejected.get(refused.predicate, 0) + 1
    if verdict.node:
        _compare_choice(found, verdict, ours, policy)
    else:
        found.nowhere = True
        if ours.scored:
            found.differ("feasible", [], sorted(ours.scored))
        _compare_message(found, verdict, ours)
    return found


def _compare_choice(found: Comparison, verdict: Verdict, ours: Explanation, policy: Policy) -> None:
    totals = verdict.log.totals
    feasible = set(totals) or {verdict.node}
    if feasible != ours.scored.keys():
        reasons = {name: said.reasons for name, said in ours.refused.items() if name in feasible}
        found.differ("feasible", sorted(feasible), {"nodes": sorted(ours.scored), "refused": reasons})
        if ours.message:
            found.differences["feasible"]["pointsman"]["message"] = ours.message
        return
    if verdict.node not in ours.best:
        found.differ("chosen", verdict.node, sorted(ours.best))
    if totals:
        _compare_scores(found, verdict, ours, policy)


def _compare_scores(found: Comparison, verdict: Verdict, ours: Explanation, policy: Policy) -> None:
    weights = {weighted.priority.name: weighted.weight for weighted in policy.priorities}
    differing: dict[str, Any] = {}
    for node, total in verdict.log.totals.items():
        theirs = {plugin: score for plugin, score in verdict.log.scores[node].items() if plugin != _NOT_BUILT or score}
        mine = {name: score * weights[name] for name, score in ours.scored[node].scores.items()}
        if theirs != mine or total != ours.scored[node].total:
            differing[node] = dict(_unequal(theirs, mine)), total, ours.scored[node].total
    some_node = next(iter(verdict.log.scores.values()), {})
    found.scored = tuple(some_node)
    if differing:
        found.differ("scores", "see pointsman", differing)


def _unequal(theirs: Mapping[str, int], mine: Mapping[str, int]) -> Iterator[tuple[str, list[int | None]]]:
    for name in sorted({*theirs, *mine}):
        if theirs.get(name) != mine.get(name):
            yield name, [theirs.get(name), mine.get(name)]


def _compare_message(found: Comparison, verdict: Verdict, ours: Explanation) -> None:
    if comparable(verdict.message) != ours.message:
        found.differ("message", verdict.message, ours.message)


def comparable(message: str) -> str:
    """kube-scheduler's message without the words about preemption."""
    for mark in (" no new claims to deallocate", " preemption:", " not found"):
        head, found, _ = message.partition(mark)
        if found:
            return head
    return message


def told(seed: int, world: int, pod: str, comparison: Comparison, detail: Mapping[str, Any]) -> str:
    """A disagreement as one line of JSON: where to find it again, and both sides."""
    return json.dumps(
        {"seed": seed, "world": world, "pod": pod, "differences": comparison.differences, **detail}, default=list
    )
