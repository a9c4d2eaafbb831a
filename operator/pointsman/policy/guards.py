"""Predicates for rules that are on but not in this release: a pod that needs one waits and is told, never guessed at.

A guard bears its rule's name, so that statistics and wake-ups name the rule that is missing, and rejects the pod
before any node is looked at. Its priority half guards soft wishes: a pod that asks to be spread, and would be placed
without that, was guessed at as well. What each rule looks at in a pod: its plugin's PreFilter in kube-scheduler 1.36.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.kube.objects import LabelSelector, Pod, PodAffinityTerm, Volume
from pointsman.policy.document import GuardsEntry
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, Happening, Predicate, PredicateBase, Reads, Reject, Skip, Wakes
from pointsman.policy.selectors import SelectorError, label_matcher
from pointsman.policy.sides import Side
from pointsman.policy.view import BoolArray, ClusterView, Rows

Asks = Callable[[Pod], str]
"""What a pod uses that needs the rule, in plural words; empty when it does not need it."""


@dataclass(frozen=True, slots=True)
class _Need:
    """`fields` are those that `asks` reads; `feature` says in a note whose pods are concerned."""

    rule: str
    feature: str
    asks: Asks
    fields: tuple[str, ...]


def _any_volume(pod: Pod, has: Callable[[Volume], object], words: str) -> str:
    return words if any(has(volume) is not None for volume in pod.spec.volumes) else ""


def _claims(pod: Pod) -> str:
    return _any_volume(pod, lambda volume: volume.persistent_volume_claim, "persistent volume claims")


def _claims_or_ephemeral(pod: Pod) -> str:
    return _claims(pod) or _any_volume(pod, lambda volume: volume.ephemeral, "generic ephemeral volumes")


def _exclusive_disks(pod: Pod) -> str:
    return (
        _claims_or_ephemeral(pod)
        or _any_volume(pod, lambda volume: volume.gce_persistent_disk, "GCE persistent disks")
        or _any_volume(pod, lambda volume: volume.aws_elastic_block_store, "AWS EBS volumes")
        or _any_volume(pod, lambda volume: volume.rbd, "RBD volumes")
        or _any_volume(pod, lambda volume: volume.iscsi, "iSCSI volumes")
    )


def _counted_volumes(pod: Pod) -> str:
    return (
        _claims_or_ephemeral(pod)
        or _any_volume(pod, lambda volume: volume.gce_persistent_disk, "GCE persistent disks")
        or _any_volume(pod, lambda volume: volume.aws_elastic_block_store, "AWS EBS volumes")
        or _any_volume(pod, lambda volume: volume.azure_disk, "Azure disks")
        or _any_volume(pod, lambda volume: volume.cinder, "Cinder volumes")
    )


def _resource_claims(pod: Pod) -> str:
    return "resource claims" if pod.spec.resource_claims else ""


def _spread(when: str, words: str) -> Asks:
    return lambda pod: (
        words if any(item.when_unsatisfiable == when for item in pod.spec.topology_spread_constraints) else ""
    )


def _required_affinity(pod: Pod) -> str:
    affinity = pod.spec.affinity
    both = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ()
    asked = any(half is not None and half.required_during_scheduling_ignored_during_execution for half in both)
    return "required pod affinity terms" if asked else ""


def _preferred_affinity(pod: Pod) -> str:
    affinity = pod.spec.affinity
    both = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ()
    asked = any(half is not None and half.preferred_during_scheduling_ignored_during_execution for half in both)
    return "preferred pod affinity terms" if asked else ""


def _node_features(pod: Pod) -> str:
    containers = (*pod.spec.init_containers, *pod.spec.containers)
    if any(rule.action == "RestartAllContainers" for item in containers for rule in item.restart_policy_rules):
        return "restart rules for all containers"
    return "user namespaces with the host's network" if pod.spec.host_network and pod.spec.host_users is False else ""


_VOLUMES: Final = ("pod.spec.volumes",)
_SPREAD: Final = ("pod.spec.topology_spread_constraints",)
_AFFINITY: Final = ("pod.spec.affinity",)
_FEATURES: Final = (
    "pod.spec.init_containers",
    "pod.spec.containers",
    "pod.spec.host_network",
    "pod.spec.host_users",
)

# In the order in which they are asked: of several rules that a pod needs, the one that says most about it comes first.
_NEEDS: Final[dict[Side, tuple[_Need, ...]]] = {
    Side.PREDICATES: (
        _Need("VolumeBinding", "volume claims", _claims_or_ephemeral, _VOLUMES),
        _Need("VolumeRestrictions", "volumes that pods may not share", _exclusive_disks, _VOLUMES),
        _Need("NodeVolumeLimits", "volumes of which a node takes only so many", _counted_volumes, _VOLUMES),
        _Need("VolumeZone", "volumes that belong to a zone", _claims, _VOLUMES),
        _Need("DynamicResources", "resource claims", _resource_claims, ("pod.spec.resource_claims",)),
        _Need("InterPodAffinity", "required pod affinity", _required_affinity, _AFFINITY),
        _Need(
            "PodTopologySpread",
            "hard spread constraints",
            _spread("DoNotSchedule", "topology spread constraints"),
            _SPREAD,
        ),
        _Need("NodeDeclaredFeatures", "needs for features of nodes", _node_features, _FEATURES),
    ),
    Side.PRIORITIES: (
        _Need("InterPodAffinity", "preferred pod affinity", _preferred_affinity, _AFFINITY),
        _Need(
            "PodTopologySpread",
            "soft spread constraints",
            _spread("ScheduleAnyway", "soft topology spread constraints"),
            _SPREAD,
        ),
    ),
}

FEATURES: Final = {side: {need.rule: need.feature for need in needs} for side, needs in _NEEDS.items()}
"""By list, the rules that can be guarded, with words for the pods that need them."""


class Guard(PredicateBase[None]):
    """Rejects pods that need a rule which is not in this release; asks nothing of nodes."""

    wakes_on = Wakes(Happening.OWN_UPDATE)

    def __init__(self, rule: str, needs: tuple[_Need, ...]) -> None:
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

    def __init__(self, rule: str, needs: tuple[_Need, ...]) -> None:
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
    """Whether a running pod's term matches the incoming pod; one on a node without the topology key counts nowhere."""
    if view.labels(term.topology_key).ids[row] < 0:
        return False
    if not term.namespaces and term.namespace_selector is None:
        near = pod.namespace == owner.namespace
    else:
        near = pod.namespace in term.namespaces or _matches(
            term.namespace_selector, view.namespace_labels(pod.namespace) or {}
        )
    return near and _matches(term.label_selector, pod.pod.metadata.labels)


def _matches(selector: LabelSelector | None, labels: dict[str, str]) -> bool:
    """An absent selector matches nothing, an empty one everything, an invalid one nothing."""
    if selector is None or any(labels.get(key) != value for key, value in selector.match_labels.items()):
        return False
    try:
        return not selector.match_expressions or label_matcher(selector)(labels)
    except SelectorError:
        return False


def guards_of(entry: GuardsEntry) -> Iterator[Predicate[None]]:
    """The guards of a policy document, one for each rule, in the order in which they are asked."""
    wanted = {Side.PREDICATES: entry.predicates, Side.PRIORITIES: entry.priorities}
    needs = [(side, need) for side in Side for need in _NEEDS[side] if need.rule in wanted[side]]
    for rule in dict.fromkeys(need.rule for _, need in needs):
        of_rule = tuple(need for _, need in needs if need.rule == rule)
        hard = any(side is Side.PREDICATES and need.rule == rule for side, need in needs)
        yield AntiAffinityGuard(rule, of_rule) if hard and rule == "InterPodAffinity" else Guard(rule, of_rule)
