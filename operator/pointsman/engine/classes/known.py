"""What is known of one class of pods: which rows they fit and how these score, as far as steady rules tell.

Made over all candidate rows once, then brought up to date row by row from the journal, until a node changes or too many
rows have: then it is made anew. Raw answers alone are kept: a reduce step depends on the whole feasible set.
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
    """One class over the rows of a profile's pool, as long as the nodes stay as they are.

    `fits` is bool (capacity,), `totals` the weighted sum of the plain scores, int64 (capacity,), -1 where a row does
    not fit. `relative` has only priorities that tell rows apart: one that is equal everywhere moves nobody.
    """

    def __init__(self, rules: Rules, pod: PodInfo, view: JournaledView, candidates: BoolArray) -> None:
        """Find out over all rows, with any pod of the class. Raises Unsteady, RuleError."""
        self._nodes, self._position = view.journal.nodes, view.journal.position
        asked = [ask(predicate, pod, view) for predicate in rules.of_nodes]
        rows = passing([one for one in asked if one is not None], np.flatnonzero(candidates))
        self._on_node = np.zeros(view.capacity, np.bool_)  # what the nodes alone allow
        self._on_node[rows] = True
        self._node_totals = np.zeros(view.capacity, np.int64)  # what the nodes alone are worth
        self._row_rules = RowRules(rules, pod, view)
        self.fits: BoolArray = np.zeros(view.capacity, np.bool_)
        self.totals: IntArray = np.full(view.capacity, _UNFIT, np.int64)
        self.relative: tuple[Relative, ...] = ()
        if len(rows):
            plain = prepare_priorities(rules.plain_of_nodes, pod, view)
            self._node_totals[rows] = total([one.scores(rows) for one in plain], len(rows))
            self._refresh(pod, view, rows)
            self.relative = tuple(_telling(prepare_priorities(rules.relative, pod, view), rows, view.capacity))

    def update(self, pod: PodInfo, view: JournaledView) -> bool:
        """Bring it up to date with any pod of the class; False if it must be made anew. Raises Unsteady, RuleError."""
        journal = view.journal
        touched = journal.since(self._position) if self._nodes == journal.nodes else None
        if touched is None or _WORTH_IT * len(touched) > len(self.fits):
            return False
        if len(touched) <= _FEW:
            for row in touched:
                self._refresh_one(pod, view, row)
        else:
            rows = np.fromiter(touched, np.intp, len(touched))
            self._refresh(pod, view, rows[self._on_node[rows]])
        self._position = journal.position
        return True

    def _refresh_one(self, pod: PodInfo, view: ClusterView, row: int) -> None:
        """`_refresh` for one row, without arrays: what follows when a pod was placed."""
        if self._on_node[row]:
            fits = self.fits[row] = self._row_rules.fits(pod, view, row)
            self.totals[row] = self._node_totals[row] + self._row_rules.total(pod, view, row) if fits else _UNFIT

    def _refresh(self, pod: PodInfo, view: ClusterView, rows: Rows) -> None:
        """Answer anew for rows whose nodes allow the pod."""
        if len(rows):
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
