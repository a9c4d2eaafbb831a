"""One node tried with other pods than it has: the predicates' states for a row, never the columns themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.search import Refusal
from pointsman.policy.rule import Predicate, PredicateBase, Relievable
from pointsman.policy.view import Pods


class _Asked(NamedTuple):
    """A predicate, its state, and which row of that state stands for the node."""

    predicate: Predicate[Any]
    state: Any
    row: int

    def with_pods(self, add: Pods, remove: Pods) -> "_Asked":
        with asking(self.predicate.name):
            return self._replace(state=self.predicate.with_pods(self.state, self.row, add, remove))

    def refusal(self) -> Refusal | None:
        rows = np.array([self.row], np.intp)
        with asking(self.predicate.name):
            fits = bool(self.predicate.feasible(self.state, rows)[0])
        return None if fits else Refusal(self.predicate, self.state, rows)


@dataclass(frozen=True, slots=True)
class Trial:
    """A node with some set of pods; `rivals` are the nominated pods there to which the preemptor yields."""

    asked: tuple[_Asked, ...]
    rivals: Pods

    def with_pods(self, add: Pods, remove: Pods) -> "Trial":
        """The node with these pods more and fewer."""
        return Trial(tuple(one.with_pods(add, remove) for one in self.asked), self.rivals)

    def refusal(self) -> Refusal | None:
        """The first predicate that refuses the node, with its rivals there or without them; None if it fits."""
        passes = (self.with_pods(self.rivals, ()).asked, self.asked) if self.rivals else (self.asked,)
        refusals = (one.refusal() for asked in passes for one in asked)
        return next((refusal for refusal in refusals if refusal is not None), None)

    def that_count_pods(self) -> "Trial":
        """Asks only predicates to which it matters which pods the node has: the others have passed."""
        return Trial(tuple(one for one in self.asked if not ignores_pods(one.predicate)), self.rivals)


def trial_on(row: int, prepared: Sequence[Prepared], rivals: Pods) -> Trial:
    """A node as it is."""
    return Trial(tuple(_ask_alone(predicate, state, row) for predicate, state in prepared), rivals)


def ignores_pods(predicate: Predicate[Any]) -> bool:
    """Whether the predicate has inherited the answer that pods of a node do not matter to it."""
    return getattr(type(predicate), "with_pods", None) is PredicateBase.with_pods


def _ask_alone(predicate: Predicate[Any], state: Any, row: int) -> _Asked:
    if isinstance(predicate, Relievable):
        with asking(predicate.name):
            return _Asked(predicate, predicate.alone(state, row), 0)
    return _Asked(predicate, state, row)
