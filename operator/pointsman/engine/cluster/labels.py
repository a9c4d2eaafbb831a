"""Node labels as columns of small integers, one column per key that some rule asked for.

Nodes carry dozens of keys of which rules name a few, so a key's column is made when it is first asked for (one pass
over the rows) and kept up to date from then on.
"""

from collections.abc import Sequence

import numpy as np

from pointsman.engine.cluster.columns import Column, Recent
from pointsman.policy.view import LabelColumn

MAX_KEYS = 512  # a column of 5,000 rows takes 20 kB
_ABSENT = -1
_NO_LABELS: dict[str, str] = {}


class _Key:
    """One label key: value ids per row, and the values they stand for."""

    __slots__ = ("_index", "ids", "values")

    def __init__(self, capacity: int, labels: Sequence[dict[str, str]], key: str) -> None:
        self._index: dict[str, int] = {}
        self.ids: Column[np.int32] = Column(np.int32, capacity, _ABSENT)
        self.values: list[str] = []
        for row, of_row in enumerate(labels):
            self.set(row, of_row.get(key))

    def set(self, row: int, value: str | None) -> None:
        self.ids.data[row] = _ABSENT if value is None else self._intern(value)

    def _intern(self, value: str) -> int:
        found = self._index.get(value)
        if found is None:
            found = self._index[value] = len(self.values)
            self.values.append(value)
        return found


class Labels:
    """Labels of every row, and the columns made of them."""

    def __init__(self, capacity: int, max_keys: int = MAX_KEYS) -> None:
        self._of: list[dict[str, str]] = [_NO_LABELS] * capacity
        self._keys: Recent[str, _Key] = Recent(max_keys)

    def grow(self, capacity: int) -> None:
        self._of.extend([_NO_LABELS] * (capacity - len(self._of)))
        for column in self._keys.values():
            column.ids.grow(capacity)

    def of(self, row: int) -> dict[str, str]:
        return self._of[row]

    def set_row(self, row: int, labels: dict[str, str]) -> None:
        """Replace a row's labels.

        A column whose values have mostly gone out of use (hostnames, where nodes come and go) is dropped, to be made
        anew when next asked for.
        """
        self._of[row] = labels
        for key, column in self._keys.items():
            column.set(row, labels.get(key))
            if len(column.values) > 2 * len(self._of):
                self._keys.discard(key)

    def clear_row(self, row: int) -> None:
        self.set_row(row, _NO_LABELS)

    def column(self, key: str) -> LabelColumn:
        """Value ids int32 (capacity,), -1 where the key is absent, and the values."""
        column = self._keys.get(key)
        if column is None:
            column = _Key(len(self._of), self._of, key)
            self._keys.put(key, column)
        return LabelColumn(column.ids.view, column.values)
