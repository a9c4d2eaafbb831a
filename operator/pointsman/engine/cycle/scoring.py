"""How good the feasible nodes are: map, reduce, weight, sum, and the choice among the best.

Integer arithmetic throughout, as in kube-scheduler 1.36 (framework/runtime/framework.go): each priority is normalised
to 0..100 over the feasible rows before its weight counts. kube-scheduler's choice among equals depends on the order of
its goroutines; ours is an even draw.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy, WeightedPriority
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import Skip
from pointsman.policy.view import ClusterView, IntArray, Rows


class Scores(NamedTuple):
    """One priority's normalised scores, int64 (len(rows),), and its weight."""

    priority: str
    weight: int
    scores: IntArray


class PreparedPriority(NamedTuple):
    """A priority that has something to say about the pod, with what it worked out."""

    weighted: WeightedPriority
    state: Any

    def scores(self, rows: Rows) -> Scores:
        """Its scores of the rows, at least one. Raises RuleError."""
        return self.reduced(self.raw(rows))

    def raw(self, rows: Rows) -> IntArray:
        """What it scores before its reduce step. Raises RuleError."""
        priority = self.weighted.priority
        with asking(priority.name):
            return priority.score(self.state, rows)

    def reduced(self, raw: IntArray) -> Scores:
        """From raw scores of all feasible rows, at least one. Raises RuleError."""
        priority = self.weighted.priority
        with asking(priority.name):
            scores = priority.normalize(self.state, raw)
            low, high = int(scores.min()), int(scores.max())
            if low < 0 or high > MAX_SCORE:
                raise ValueError(f"score {low if low < 0 else high} is outside 0..{MAX_SCORE} after normalizing")
        return Scores(priority.name, self.weighted.weight, scores)


def prepare_priorities(
    priorities: Iterable[WeightedPriority], pod: PodInfo, cluster: ClusterView
) -> list[PreparedPriority]:
    """The priorities that have something to say about the pod. Raises RuleError."""
    asked = ((weighted, _ask(weighted, pod, cluster)) for weighted in priorities)
    return [PreparedPriority(weighted, state) for weighted, state in asked if not isinstance(state, Skip)]


def score_rows(policy: Policy, pod: PodInfo, cluster: ClusterView, rows: Rows) -> list[Scores]:
    """Scores of every priority that has something to say about the pod. Raises RuleError."""
    return [prepared.scores(rows) for prepared in prepare_priorities(policy.priorities, pod, cluster)]


def total(scored: Sequence[Scores], count: int) -> IntArray:
    """Weighted sum of all scores, int64 (count,)."""
    totals = np.zeros(count, np.int64)
    for _, weight, scores in scored:
        totals += weight * scores
    return totals


def best(rows: Rows, totals: IntArray) -> Rows:
    """The rows with the highest total."""
    highest: Rows = rows[totals == totals.max()]
    return highest


def draw(rows: Rows, rng: random.Random) -> int:
    """One of the rows, each as likely as the others."""
    return int(rows[rng.randrange(len(rows))])


def _ask(weighted: WeightedPriority, pod: PodInfo, cluster: ClusterView) -> Any:
    with asking(weighted.priority.name):
        return weighted.priority.prepare(pod, cluster)
