"""Predicates for rules that are on but not in this release: a pod that needs one waits and is told, never guessed at.

A guard bears its rule's name, so that statistics and wake-ups name the rule that is missing, and rejects the pod
before any node is looked at.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.kube.objects import Pod
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, Happening, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Rows


@dataclass(frozen=True, slots=True)
class Need:
    """What of a pod only the missing rule could decide about: in plural words, a test, and the field that it reads."""

    words: str
    asks: Callable[[Pod], bool]
    field: str


NEEDS: Final = {
    "DynamicResources": Need("resource claims", lambda pod: bool(pod.spec.resource_claims), "pod.spec.resource_claims"),
}
"""The rules that can be guarded."""


class Guard(PredicateBase[None]):
    """Rejects pods that need a rule which is not in this release; asks nothing of nodes."""

    wakes_on = Wakes(Happening.OWN_UPDATE)

    def __init__(self, rule: str) -> None:
        self.name = rule
        self._need = NEEDS[rule]
        self.reads = Reads(frozenset({self._need.field}), Dependence(0))

    def prepare(self, pod: PodInfo, view: ClusterView) -> Skip | Reject:  # noqa: ARG002 - part of the protocol
        if not self._need.asks(pod.pod):
            return SKIP
        return Reject((f"pod uses {self._need.words}, which need rule {self.name}: not in this release",))

    def feasible(self, state: None, rows: Rows) -> BoolArray:  # noqa: ARG002 - never asked: the pod is rejected or skipped
        return np.ones(len(rows), dtype=np.bool_)
