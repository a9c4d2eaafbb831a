"""Columns: one NumPy array per fact about nodes, one element per row, growing by doubling.

A column's owner writes `data`; everybody else gets `view`, the same memory marked read-only, so that a rule that writes
by mistake fails at once. Growing makes a new array: a view handed out before keeps its old length and stops changing.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
_INT64_SPAN = 2**64


class Growing(Protocol):
    """Anything with one element per row."""

    def grow(self, capacity: int) -> None: ...


class Column(Generic[T]):
    """`data` and `view` have shape (capacity,); rows without a node hold `fill`."""

    __slots__ = ("_fill", "data", "view")

    data: NDArray[T]
    view: NDArray[T]

    def __init__(self, dtype: type[T], capacity: int, fill: int = 0) -> None:
        self._fill = fill
        self._take(np.full(capacity, fill, dtype))

    def grow(self, capacity: int) -> None:
        """Lengthen to `capacity` rows; never shortens."""
        data = np.full(capacity, self._fill, self.data.dtype)
        data[: len(self.data)] = self.data
        self._take(data)

    def _take(self, data: NDArray[T]) -> None:
        self.data = data
        self.view = data.view()
        self.view.flags.writeable = False


def add_amount(column: Column[np.int64], row: int, amount: int) -> None:
    """Add to one row as Go adds int64: past the range it wraps around, silently, so that taking away again is exact."""
    total = column.data.item(row) + amount
    if not INT64_MIN <= total <= INT64_MAX:
        total = (total - INT64_MIN) % _INT64_SPAN + INT64_MIN
    column.data[row] = total


class Recent(Generic[K, V]):
    """A bounded map of what was asked for last; the entry that was used longest ago makes room.

    Keeps what is derived (a column per label key or image that some pod names, counts per question) from growing with
    the names that pods invent.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """The entry, now the most recently used one."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: K, entry: V) -> V | None:
        """Add an entry, the most recently used one; returns the one that made room."""
        self._entries[key] = entry
        self._entries.move_to_end(key)
        return self._entries.popitem(last=False)[1] if len(self._entries) > self._limit else None

    def peek(self, key: K) -> V | None:
        """The entry, without counting as a use."""
        return self._entries.get(key)

    def discard(self, key: K) -> None:
        self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries.clear()

    def values(self) -> list[V]:
        return list(self._entries.values())

    def items(self) -> list[tuple[K, V]]:
        """A snapshot, so that entries may be discarded on the way."""
        return list(self._entries.items())
