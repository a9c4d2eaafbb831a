"""Predicates for rules that are on but not in this release: a pod that needs one waits and is told, never guessed at.

A guard bears its rule's name, so that statistics and wake-ups name the rule that is missing, and rejects the pod
before any node is looked at. The priority half of a rule is guarded too: a pod that asks to be spread, and is placed
without that, was guessed at as well.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from pointsman.kube.objects import LabelSelector, PodAffinityTerm, Requirement
from pointsman.policy.document import GuardsEntry
from pointsman.policy.needs import NEEDS, Need
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, Happening, Predicate, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.selectors import LabelMatcher, SelectorError, label_matcher
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
                return self.reject(f"pod uses {used}, which need")
        return SKIP

    def reject(self, why: str) -> Reject:
        """The one reason, which ends with the rule that is missing."""
        return Reject((f"{why} rule {self.name}: not in this release",))

    def feasible(self, state: None, rows: Rows) -> BoolArray:  # noqa: ARG002 - never asked: the pod is rejected or skipped
        return np.ones(len(rows), dtype=np.bool_)

    def reasons(self, state: None, row: int) -> tuple[str, ...]:  # noqa: ARG002 - never asked
        return ()


class AntiAffinityGuard(Guard):
    """Also rejects a pod that a running pod's required anti-affinity keeps away: it may fit, but who knows where."""

    wakes_on = Wakes(
        Happening.OWN_UPDATE
        | Happening.POD_DELETE
        | Happening.NODE_LABELS
        | Happening.NODE_DELETE
        | Happening.NAMESPACE
    )

    def __init__(self, rule: str, needs: tuple[Need, ...]) -> None:
        super().__init__(rule, needs)
        fields = self.reads.pod_fields | {"namespace", "pod.metadata.labels"}
        self.reads = Reads(fields, Dependence.CLUSTER)

    def prepare(self, pod: PodInfo, view: ClusterView) -> Skip | Reject | None:
        answer = super().prepare(pod, view)
        if isinstance(answer, Reject):
            return answer
        for row, other in view.pods_with_required_anti_affinity():
            if any(_keeps_away(term, other, row, pod, view) for term in _anti_affinity_terms(other)):
                return self.reject("a running pod's anti-affinity keeps pods like this one away, which needs")
        return SKIP


def _anti_affinity_terms(pod: PodInfo) -> tuple[PodAffinityTerm, ...]:
    affinity = pod.pod.spec.affinity
    anti = affinity.pod_anti_affinity if affinity else None
    return anti.required_during_scheduling_ignored_during_execution if anti else ()


def _keeps_away(term: PodAffinityTerm, owner: PodInfo, row: int, pod: PodInfo, view: ClusterView) -> bool:
    """Whether a running pod's term matches the incoming pod; one on a node without the topology key counts nowhere.

    What rules most pods out is asked first: this is asked of every running pod that has such a term, for each decision.
    """
    if not term.namespaces and term.namespace_selector is None:
        near = pod.namespace == owner.namespace
    else:
        near = pod.namespace in term.namespaces or _matches(
            term.namespace_selector, view.namespace_labels(pod.namespace) or {}
        )
    if not near or not _matches(term.label_selector, pod.pod.metadata.labels):
        return False
    return bool(view.labels(term.topology_key).ids[row] >= 0)


def _matches(selector: LabelSelector | None, labels: dict[str, str]) -> bool:
    """An absent selector matches nothing, an empty one everything, an invalid one nothing."""
    if selector is None:
        return False
    for key, value in selector.match_labels.items():
        if labels.get(key) != value:
            return False
    return not selector.match_expressions or _compiled(selector.match_expressions)(labels)


@lru_cache(maxsize=1024)
def _compiled(expressions: tuple[Requirement, ...]) -> LabelMatcher:
    try:
        return label_matcher(LabelSelector(match_expressions=expressions))
    except SelectorError:
        return lambda _: False


def guards_of(entry: GuardsEntry) -> Iterator[Predicate[None]]:
    """The guards of a policy document, one for each rule, in the order in which they are asked."""
    wanted = {Side.PREDICATES: entry.predicates, Side.PRIORITIES: entry.priorities}
    needs = [(side, need) for side in Side for need in NEEDS[side] if need.rule in wanted[side]]
    for rule in dict.fromkeys(need.rule for _, need in needs):
        of_rule = tuple(need for _, need in needs if need.rule == rule)
        hard = any(side is Side.PREDICATES and need.rule == rule for side, need in needs)
        yield AntiAffinityGuard(rule, of_rule) if hard and rule == "InterPodAffinity" else Guard(rule, of_rule)
