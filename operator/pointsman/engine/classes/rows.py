"""Answers of the rules that look at a node's pods, for one class: of many rows at once, or of one row from memory.

Nodes of one size that are filled with equal pods go through the same states one after another. So where a rule tells
which numbers of a row its answer depends on, the answers are remembered by these numbers: placing a pod then costs a
few lookups instead of a pass of array operations over a single row.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import numpy as np

from pointsman.engine.classes.asking import ask
from pointsman.engine.classes.rules import Rules
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.scoring import prepare_priorities, total
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import WeightedPriority
from pointsman.policy.rule import ByInputs, Predicate
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

A = TypeVar("A", bool, int)
Answer = Callable[[PodInfo, ClusterView, int], A]
"""What a rule says of one row for a pod of the class."""

_REMEMBERED: Final = 4096  # answers of one rule


class RowAnswers(NamedTuple):
    """For some rows: whether they fit, bool (len(rows),), and the weighted sum of their scores, int64 (len(rows),)."""

    fits: BoolArray
    totals: IntArray


class _Remembered(Generic[A]):
    """An Answer that asks once for the same numbers of a row; `state` is the rule's, good while the nodes are."""

    __slots__ = ("_answer", "_known", "_rule", "_state")

    def __init__(self, rule: ByInputs[Any], state: Any, answer: Answer[A]) -> None:
        self._rule = rule
        self._state = state
        self._answer: Answer[A] = answer
        self._known: dict[tuple[int, ...], A] = {}

    def __call__(self, pod: PodInfo, view: ClusterView, row: int) -> A:
        numbers = self._rule.inputs(self._state, row)
        known = self._known.get(numbers)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[numbers] = self._answer(pod, view, row)
        return known


class RowRules:
    """The rules of rows for one class, from one change of the nodes to the next."""

    def __init__(self, rules: Rules, pod: PodInfo, view: ClusterView) -> None:
        """Raises Unsteady, RuleError."""
        self._predicates = rules.of_rows
        self._priorities = rules.plain_of_rows
        self._fit = tuple(_fit_answers(rules.of_rows, pod, view))
        self._scores = tuple(_score_answers(rules.plain_of_rows, pod, view))

    def answers(self, pod: PodInfo, view: ClusterView, rows: Rows) -> RowAnswers:
        """What the rules say of these rows now. Raises Unsteady, RuleError."""
        return RowAnswers(_fits(self._predicates, pod, view, rows), _totals(self._priorities, pod, view, rows))

    def fits(self, pod: PodInfo, view: ClusterView, row: int) -> bool:
        """Whether the pod fits one row now. Raises Unsteady, RuleError."""
        return all(fits(pod, view, row) for fits in self._fit)

    def total(self, pod: PodInfo, view: ClusterView, row: int) -> int:
        """The weighted sum of one row's scores now. Raises RuleError."""
        return sum([score(pod, view, row) for score in self._scores])


def _fit_answers(predicates: Sequence[Predicate[Any]], pod: PodInfo, view: ClusterView) -> Iterator[Answer[bool]]:
    for predicate in predicates:
        answer = _fits_one(predicate)
        if not _by_inputs(type(predicate)):
            yield answer
        elif (asked := ask(predicate, pod, view)) is not None:
            yield _Remembered(cast("ByInputs[Any]", predicate), asked.state, answer)


def _score_answers(priorities: Sequence[WeightedPriority], pod: PodInfo, view: ClusterView) -> Iterator[Answer[int]]:
    for weighted in priorities:
        answer = _score_one(weighted)
        if not _by_inputs(type(weighted.priority)):
            yield answer
            continue
        for prepared in prepare_priorities((weighted,), pod, view):
            yield _Remembered(cast("ByInputs[Any]", weighted.priority), prepared.state, answer)


def _fits_one(predicate: Predicate[Any]) -> Answer[bool]:
    return lambda pod, view, row: bool(_fits((predicate,), pod, view, np.array([row], np.intp))[0])


def _score_one(weighted: WeightedPriority) -> Answer[int]:
    return lambda pod, view, row: int(_totals((weighted,), pod, view, np.array([row], np.intp))[0])


def _fits(predicates: Sequence[Predicate[Any]], pod: PodInfo, view: ClusterView, rows: Rows) -> BoolArray:
    """Which of the rows all of these predicates accept."""
    fits = np.ones(len(rows), np.bool_)
    for predicate in predicates:
        asked = ask(predicate, pod, view)
        if asked is not None:
            with asking(predicate.name):
                fits &= predicate.feasible(asked.state, rows)
    return fits


def _totals(priorities: Sequence[WeightedPriority], pod: PodInfo, view: ClusterView, rows: Rows) -> IntArray:
    """Weighted sum of these priorities' scores, int64 (len(rows),)."""
    return total([one.scores(rows) for one in prepare_priorities(priorities, pod, view)], len(rows))


@cache
def _by_inputs(rule: type) -> bool:
    """Asked anew with every change of the nodes, where looking at a protocol's methods takes its time."""
    return issubclass(rule, ByInputs)
