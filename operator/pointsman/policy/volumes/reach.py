"""Which of many things a node can reach, the preferred ones first: volumes for a claim, room for a new volume.

Local volumes come one per node, each with an affinity of its own, so asking every volume about every row would take
the square of the cluster. Things whose place is one value of one label are found through a table by that label's
values; all others share one test per distinct place. A place is matched against a node's labels alone: its name counts
as empty (CheckNodeAffinity, component-helpers/storage/volume/helpers.go, 1.36).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.kube.objects import NodeSelectorTerm
from pointsman.policy.node_selectors import NOTHING, RowTest, bind_labels, compile_terms, match_any
from pointsman.policy.view import BoolArray, ClusterView, IdArray, IntArray, Rows

Place = tuple[NodeSelectorTerm, ...] | None
"""Alternatives, of which a node must match one; None is everywhere."""

BoundPlace = tuple[RowTest, ...] | None
"""A place bound to the columns of one view."""

NO_MORE: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class _ByLabel:
    """`table` is int64 (values + 1, depth): what nodes with a value reach; the last line is for nodes without it."""

    ids: IdArray
    table: IntArray

    def first(self, rows: Rows) -> IntArray:
        return self.table.take(self.ids.take(rows), axis=0)


@dataclass(frozen=True, slots=True)
class _ByTerms:
    """`reached` is int64 (depth,): what nodes that match reach."""

    alternatives: tuple[RowTest, ...]
    reached: IntArray

    def first(self, rows: Rows) -> IntArray:
        return np.where(match_any(self.alternatives, rows)[:, None], self.reached, NO_MORE)


@dataclass(frozen=True, slots=True)
class Reach:
    """The first `depth` things that rows reach, among some whose places are given in the order of preference."""

    depth: int
    everywhere: IntArray  # (depth,)
    parts: tuple[_ByLabel | _ByTerms, ...]

    def first(self, rows: Rows) -> IntArray:
        """int64 (len(rows), depth): numbers of the things, ascending; NO_MORE after the last."""
        found = np.broadcast_to(self.everywhere, (len(rows), self.depth))
        for part in self.parts:
            both = np.concatenate((found, part.first(rows)), axis=1)
            found = np.sort(both, axis=1)[:, : self.depth]
        return found

    def any(self, rows: Rows) -> BoolArray:
        """Rows that reach anything: bool (len(rows),)."""
        found: BoolArray = self.first(rows)[:, 0] != NO_MORE
        return found


def reach(view: ClusterView, places: Iterable[Place], depth: int = 1) -> Reach:
    """The things at these places, bound to the columns of one view. `depth` is at least 1."""
    everywhere: list[int] = []
    by_label: dict[str, list[tuple[int, str]]] = {}
    by_terms: dict[tuple[NodeSelectorTerm, ...], list[int]] = {}
    for number, place in enumerate(places):
        if place is None:
            everywhere.append(number)
        elif (label := _one_label(place)) is not None:
            by_label.setdefault(label[0], []).append((number, label[1]))
        else:
            by_terms.setdefault(place, []).append(number)
    parts: list[_ByLabel | _ByTerms] = [_table(view, key, wanted, depth) for key, wanted in by_label.items()]
    parts += [_ByTerms(_bind(terms, view), _head(numbers, depth)) for terms, numbers in by_terms.items()]
    return Reach(depth, _head(everywhere, depth), tuple(parts))


def bind_place(place: Place, view: ClusterView) -> BoundPlace:
    """A place over the rows of a view."""
    return None if place is None else _bind(place, view)


def in_place(place: BoundPlace, rows: Rows) -> BoolArray:
    """Rows that match: bool (len(rows),)."""
    return np.ones(len(rows), np.bool_) if place is None else match_any(place, rows)


def _bind(terms: Iterable[NodeSelectorTerm], view: ClusterView) -> tuple[RowTest, ...]:
    compiled = compile_terms(terms)
    return tuple(
        NOTHING
        if term.problems or not all(test.matches("") for test in term.fields)
        else RowTest(bind_labels(term.labels, view))
        for term in compiled
    )


def _one_label(place: tuple[NodeSelectorTerm, ...]) -> tuple[str, str] | None:
    """Key and value, where a place is all nodes with one label of one value; no node has one that is not valid."""
    if len(place) != 1 or place[0].match_fields or len(place[0].match_expressions) != 1:
        return None
    (requirement,) = place[0].match_expressions
    if requirement.operator != "In" or requirement.values is None or len(requirement.values) != 1:
        return None
    return requirement.key, requirement.values[0]


def _table(view: ClusterView, key: str, wanted: Sequence[tuple[int, str]], depth: int) -> _ByLabel:
    column = view.labels(key)
    by_value = {value: number for number, value in enumerate(column.values)}
    table = np.full((len(column.values) + 1, depth), NO_MORE)
    filled = [0] * len(column.values)
    for number, value in wanted:
        line = by_value.get(value)
        if line is not None and filled[line] < depth:
            table[line, filled[line]] = number
            filled[line] += 1
    return _ByLabel(column.ids, table)


def _head(numbers: Sequence[int], depth: int) -> IntArray:
    head = np.full(depth, NO_MORE)
    head[: min(depth, len(numbers))] = numbers[:depth]
    return head
