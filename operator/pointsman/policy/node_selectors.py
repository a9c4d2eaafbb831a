"""Node selector terms: what nodeSelector, node affinity and preferred terms are made of, matched on whole columns.

Terms are alternatives; inside a term everything must hold. A term that cannot be parsed matches nothing, and so does
one without requirements (component-helpers/scheduling/corev1/nodeaffinity, 1.36). Compiling a term does not depend on
the cluster and is remembered; binding it to a view looks up columns and rows and lasts for one cycle.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from pointsman.kube.objects import NodeSelectorTerm, Requirement
from pointsman.policy.errors import Problem
from pointsman.policy.selectors import NODE_OPERATORS, LabelTest, label_tests
from pointsman.policy.view import BoolArray, ClusterView, IdArray, Rows

NAME_FIELD: Final = "metadata.name"
FIELD_OPERATORS: Final = ("In", "NotIn")
_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class RowTest:
    """Requirements on labels and names, all of which must hold; bound to the columns of one view."""

    gathers: tuple[tuple[BoolArray, IdArray], ...]  # answers by value id, value ids by row
    only: tuple[int, ...] = ()  # each: the one row that may match
    never: tuple[int, ...] = ()  # rows that do not match

    def match(self, rows: Rows) -> BoolArray:
        """bool (len(rows),)."""
        answer = np.ones(len(rows), dtype=np.bool_)
        for table, ids in self.gathers:
            answer &= table.take(ids.take(rows))
        for row in self.only:
            answer &= rows == row
        for row in self.never:
            answer &= rows != row
        return answer


NOTHING: Final = RowTest(gathers=(), only=(_NOWHERE,))


class FieldTest(NamedTuple):
    """One requirement on a field; only metadata.name has a value, any other field counts as empty text."""

    field: str
    value: str
    equal: bool

    def matches(self, node_name: str) -> bool:
        return (self.value == (node_name if self.field == NAME_FIELD else "")) is self.equal


@dataclass(frozen=True, slots=True)
class Term:
    """A compiled node selector term; with `problems` it matches nothing."""

    labels: tuple[LabelTest, ...]
    fields: tuple[FieldTest, ...]
    problems: tuple[Problem, ...]

    def matches(self, view: ClusterView, row: int) -> bool:
        """Whether one node matches; for many nodes use `bind`."""
        return (
            not self.problems
            and labels_match(self.labels, view, row)
            and all(test.matches(view.node_name(row)) for test in self.fields)
        )

    def bind(self, view: ClusterView) -> RowTest:
        """The term over the rows of a view."""
        named = [test for test in self.fields if test.field == NAME_FIELD]
        others = (test for test in self.fields if test.field != NAME_FIELD)
        if self.problems or not all(test.matches("") for test in others):
            return NOTHING
        return RowTest(
            gathers=bind_labels(self.labels, view),
            only=tuple(_row(view, test.value) for test in named if test.equal),
            never=tuple(_row(view, test.value) for test in named if not test.equal),
        )


def labels_match(tests: Iterable[LabelTest], view: ClusterView, row: int) -> bool:
    """Whether one node's labels pass all tests."""
    return all(test.matches(view.labels(test.key), row) for test in tests)


def bind_labels(tests: Iterable[LabelTest], view: ClusterView) -> tuple[tuple[BoolArray, IdArray], ...]:
    """The gathers of a RowTest for some label tests."""
    columns = ((test, view.labels(test.key)) for test in tests)
    return tuple((test.table(column), column.ids) for test, column in columns)


@lru_cache(maxsize=4096)
def compile_term(term: NodeSelectorTerm) -> Term | None:
    """The compiled form, remembered; None when the term is empty."""
    if not term.match_expressions and not term.match_fields:
        return None
    problems: list[Problem] = []
    labels = label_tests(term.match_expressions, NODE_OPERATORS, problems)
    fields = _field_tests(term.match_fields, problems)
    return Term(labels, fields, tuple(problems))


def compile_terms(terms: Iterable[NodeSelectorTerm]) -> tuple[Term, ...]:
    """The alternatives of a node selector; empty terms are left out."""
    return tuple(compiled for compiled in map(compile_term, terms) if compiled is not None)


def bind_terms(terms: Iterable[Term], view: ClusterView) -> tuple[RowTest, ...]:
    """The alternatives over the rows of a view."""
    return tuple(term.bind(view) for term in terms)


def match_any(alternatives: Sequence[RowTest], rows: Rows) -> BoolArray:
    """Rows that at least one alternative matches; without alternatives none does. bool (len(rows),)."""
    if len(alternatives) == 1:
        return alternatives[0].match(rows)
    answer = np.zeros(len(rows), dtype=np.bool_)
    for alternative in alternatives:
        answer |= alternative.match(rows)
    return answer


def _row(view: ClusterView, node_name: str) -> int:
    row = view.row_of(node_name)
    return _NOWHERE if row is None else row


def _field_tests(requirements: Sequence[Requirement], problems: list[Problem]) -> tuple[FieldTest, ...]:
    tests = []
    for index, requirement in enumerate(requirements):
        path, values = f"matchFields[{index}]", requirement.values or ()
        if requirement.operator not in FIELD_OPERATORS:
            operators = ", ".join(FIELD_OPERATORS)
            problems.append(Problem(f"{path}.operator", f'"{requirement.operator}" is not one of {operators}'))
        elif len(values) != 1:
            problems.append(Problem(f"{path}.values", "must have exactly one element"))
        else:
            tests.append(FieldTest(requirement.key, values[0], equal=requirement.operator == "In"))
    return tuple(tests)
