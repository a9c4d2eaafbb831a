"""Which nodes are worth trying: all at once, before any is looked at alone.

In a crowded cluster most pods that fit nowhere find nobody below them, or too little below them. Both are told by
columns. A row counts as ruled out only by the predicate that would be the first to refuse it without its lower pods,
because its words are those that kube-scheduler would give.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.search import Refusal
from pointsman.engine.preemption.trial import ignores_pods
from pointsman.policy.rule import Relievable
from pointsman.policy.view import PodsBelow, Rows


class Potential(NamedTuple):
    """`rows` have to be tried, the others cannot help."""

    rows: Rows
    refusals: tuple[Refusal, ...]  # rows that are refused even without all pods of lower priority
    without_victims: int  # rows that have no pod of lower priority


def potential_rows(
    prepared: Sequence[Prepared], resolvable: Rows, below: PodsBelow, crowded: Collection[int]
) -> Potential:
    """Sort out `resolvable` rows. `crowded` rows, where others are nominated, are left to be tried alone."""
    rows = resolvable[below.pods[resolvable] > 0]
    without_victims = len(resolvable) - len(rows)
    apart = np.isin(rows, list(crowded))
    left, refusals = rows[~apart], []
    for predicate, state in prepared:
        if isinstance(predicate, Relievable):
            with asking(predicate.name):
                relieved = predicate.without(state, below)
        elif ignores_pods(predicate):
            relieved = state
        else:
            break  # it may refuse some of them first
        with asking(predicate.name):
            fits = predicate.feasible(relieved, left)
        if not fits.all():
            refusals.append(Refusal(predicate, relieved, left[~fits]))
            left = left[fits]
    return Potential(np.sort(np.concatenate((left, rows[apart]))), tuple(refusals), without_victims)
