"""PodTopologySpread, the priority: the fewer pods in a node's domains, the better.

Constraints with ScheduleAnyway, or those that the profile adds for pods without any (podtopologyspread/scoring.go,
1.36). Domains are those of the feasible nodes; their pods are counted on all nodes of the cluster.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import SKIP, PriorityBase, Skip
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.policy.spread.constraints import SOFT
from pointsman.policy.spread.domains import READS, Spread, constraints_for, spreads, sums
from pointsman.policy.topology_labels import HOSTNAME
from pointsman.policy.view import BoolArray, ClusterView, IdArray, IntArray, Rows

IGNORED: Final = -1  # the raw score of a node that lacks a key


@dataclass(frozen=True, slots=True)
class State:
    """The constraints over the view; with `every_key`, nodes that lack one of the keys are not scored."""

    spreads: tuple[Spread, ...]
    every_key: bool


class PodTopologySpread(PriorityBase[State]):
    """Which domains there are depends on the rows that are scored, so the sums are made in `score`."""

    reads = READS

    def __init__(self, name: str, args: PodTopologySpreadArgs) -> None:
        self.name = name
        self._defaults = args.defaults
        self._system_defaulted = args.system_defaulted

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        constraints = constraints_for(pod, view, self._defaults, SOFT)
        if not constraints:
            return SKIP
        # The system's constraints spread over hostnames even where nodes have no zone.
        every_key = bool(pod.pod.spec.topology_spread_constraints) or not self._system_defaulted
        return State(spreads(pod, view, constraints, every_key=every_key), every_key)

    def score(self, state: State, rows: Rows) -> IntArray:
        ignored = _lacking(state.spreads, rows) if state.every_key else np.zeros(len(rows), dtype=np.bool_)
        scored = rows[~ignored]
        total = np.zeros(len(scored), dtype=np.float64)
        for spread in state.spreads:
            pods, domains = _pods_in_domain(spread, scored)
            weight = math.log(domains + 2)
            present = spread.ids.take(scored) >= 0
            total += np.where(present, pods * weight + (spread.constraint.max_skew - 1), 0.0)
        scores = np.full(len(rows), IGNORED, dtype=np.int64)
        scores[~ignored] = _rounded(total)
        return scores

    def normalize(self, state: State, scores: IntArray) -> IntArray:  # noqa: ARG002 - part of the protocol
        valid = scores != IGNORED
        result = np.zeros(len(scores), dtype=np.int64)
        if not valid.any():
            return result
        counted = scores[valid]
        lowest, highest = counted.min(), max(counted.max(), 0)
        result[valid] = MAX_SCORE if highest == 0 else MAX_SCORE * (highest + lowest - counted) // highest
        return result


def _lacking(made: tuple[Spread, ...], rows: Rows) -> BoolArray:
    lacking = np.zeros(len(rows), dtype=np.bool_)
    for spread in made:
        lacking |= spread.ids.take(rows) < 0
    return lacking


def _pods_in_domain(spread: Spread, rows: Rows) -> tuple[IntArray, int]:
    """Pods of each row's domain, int64 (len(rows),), and how many domains the rows are in.

    A hostname stands for the node itself, whatever the policies of the constraint.
    """
    if spread.constraint.topology_key == HOSTNAME:
        return spread.pods.take(rows), len(rows)
    ids = _places(spread)
    size = len(spread.values) + 1
    found = np.zeros(size, dtype=np.bool_)
    here = ids.take(rows)
    found[here] = True
    totals = sums(ids[spread.counted], spread.pods[spread.counted], size)
    return totals.take(here), int(np.count_nonzero(found))


def _places(spread: Spread) -> IdArray:
    """The row's domain; a node without the key is in that of the empty value, or else in one of its own."""
    lacking = spread.values.index("") if "" in spread.values else len(spread.values)
    return np.where(spread.ids < 0, lacking, spread.ids).astype(np.int32)


def _rounded(scores: NDArray[np.float64]) -> IntArray:
    """Halves go up, as Go's math.Round has it for what is not negative."""
    whole = np.floor(scores)
    return (whole + (scores - whole >= 0.5)).astype(np.int64)
