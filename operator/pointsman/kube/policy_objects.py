"""The wire struct of policy/v1 that preemption reads: how many pods of a group may be disrupted.

Like `kube.objects`, it declares only the fields that are read.
"""

from typing import Any

from pointsman.kube.objects import LabelSelector, Metadata, WireObject


class PodDisruptionBudgetSpec(WireObject, frozen=True, kw_only=True):
    selector: LabelSelector | None = None


class PodDisruptionBudgetStatus(WireObject, frozen=True, kw_only=True):
    disruptions_allowed: int = 0
    disrupted_pods: dict[str, Any] | None = None  # by name; only the names are read


class PodDisruptionBudget(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
