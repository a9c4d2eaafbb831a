"""The journal of the columns: which rows changed since somebody last looked, so that nobody looks at the others again.

Pods come and go all the time and touch one row each; objects of nodes change seldom and may touch every answer. So the
journal has one number that grows with each change of a node, and a list of the rows that pods touched, of which the
oldest entries are let go.
"""

from typing import Final

_KEPT: Final = 8192


class Journal:
    """`nodes` counts changes of node objects, `position` is where the list of touched rows ends."""

    __slots__ = ("_first", "_rows", "nodes")

    def __init__(self) -> None:
        self.nodes = 0
        self._first = 0
        self._rows: list[int] = []

    @property
    def position(self) -> int:
        return self._first + len(self._rows)

    def node_changed(self) -> None:
        """A node came, went or changed."""
        self.nodes += 1

    def touch(self, row: int) -> None:
        """The pods of a row changed."""
        self._rows.append(row)
        if len(self._rows) > 2 * _KEPT:
            del self._rows[:_KEPT]
            self._first += _KEPT

    def since(self, position: int) -> set[int] | None:
        """The rows touched after that position; None if the list does not reach back so far."""
        if position < self._first:
            return None
        return set(self._rows[position - self._first :])
