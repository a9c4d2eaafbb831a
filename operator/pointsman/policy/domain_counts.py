"""Amounts per topology domain: what rows with one value of a label have together."""

from typing import NamedTuple, Self

import numpy as np

from pointsman.policy.view import BoolArray, IdArray, IntArray, LabelColumn, Rows


class DomainCounts(NamedTuple):
    """Sums by value id of one label's column; the last one is for rows without the label and stays 0."""

    ids: IdArray  # shape (capacity,), -1 where the label is absent
    sums: IntArray  # shape (len(values) + 1,)

    @classmethod
    def of(cls, column: LabelColumn, amounts: IntArray, rows: Rows) -> Self:
        """Add up the amounts, int64 (capacity,), of these rows."""
        sums = np.zeros(len(column.values) + 1, dtype=np.int64)
        counted = rows[amounts[rows] != 0]
        np.add.at(sums, column.ids[counted], amounts[counted])
        sums[-1] = 0
        return cls(column.ids, sums)

    @classmethod
    def zero(cls, column: LabelColumn) -> Self:
        return cls(column.ids, np.zeros(len(column.values) + 1, dtype=np.int64))

    def plus(self, row: int, amount: int) -> Self:
        """The counts after a change on one row; these stay as they are."""
        domain = self.ids[row]
        if domain < 0:
            return self
        sums = self.sums.copy()
        sums[domain] += amount
        return self._replace(sums=sums)

    def known(self, rows: Rows) -> BoolArray:
        """bool (len(rows),): the rows that have the label."""
        return self.ids[rows] >= 0

    def at(self, rows: Rows) -> IntArray:
        """int64 (len(rows),): the sum of each row's domain, 0 where it has none."""
        return self.sums[self.ids[rows]]

    def any(self) -> bool:
        """Whether some domain's sum is not 0."""
        return bool(self.sums.any())
