"""Whose pods belong together when a pod does not say so itself: those of its Services and its controller.

After DefaultSelector of kube-scheduler 1.36 (framework/plugins/helper/spread.go).
"""

from pointsman.policy.owners_view import OwnersView
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import Selector


def service_selector(pod: PodInfo, owners: OwnersView) -> Selector:
    """Pods that every Service of the pod selects; empty when it has none."""
    selector = Selector()
    for service in owners.services_of(pod):
        selector = selector.both(service)
    return selector


def default_selector(pod: PodInfo, owners: OwnersView) -> Selector:
    """Pods that every Service of the pod and its controller select; empty when it has neither."""
    selector = service_selector(pod, owners)
    controller = owners.controller_selector(pod)
    return selector if controller is None or controller.nothing else selector.both(controller)
