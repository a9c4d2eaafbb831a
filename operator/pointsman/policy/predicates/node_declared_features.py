"""NodeDeclaredFeatures: a pod that needs a feature of the kubelet runs where the node declares it.

Which pods need which feature is compiled into Kubernetes (component-helpers/nodedeclaredfeatures/features, 1.36). Of
the features listed there, only these matter when a pod is placed; the others concern updates of pods that run.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from pointsman.kube.objects import PodSpec
from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, Rows

State = BoolArray
"""bool (capacity,): the rows whose nodes declare all that the pod needs."""


def _restarts_all_containers(spec: PodSpec) -> bool:
    containers = (*spec.containers, *spec.init_containers)
    return any(rule.action == "RestartAllContainers" for item in containers for rule in item.restart_policy_rules)


def _users_on_host_network(spec: PodSpec) -> bool:
    return spec.host_network and spec.host_users is False


_NEEDED_BY: Final[dict[str, Callable[[PodSpec], bool]]] = {
    "RestartAllContainersOnContainerExits": _restarts_all_containers,
    "UserNamespacesHostNetworkSupport": _users_on_host_network,
}


class NodeDeclaredFeatures(PredicateBase[State]):
    """kube-scheduler's plugin of the same name; fewer pods on a node never help."""

    reason = "node(s) didn't match Pod's required features"
    reads = Reads(
        frozenset({"pod.spec.containers", "pod.spec.init_containers", "pod.spec.host_network", "pod.spec.host_users"}),
        Dependence.NODE,
    )

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        heard = Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.NODE_FEATURES | Happening.OWN_UPDATE
        self.wakes_on = Wakes(heard, _may_help)

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        needed = _needed(pod)
        if not needed:
            return SKIP
        declared: BoolArray = np.logical_and.reduce([view.declares(feature) for feature in needed])
        return declared

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        return state[rows]


def _needed(pod: PodInfo) -> list[str]:
    return [feature for feature, needs in _NEEDED_BY.items() if needs(pod.pod.spec)]


def _may_help(pod: PodInfo, change: Change) -> bool:
    if change.row is None:
        return True
    return all(change.view.declares(feature)[change.row] for feature in _needed(pod))
