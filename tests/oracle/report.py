"""Counting what was compared: the one line of JSON that a run of the oracle ends with."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.compare import Comparison


@dataclass(slots=True)
class Report:
    """Counters over all decisions. A decision that does not have a thing (no scores: one node fits) counts as equal."""

    decisions: int = 0
    equal: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)

    def add_known(self, comparison: Comparison, what: str) -> None:
        """Count a decision of a class in which the two sides may differ, if they do; others are decisions like any."""
        if comparison.equal:
            self.add(comparison)
        else:
            self.known[what] += 1

    def add(self, comparison: Comparison) -> None:
        """Count one decision."""
        self.decisions += 1
        for what in ("feasible", "scores", "chosen", "message", "preemption"):
            self.equal[what] += getattr(comparison, what)
        self.kinds["preempting"] += comparison.preempting
        self.kinds["nowhere" if comparison.nowhere else "scored" if comparison.scored else "one node"] += 1
        self.rejected.update(comparison.rejected.keys())
        if comparison.nowhere:
            self.told.update(comparison.rejected.keys())
        self.scored.update(comparison.scored)

    @property
    def agrees(self) -> bool:
        """Whether every decision was equal in everything."""
        return all(self.equal[what] == self.decisions for what in self.equal)

    def json(self) -> dict[str, Any]:
        """The report. `rejected` counts decisions in which the rule was the first to refuse a node, `told` those of
        them that fitted nowhere, so that its words were compared; `scored` those that kube-scheduler scored with it."""
        rules = sorted({*self.rejected, *self.scored})
        return {
            "decisions": self.decisions,
            "feasibleEqual": self.equal["feasible"],
            "scoresEqual": self.equal["scores"],
            "chosenInBest": self.equal["chosen"],
            "messageEqual": self.equal["message"],
            "preemptionEqual": self.equal["preemption"],
            "kinds": dict(self.kinds),
            "byRule": {
                rule: {"rejected": self.rejected[rule], "told": self.told[rule], "scored": self.scored[rule]}
                for rule in rules
            },
            "knownDifferences": dict(self.known),
        }
