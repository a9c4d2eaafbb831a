"""Taints as bit rows: for each distinct taint the rows that carry it; for each row its taints in order.

A pod's tolerations pick the taints that it does not tolerate once; the rows it may not use are the union of their bit
rows. The order matters only for the words of a refusal.
"""

from collections.abc import Sequence

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.policy.view import BoolArray, TaintKey


class Taints:
    """Taints and the unschedulable mark of every row."""

    def __init__(self, capacity: int) -> None:
        self._of: list[tuple[TaintKey, ...]] = [()] * capacity
        self._columns: dict[TaintKey, Column[np.bool_]] = {}
        self._carriers: dict[TaintKey, int] = {}
        self._views: dict[TaintKey, BoolArray] = {}
        self._unschedulable: Column[np.bool_] = Column(np.bool_, capacity)

    def grow(self, capacity: int) -> None:
        self._of.extend([()] * (capacity - len(self._of)))
        self._unschedulable.grow(capacity)
        for taint, column in self._columns.items():
            column.grow(capacity)
            self._views[taint] = column.view

    def set_row(self, row: int, taints: tuple[TaintKey, ...], *, unschedulable: bool) -> None:
        """Replace a row's taints and mark; nothing and False for a row that is given up."""
        before, after = set(self._of[row]), set(taints)
        for taint in before - after:
            self._drop(row, taint)
        for taint in after - before:
            self._put(row, taint)
        self._of[row] = taints
        self._unschedulable.data[row] = unschedulable

    def unschedulable(self) -> BoolArray:
        return self._unschedulable.view

    def rows(self) -> dict[TaintKey, BoolArray]:
        return self._views

    def of(self, row: int) -> Sequence[TaintKey]:
        return self._of[row]

    def _put(self, row: int, taint: TaintKey) -> None:
        column = self._columns.get(taint)
        if column is None:
            column = self._columns[taint] = Column(np.bool_, len(self._of))
            self._views[taint] = column.view
            self._carriers[taint] = 0
        column.data[row] = True
        self._carriers[taint] += 1

    def _drop(self, row: int, taint: TaintKey) -> None:
        self._carriers[taint] -= 1
        if self._carriers[taint]:
            self._columns[taint].data[row] = False
            return
        for table in (self._columns, self._views, self._carriers):
            del table[taint]
