"""The fewest and least pods that must leave one node (SelectVictimsOnNode in default_preemption.go, 1.36).

First all pods of lower priority leave; if the pod does not fit even then, the node cannot help. Then they come back one
by one, those whose eviction would violate a budget first, in each group the most important first; who finds no place
beside the preemptor is a victim.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pointsman.engine.cycle.preparing import Prepared
from pointsman.engine.preemption.budgets import split_by_budget
from pointsman.engine.preemption.importance import by_importance
from pointsman.engine.preemption.trial import trial_on
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.pod import PodInfo
from pointsman.policy.view import Pods


class Candidate(NamedTuple):
    """A node and the pods that would have to go, the most important first."""

    row: int
    node: str
    victims: tuple[PodInfo, ...]
    violations: int  # victims whose eviction violates a PodDisruptionBudget


def victims_on(
    row: int, pod: PodInfo, prepared: Sequence[Prepared], rivals: Pods, cluster: PreemptionView
) -> Candidate | tuple[str, ...]:
    """Who must leave this node for `pod`, or the reasons why it does not fit all the same.

    No victims at all means that the pod fits as things are, which should not happen.
    """
    lower = sorted((other for other in cluster.pods_on(row) if other.priority < pod.priority), key=by_importance)
    empty = trial_on(row, prepared, rivals).with_pods((), lower)
    reasons = empty.refusal()
    if reasons is not None:
        return reasons
    trial = empty.that_count_pods()
    violating, others = split_by_budget(lower, cluster)
    victims = []
    for other in (*violating, *others):
        fuller = trial.with_pods((other,), ())
        if fuller.refusal() is None:
            trial = fuller
        else:
            victims.append(other)
    protected = {other.uid for other in violating}
    violations = sum(victim.uid in protected for victim in victims)
    return Candidate(row, cluster.node_name(row), tuple(sorted(victims, key=by_importance)), violations)
