"""What preemption may see of the cluster besides what rules see."""

from collections.abc import Sequence
from typing import Protocol

from pointsman.engine.cluster.disruption_budgets import DisruptionBudget
from pointsman.policy.view import ClusterView, PodsBelow


class PreemptionView(ClusterView, Protocol):
    """The columns, the pods of lower priority in them, and what may be disrupted."""

    def pods_below(self, priority: int) -> PodsBelow:
        """What pods of lower priority hold on each row."""
        ...

    def disruption_budgets(self, namespace: str) -> Sequence[DisruptionBudget]:
        """The PodDisruptionBudgets of one namespace."""
        ...
