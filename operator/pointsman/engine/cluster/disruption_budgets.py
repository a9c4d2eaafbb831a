"""PodDisruptionBudgets by namespace, with their selectors compiled when they arrive.

Only preemption asks, and it asks for every pod that might have to go. A selector that cannot be used matches no pod, as
in kube-scheduler 1.36 (plugins/defaultpreemption/default_preemption.go), and is told once in the log.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.kube.objects import LabelSelector
from pointsman.kube.policy_objects import PodDisruptionBudget
from pointsman.policy.policy import LabelMatcher
from pointsman.policy.selectors import SelectorError, label_matcher

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class DisruptionBudget:
    """One budget. `matches` is about a pod's labels; a pod in `disrupted` has been counted by the API server."""

    matches: LabelMatcher
    allowed: int
    disrupted: frozenset[str]  # names of pods


class DisruptionBudgets:
    """The budgets of all namespaces."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, DisruptionBudget]] = {}
        self._selectors: dict[tuple[str, str], tuple[LabelSelector | None, LabelMatcher]] = {}

    def upsert(self, budget: PodDisruptionBudget) -> None:
        """Take over a budget as a watch event shows it."""
        metadata, status = budget.metadata, budget.status
        key = (metadata.namespace, metadata.name)
        known = self._selectors.get(key)
        if known is None or known[0] != budget.spec.selector:
            known = self._selectors[key] = (budget.spec.selector, _matcher(budget))
        self._of.setdefault(metadata.namespace, {})[metadata.name] = DisruptionBudget(
            known[1], status.disruptions_allowed, frozenset(status.disrupted_pods or ())
        )

    def remove(self, namespace: str, name: str) -> None:
        """Forget a budget; unknown ones are no news."""
        self._selectors.pop((namespace, name), None)
        of_namespace = self._of.get(namespace)
        if of_namespace is not None and of_namespace.pop(name, None) is not None and not of_namespace:
            del self._of[namespace]

    def of(self, namespace: str) -> Sequence[DisruptionBudget]:
        """The budgets of one namespace."""
        return tuple(self._of.get(namespace, {}).values())


def _matcher(budget: PodDisruptionBudget) -> LabelMatcher:
    """An absent or empty selector matches nothing, and so does one that cannot be used."""
    selector = budget.spec.selector
    if selector is None or not (selector.match_labels or selector.match_expressions):
        return _nothing
    try:
        return label_matcher(selector)
    except SelectorError as error:
        name = f"{budget.metadata.namespace}/{budget.metadata.name}"
        logger.warning("PodDisruptionBudget %s protects no pod: spec.selector: %s", name, error)
        return _nothing


def _nothing(_: dict[str, str]) -> bool:
    return False
