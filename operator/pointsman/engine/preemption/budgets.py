"""Whose eviction would violate a PodDisruptionBudget (filterPodsWithPDBViolation in default_preemption.go, 1.36)."""

from collections.abc import Iterable

from pointsman.engine.cluster.disruption_budgets import DisruptionBudget
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.pod import PodInfo


def split_by_budget(pods: Iterable[PodInfo], cluster: PreemptionView) -> tuple[list[PodInfo], list[PodInfo]]:
    """Those whose eviction violates a budget, and the others, both in the order given.

    Each pod uses up one disruption of every budget that matches it, also if it is spared in the end, so that the order
    decides who violates: the most important pods come first.
    """
    left: dict[DisruptionBudget, int] = {}
    violating: list[PodInfo] = []
    others: list[PodInfo] = []
    for pod in pods:
        violates = False
        for budget in _matching(pod, cluster):
            left[budget] = left.get(budget, budget.allowed) - 1
            violates |= left[budget] < 0
        (violating if violates else others).append(pod)
    return violating, others


def _matching(pod: PodInfo, cluster: PreemptionView) -> Iterable[DisruptionBudget]:
    labels = pod.pod.metadata.labels
    if not labels:
        return ()
    budgets = cluster.disruption_budgets(pod.namespace)
    return (budget for budget in budgets if pod.name not in budget.disrupted and budget.matches(labels))
