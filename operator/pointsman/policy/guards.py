"""Predicates for rules that are on but not in this release: a pod that needs one waits and is told, never guessed at.

A guard bears its rule's name, so that statistics and wake-ups name the rule that is missing, and rejects the pod
before any node is looked at. The priority half of a rule is guarded too: a pod that asks to be spread, and is placed
without that, was guessed at as well.
"""

from collections.abc import Iterator

import numpy as np

from pointsman.policy.document import GuardsEntry
from pointsman.policy.needs import NEEDS, Need
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, Happening, Predicate, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.sides import Side
from pointsman.policy.view import BoolArray, ClusterView, Rows


class Guard(PredicateBase[None]):
    """Rejects pods that need a rule which is not in this release; asks nothing of nodes."""

    wakes_on = Wakes(Happening.OWN_UPDATE)

    def __init__(self, rule: str, needs: tuple[Need, ...]) -> None:
        self.name = rule
        self._needs = needs
        self.reads = Reads(frozenset(field for need in needs for field in need.fields), Dependence(0))

    def prepare(self, pod: PodInfo, view: ClusterView) -> Skip | Reject | None:  # noqa: ARG002 - part of the protocol
        for need in self._needs:
            if used := need.asks(pod.pod):
                return Reject((f"pod uses {used}, which need rule {self.name}: not in this release",))
        return SKIP

    def feasible(self, state: None, rows: Rows) -> BoolArray:  # noqa: ARG002 - never asked: the pod is rejected or skipped
        return np.ones(len(rows), dtype=np.bool_)

    def reasons(self, state: None, row: int) -> tuple[str, ...]:  # noqa: ARG002 - never asked
        return ()


def guards_of(entry: GuardsEntry) -> Iterator[Predicate[None]]:
    """The guards of a policy document, one for each rule, in the order in which they are asked."""
    wanted = {Side.PREDICATES: entry.predicates, Side.PRIORITIES: entry.priorities}
    needs = [need for side in Side for need in NEEDS[side] if need.rule in wanted[side]]
    for rule in dict.fromkeys(need.rule for need in needs):
        of_rule = tuple(need for need in needs if need.rule == rule)
        yield Guard(rule, of_rule)
