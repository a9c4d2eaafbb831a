"""What is known of one class of pods: which rows they fit and how these score, as far as steady rules tell.

Made over all candidate rows once, then brought up to date row by row from the journal; a changed node, or too many
changed rows, means making it anew. Raw answers alone are kept: a reduce step depends on the whole feasible set.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from pointsman.engine.classes.rules import Rules
from pointsman.engine.cluster.journal import Journal
from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.scoring import score
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import WeightedPriority
from pointsman.policy.rule import Predicate, Priority, Reject, Skip
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

_WORTH_IT: Final = 4  # beyond a quarter of the rows one pass over all of them is cheaper
_UNFIT: Final = -1


class JournaledView(ClusterView, Protocol):
    """Columns that keep a journal."""

    @property
    def journal(self) -> Journal: ...


class Unsteady(Exception):
    """A rule refuses the pod as such, or names the only nodes: such a pod goes through the whole cycle."""


class Relative(NamedTuple):
    """A priority with a reduce step and its raw scores, int64 (capacity,)."""

    weighted: WeightedPriority
    state: Any
    raw: IntArray


class Known:
    """One class over the rows of a profile's pool.

    `fits` is bool (capacity,), `totals` the weighted sum of the plain scores, int64 (capacity,), -1 where a row
    does not fit. `relative` has only priorities that tell rows apart: one that is equal everywhere moves nobody.
    """

    def __init__(self, rules: Rules) -> None:
        self.fits: BoolArray = np.zeros(0, np.bool_)
        self.totals: IntArray = np.zeros(0, np.int64)
        self.relative: tuple[Relative, ...] = ()
        self._rules = rules
        self._nodes = -1
        self._position = 0
        self._on_node: BoolArray = self.fits  # what the nodes alone allow
        self._node_totals: IntArray = self.totals  # what the nodes alone are worth

    def update(self, pod: PodInfo, view: JournaledView, candidates: BoolArray) -> None:
        """Bring everything up to date, for any pod of the class. Raises Unsteady, RuleError."""
        journal = view.journal
        touched = journal.since(self._position) if self._nodes == journal.nodes else None
        if touched is None or _WORTH_IT * len(touched) > len(self.fits):
            self._nodes = -1  # until it is made, nothing is known
            self._make(pod, view, candidates)
            self._nodes = journal.nodes
        elif touched:
            rows = np.fromiter(touched, np.intp, len(touched))
            self._refresh(pod, view, rows[self._on_node[rows]])
        self._position = journal.position

    def _make(self, pod: PodInfo, view: ClusterView, candidates: BoolArray) -> None:
        self._on_node = _passing(self._rules.of_nodes, pod, view, candidates)
        self.fits = np.zeros(view.capacity, np.bool_)
        self.totals = np.full(view.capacity, _UNFIT, np.int64)
        self._node_totals = np.zeros(view.capacity, np.int64)
        rows = np.flatnonzero(self._on_node)
        if len(rows):
            self._node_totals[rows] = _sum(self._rules.plain_of_nodes, pod, view, rows)
        self._refresh(pod, view, rows)
        scored = (_relative(weighted, pod, view, rows) for weighted in self._rules.relative if len(rows))
        self.relative = tuple(one for one in scored if one is not None)

    def _refresh(self, pod: PodInfo, view: ClusterView, rows: Rows) -> None:
        """Answer anew for rows whose nodes allow the pod."""
        if not len(rows):
            return
        fit = np.ones(len(rows), np.bool_)
        for predicate in self._rules.of_rows:
            asked = ask(predicate, pod, view)
            if asked is not None:
                with asking(predicate.name):
                    fit &= predicate.feasible(asked.state, rows)
        totals = self._node_totals[rows] + _sum(self._rules.plain_of_rows, pod, view, rows)
        totals[~fit] = _UNFIT
        self.fits[rows] = fit
        self.totals[rows] = totals


def _sum(priorities: Sequence[WeightedPriority], pod: PodInfo, view: ClusterView, rows: Rows) -> IntArray:
    """Weighted sum of plain scores, int64 (len(rows),)."""
    totals = np.zeros(len(rows), np.int64)
    for weighted in priorities:
        scored = score(weighted, pod, view, rows)
        if scored is not None:
            totals += scored.weight * scored.scores
    return totals


def _passing(predicates: Sequence[Predicate[Any]], pod: PodInfo, view: ClusterView, candidates: BoolArray) -> BoolArray:
    """The candidates that all of these predicates accept."""
    rows = np.flatnonzero(candidates)
    for predicate in predicates:
        asked = ask(predicate, pod, view)
        if asked is not None and len(rows):
            with asking(predicate.name):
                rows = rows[predicate.feasible(asked.state, rows)]
    passing = np.zeros(view.capacity, np.bool_)
    passing[rows] = True
    return passing


def ask(predicate: Predicate[Any], pod: PodInfo, view: ClusterView) -> Prepared | None:
    """What the predicate works out for the pod, None if it has nothing to say. Raises Unsteady, RuleError."""
    with asking(predicate.name):
        state = predicate.prepare(pod, view)
        if isinstance(state, Skip):
            return None
        refuses = isinstance(state, Reject) or predicate.narrows(state) is not None
    if refuses:
        raise Unsteady
    return Prepared(predicate, state)


def _relative(weighted: WeightedPriority, pod: PodInfo, view: ClusterView, rows: Rows) -> Relative | None:
    priority: Priority[Any] = weighted.priority
    with asking(priority.name):
        state = priority.prepare(pod, view)
        if isinstance(state, Skip):
            return None
        scores = priority.score(state, rows)
    if scores.min() == scores.max():
        return None
    raw = np.zeros(view.capacity, np.int64)
    raw[rows] = scores
    return Relative(weighted, state, raw)
