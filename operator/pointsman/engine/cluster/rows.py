"""Which row a node has.

Rows are handed out in order and reused, last freed first, so the order of rows says nothing: neither age nor name. No
rule may depend on it, and no result does, because every node is scored and ties are drawn by lot.
"""

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.policy.view import BoolArray


class Rows:
    """Node names and their rows."""

    def __init__(self, capacity: int) -> None:
        self._row_of: dict[str, int] = {}
        self._names: list[str] = [""] * capacity
        self._free = list(range(capacity - 1, -1, -1))
        self._used: Column[np.bool_] = Column(np.bool_, capacity)

    @property
    def capacity(self) -> int:
        return len(self._names)

    @property
    def full(self) -> bool:
        """Whether the next node needs `grow` first."""
        return not self._free

    @property
    def used(self) -> BoolArray:
        """bool (capacity,): the rows that stand for a node."""
        return self._used.view

    def __len__(self) -> int:
        return len(self._row_of)

    def row_of(self, name: str) -> int | None:
        return self._row_of.get(name)

    def name(self, row: int) -> str:
        """The node's name, empty for a row without a node."""
        return self._names[row]

    def grow(self, capacity: int) -> None:
        old = self.capacity
        self._free.extend(range(capacity - 1, old - 1, -1))
        self._names.extend([""] * (capacity - old))
        self._used.grow(capacity)

    def take(self, name: str) -> int:
        """Give a new node a row; there must be a free one."""
        row = self._free.pop()
        self._row_of[name] = row
        self._names[row] = name
        self._used.data[row] = True
        return row

    def release(self, name: str) -> int:
        """Free a node's row, which its columns have been cleared of."""
        row = self._row_of.pop(name)
        self._names[row] = ""
        self._used.data[row] = False
        self._free.append(row)
        return row
