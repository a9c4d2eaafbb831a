"""Policies for tests: the built rules in their usual order, without scores unless asked for."""

import dataclasses
from typing import Any

import numpy as np

from pointsman.policy.build import load
from pointsman.policy.document import (
    PodsEntry,
    PolicyDocument,
    PredicateEntry,
    PreemptionEntry,
    QueueEntry,
    canonical_json,
)
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Dependence, Happening, PredicateBase, Reads, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Rows

RULES = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit")


def document(
    profile: str = "p",
    scheduler_name: str = "ours",
    pods: PodsEntry | None = None,
    preemption: PreemptionEntry | None = None,
) -> PolicyDocument:
    return PolicyDocument(
        profile=profile,
        scheduler_name=scheduler_name,
        predicates=tuple(PredicateEntry(name=rule, rule=rule) for rule in RULES),
        pods=pods or PodsEntry(),
        queue=QueueEntry(),
        preemption=preemption,
    )


def policy(
    profile: str = "p",
    scheduler_name: str = "ours",
    pods: PodsEntry | None = None,
    preemption: PreemptionEntry | None = None,
) -> Policy:
    return load(canonical_json(document(profile, scheduler_name, pods, preemption)))


class Broken(PredicateBase[None]):
    """A rule that fails for pods of one name."""

    name = "Broken"
    wakes_on = Wakes(Happening.NODE_ADD)
    reads = Reads(frozenset(), Dependence.CLUSTER)

    def __init__(self, victim: str) -> None:
        self._victim = victim

    def prepare(self, pod: PodInfo, view: ClusterView) -> None:  # noqa: ARG002 - part of the protocol
        if pod.name == self._victim:
            raise KeyError("rack")

    def feasible(self, state: None, rows: Rows) -> BoolArray:  # noqa: ARG002 - part of the protocol
        return np.ones(len(rows), np.bool_)

    def reasons(self, state: None, row: int) -> tuple[str, ...]:  # noqa: ARG002 - part of the protocol
        return ()


def with_predicate(base: Policy, predicate: Any) -> Policy:
    return dataclasses.replace(base, predicates=(*base.predicates, predicate))
