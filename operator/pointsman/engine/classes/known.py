"""What is known of one class of pods: which rows they fit and how these score, as far as steady rules tell.

Made over all candidate rows once, then brought up to date row by row from the journal; a changed node, or too many
changed rows, means making it anew. Raw answers alone are kept: a reduce step depends on the whole feasible set.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Protocol

import numpy as np

from pointsman.engine.classes.asking import ask, passing
from pointsman.engine.classes.rows import RowRules
from pointsman.engine.classes.rules import Rules
from pointsman.engine.cluster.journal import Journal
from pointsman.engine.cycle.scoring import PreparedPriority, prepare_priorities, total
from pointsman.policy.pod import PodInfo
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

_WORTH_IT: Final = 4  # beyond a quarter of the rows one pass over all of them is cheaper
_FEW: Final = 8  # rows up to which asking one by one is quicker
_UNFIT: Final = -1


class JournaledView(ClusterView, Protocol):
    """Columns that keep a journal."""

    @property
    def journal(self) -> Journal: ...


class Relative(NamedTuple):
    """A priority with a reduce step and its raw scores, int64 (capacity,)."""

    prepared: PreparedPriority
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
        self._row_rules: RowRules | None = None

    def update(self, pod: PodInfo, view: JournaledView, candidates: BoolArray) -> None:
        """Bring everything up to date, for any pod of the class. Raises Unsteady, RuleError."""
        journal = view.journal
        touched = journal.since(self._position) if self._nodes == journal.nodes else None
        if touched is None or _WORTH_IT * len(touched) > len(self.fits):
            self._nodes = -1  # until it is made, nothing is known
            self._make(pod, view, candidates)
            self._nodes = journal.nodes
        elif len(touched) <= _FEW:
            for row in touched:
                self._refresh_one(pod, view, row)
        else:
            rows = np.fromiter(touched, np.intp, len(touched))
            self._refresh(pod, view, rows[self._on_node[rows]])
        self._position = journal.position

    def _make(self, pod: PodInfo, view: ClusterView, candidates: BoolArray) -> None:
        asked = [ask(predicate, pod, view) for predicate in self._rules.of_nodes]
        rows = passing([one for one in asked if one is not None], np.flatnonzero(candidates))
        self._on_node = np.zeros(view.capacity, np.bool_)
        self._on_node[rows] = True
        self._row_rules = RowRules(self._rules, pod, view)
        self._node_totals = np.zeros(view.capacity, np.int64)
        self.fits = np.zeros(view.capacity, np.bool_)
        self.totals = np.full(view.capacity, _UNFIT, np.int64)
        self.relative = ()
        if len(rows):
            plain = prepare_priorities(self._rules.plain_of_nodes, pod, view)
            self._node_totals[rows] = total([one.scores(rows) for one in plain], len(rows))
            self._refresh(pod, view, rows)
            self.relative = tuple(_telling(prepare_priorities(self._rules.relative, pod, view), rows, view.capacity))

    def _refresh_one(self, pod: PodInfo, view: ClusterView, row: int) -> None:
        """`_refresh` for one row, without arrays: what follows when a pod was placed."""
        if self._row_rules is not None and self._on_node[row]:
            fits = self.fits[row] = self._row_rules.fits(pod, view, row)
            self.totals[row] = self._node_totals[row] + self._row_rules.total(pod, view, row) if fits else _UNFIT

    def _refresh(self, pod: PodInfo, view: ClusterView, rows: Rows) -> None:
        """Answer anew for rows whose nodes allow the pod."""
        if self._row_rules is not None and len(rows):
            fits, totals = self._row_rules.answers(pod, view, rows)
            totals += self._node_totals[rows]
            totals[~fits] = _UNFIT
            self.fits[rows] = fits
            self.totals[rows] = totals


def _telling(priorities: Iterable[PreparedPriority], rows: Rows, capacity: int) -> Iterator[Relative]:
    """Those of the priorities that tell some of the rows apart."""
    for prepared in priorities:
        scores = prepared.raw(rows)
        if scores.min() != scores.max():
            raw = np.zeros(capacity, np.int64)
            raw[rows] = scores
            yield Relative(prepared, raw)
