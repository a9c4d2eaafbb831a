"""Answers of the rules that look at a node's pods, for one class: of many rows at once, or of one row from memory.

Nodes of one size that are filled with equal pods go through the same states one after another. So where a rule tells
which numbers of a row its answer depends on, the answers are remembered by these numbers: placing a pod then costs a
few lookups instead of a pass of array operations over a single row.
"""

from collections.abc import Sequence
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

_REMEMBERED: Final = 4096  # answers of one rule


class RowAnswers(NamedTuple):
    """For some rows: whether they fit, bool (len(rows),), and the weighted sum of their scores, int64 (len(rows),)."""

    fits: BoolArray
    totals: IntArray


class _Memory(Generic[A]):
    """What a rule said for the numbers of a row, with the state that it worked out when the nodes were as they are."""

    __slots__ = ("known", "rule", "state")

    def __init__(self, rule: ByInputs[Any], state: Any) -> None:
        self.rule = rule
        self.state = state
        self.known: dict[tuple[int, ...], A] = {}

    def put(self, numbers: tuple[int, ...], answer: A) -> A:
        if len(self.known) >= _REMEMBERED:
            self.known.clear()
        self.known[numbers] = answer
        return answer


class RowRules:
    """The rules of rows for one class, from one change of the nodes to the next."""

    def __init__(self, rules: Rules, pod: PodInfo, view: ClusterView) -> None:
        """Raises Unsteady, RuleError."""
        self._predicates = rules.of_rows
        self._priorities = rules.plain_of_rows
        self._fit: list[tuple[Predicate[Any], _Memory[bool] | None]] = []
        self._scores: list[tuple[WeightedPriority, _Memory[int] | None]] = []
        for predicate in rules.of_rows:
            if not _by_inputs(type(predicate)):
                self._fit.append((predicate, None))
            elif (asked := ask(predicate, pod, view)) is not None:
                self._fit.append((predicate, _Memory(cast("ByInputs[Any]", predicate), asked.state)))
        for weighted in rules.plain_of_rows:
            priority = weighted.priority
            if not _by_inputs(type(priority)):
                self._scores.append((weighted, None))
            for one in prepare_priorities((weighted,), pod, view) if _by_inputs(type(priority)) else ():
                self._scores.append((weighted, _Memory(cast("ByInputs[Any]", priority), one.state)))

    def answers(self, pod: PodInfo, view: ClusterView, rows: Rows) -> RowAnswers:
        """What the rules say of these rows now. Raises Unsteady, RuleError."""
        return RowAnswers(_fits(self._predicates, pod, view, rows), self._sum(pod, view, rows))

    def _sum(self, pod: PodInfo, view: ClusterView, rows: Rows) -> IntArray:
        prepared = prepare_priorities(self._priorities, pod, view)
        return total([one.scores(rows) for one in prepared], len(rows))

    def fits(self, pod: PodInfo, view: ClusterView, row: int) -> bool:
        """Whether the pod fits one row now. Raises Unsteady, RuleError."""
        for predicate, memory in self._fit:
            numbers = _numbers(memory, row)
            answer = None if memory is None else memory.known.get(numbers)
            if answer is None:
                answer = bool(_fits((predicate,), pod, view, np.array([row], np.intp))[0])
                if memory is not None:
                    memory.put(numbers, answer)
            if not answer:
                return False
        return True

    def total(self, pod: PodInfo, view: ClusterView, row: int) -> int:
        """The weighted sum of one row's scores now. Raises RuleError."""
        found = 0
        for weighted, memory in self._scores:
            numbers = _numbers(memory, row)
            answer = None if memory is None else memory.known.get(numbers)
            if answer is None:
                prepared = prepare_priorities((weighted,), pod, view)
                answer = int(prepared[0].scores(np.array([row], np.intp)).scores[0]) if prepared else 0
                if memory is not None:
                    memory.put(numbers, answer)
            found += weighted.weight * answer
        return found


def _numbers(memory: _Memory[Any] | None, row: int) -> tuple[int, ...]:
    return () if memory is None else memory.rule.inputs(memory.state, row)


def _fits(predicates: Sequence[Predicate[Any]], pod: PodInfo, view: ClusterView, rows: Rows) -> BoolArray:
    """Which of the rows all of these predicates accept."""
    fits = np.ones(len(rows), np.bool_)
    for predicate in predicates:
        asked = ask(predicate, pod, view)
        if asked is not None:
            with asking(predicate.name):
                fits &= predicate.feasible(asked.state, rows)
    return fits


@cache
def _by_inputs(rule: type) -> bool:
    return issubclass(rule, ByInputs)
