"""Asking a predicate on behalf of a class: whatever concerns the pod as such is not a matter of rows."""

from collections.abc import Iterable
from typing import Any

from pointsman.engine.cycle.preparing import Prepared, asked
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Predicate, Reject, Skip
from pointsman.policy.view import ClusterView, Rows


class Unsteady(Exception):
    """A rule refuses the pod as such, or names the only nodes: such a pod goes through the whole cycle."""


def ask(predicate: Predicate[Any], pod: PodInfo, view: ClusterView) -> Prepared | None:
    """What the predicate works out for the pod, None if it has nothing to say. Raises Unsteady, RuleError."""
    state, only = asked(predicate, pod, view)
    if isinstance(state, Skip):
        return None
    if isinstance(state, Reject) or only is not None:
        raise Unsteady
    return Prepared(predicate, state)


def passing(prepared: Iterable[Prepared], rows: Rows) -> Rows:
    """Those of the rows that all predicates accept. Raises RuleError."""
    for predicate, state in prepared:
        if len(rows):
            with asking(predicate.name):
                rows = rows[predicate.feasible(state, rows)]
    return rows
