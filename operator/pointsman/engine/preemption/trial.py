"""One node tried with other pods than it has: the predicates' states for a row, never the columns themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.rule import OneNode, Predicate, PredicateBase, Relievable
from pointsman.policy.view import Pods


class _Row(NamedTuple):
    """Any predicate as a OneNode: its whole state, and the row that stands for the node."""

    predicate: Predicate[Any]
    state: Any
    row: int

    def with_pods(self, add: Pods, remove: Pods) -> "_Row":
        return self._replace(state=self.predicate.with_pods(self.state, self.row, add, remove))

    def fits(self) -> bool:
        return bool(self.predicate.feasible(self.state, np.array([self.row], np.intp))[0])

    def reasons(self) -> tuple[str, ...]:
        return self.predicate.reasons(self.state, self.row)


class _Asked(NamedTuple):
    """A predicate and the node as it sees it."""

    predicate: Predicate[Any]
    node: OneNode

    def with_pods(self, add: Pods, remove: Pods) -> "_Asked":
        with asking(self.predicate.name):
            return _Asked(self.predicate, self.node.with_pods(add, remove))

    def refusal(self) -> tuple[str, ...] | None:
        with asking(self.predicate.name):
            return None if self.node.fits() else self.node.reasons()


@dataclass(frozen=True, slots=True)
class Trial:
    """A node with some set of pods; `rivals` are the nominated pods there to which the preemptor yields."""

    asked: tuple[_Asked, ...]
    rivals: Pods

    def with_pods(self, add: Pods, remove: Pods) -> "Trial":
        """The node with these pods more and fewer."""
        return Trial(tuple([one.with_pods(add, remove) for one in self.asked]), self.rivals)

    def refusal(self) -> tuple[str, ...] | None:
        """Why the first predicate refuses the node, with its rivals there or without them; None if it fits."""
        for one in (*self._crowded(), *self.asked):
            reasons = one.refusal()
            if reasons is not None:
                return reasons
        return None

    def that_count_pods(self) -> "Trial":
        """Asks only predicates to which it matters which pods the node has: the others have passed."""
        return Trial(tuple(one for one in self.asked if not ignores_pods(one.predicate)), self.rivals)

    def _crowded(self) -> Iterator[_Asked]:
        return (one.with_pods(self.rivals, ()) for one in self.asked) if self.rivals else iter(())


def trial_on(row: int, prepared: Sequence[Prepared], rivals: Pods) -> Trial:
    """A node as it is."""
    return Trial(tuple(_Asked(predicate, _cut(predicate, state, row)) for predicate, state in prepared), rivals)


def ignores_pods(predicate: Predicate[Any]) -> bool:
    """Whether the predicate has inherited the answer that pods of a node do not matter to it."""
    return getattr(type(predicate), "with_pods", None) is PredicateBase.with_pods


def _cut(predicate: Predicate[Any], state: Any, row: int) -> OneNode:
    if isinstance(predicate, Relievable):
        with asking(predicate.name):
            node: OneNode = predicate.alone(state, row)
            return node
    return _Row(predicate, state, row)
