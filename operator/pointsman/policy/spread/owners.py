"""Whose pods belong together when a pod does not say so itself: those of its Services and its controller.

After DefaultSelector of kube-scheduler 1.36 (framework/plugins/helper/spread.go).
"""

from typing import Final

from pointsman.kube.objects import OwnerReference
from pointsman.policy.owners_view import OwnersView
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import Selector

_REPLICATION_CONTROLLER: Final = "ReplicationController"


def controller_of(pod: PodInfo) -> OwnerReference | None:
    """The owner that controls the pod."""
    return next((owner for owner in pod.pod.metadata.owner_references if owner.controller), None)


def service_selector(pod: PodInfo, owners: OwnersView) -> Selector:
    """Pods that every Service of the pod selects; empty when it has none."""
    selector = Selector()
    for service in owners.services_of(pod):
        selector = selector.both(service)
    return selector


def default_selector(pod: PodInfo, owners: OwnersView) -> Selector:
    """Pods that every Service of the pod and its controller select; empty when it has neither.

    A ReplicationController's labels go before those of Services, even where it does not select the pod.
    """
    selector = service_selector(pod, owners)
    asked = owners.controller_selector(pod)
    if asked is None or asked.nothing:
        return selector
    controller = controller_of(pod)
    if controller is not None and controller.kind == _REPLICATION_CONTROLLER:
        selector = selector.without(key for key, _, _ in asked.requirements)
    return selector.both(asked)
