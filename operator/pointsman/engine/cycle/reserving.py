"""What the predicates want to be set aside on the node that was chosen (Reserve)."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, cast

from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.rule import Reserving


def reserve(prepared: Iterable[Prepared], row: int) -> tuple[object, ...]:
    """Everything that is to be set aside; most pods need nothing. Raises RuleError."""
    return tuple(_plans(prepared, row))


def _plans(prepared: Iterable[Prepared], row: int) -> Iterator[object]:
    for predicate, state in prepared:
        if _reserves(type(predicate)):
            with asking(predicate.name):
                plan = cast("Reserving[Any]", predicate).reserve(state, row)
            if plan is not None:
                yield plan


@cache
def _reserves(rule: type) -> bool:
    """Asked of every predicate for every pod, where looking at a protocol's methods takes its time."""
    return issubclass(rule, Reserving)
