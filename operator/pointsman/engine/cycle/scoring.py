"""How good the feasible nodes are: map, reduce, weight, sum, and the choice among the best.

Integer arithmetic throughout, as in kube-scheduler 1.36 (framework/runtime/framework.go): each priority is normalised
to 0..100 over the feasible rows before its weight counts. kube-scheduler's choice among equals depends on the order of
its goroutines; ours is an even draw.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy, WeightedPriority
from pointsman.policy.rule import Skip
from pointsman.policy.view import ClusterView, IntArray, Rows

MAX_SCORE = 100


class Scores(NamedTuple):
    """One priority's normalised scores, int64 (len(rows),), and its weight."""

    priority: str
    weight: int
    scores: IntArray


def score_rows(policy: Policy, pod: PodInfo, cluster: ClusterView, rows: Rows) -> list[Scores]:
    """Scores of every priority that has something to say about the pod. Raises RuleError."""
    scored = (score(weighted, pod, cluster, rows) for weighted in policy.priorities)
    return [scores for scores in scored if scores is not None]


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


def checked(scores: IntArray) -> IntArray:
    """The scores, at least one, if all are in range. Raises ValueError, which is a RuleError in the end."""
    low, high = int(scores.min()), int(scores.max())
    if low < 0 or high > MAX_SCORE:
        raise ValueError(f"score {low if low < 0 else high} is outside 0..{MAX_SCORE} after normalizing")
    return scores


def score(weighted: WeightedPriority, pod: PodInfo, cluster: ClusterView, rows: Rows) -> Scores | None:
    """One priority's scores of the rows, None if it has nothing to say about the pod. Raises RuleError."""
    priority = weighted.priority
    with asking(priority.name):
        state = priority.prepare(pod, cluster)
        if isinstance(state, Skip):
            return None
        scores = checked(priority.normalize(state, priority.score(state, rows)))
    return Scores(priority.name, weighted.weight, scores)
