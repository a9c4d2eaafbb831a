"""What the sums of a pod's requests depend on, as a hashable value: the key under which `requests` remembers them.

Only quantities, their order of containers, and what an in-place resize left in the status; neither names of containers
nor anything else, so that all pods of a workload share one shape, and mostly all workloads of one size.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pointsman.kube.objects import Container, ContainerStatus, Pod, Quantities

Items = tuple[tuple[str, str | int | float], ...]


class RequestShape(NamedTuple):
    """The requests of one container, or of the pod as a whole."""

    spec: Items
    actuated: Items | None = None  # status.resources.requests; None when the status adds nothing to the spec
    allocated: Items = ()  # status.allocatedResources
    sidecar: bool = False


class PodShape(NamedTuple):
    """Everything that the sums are made of."""

    containers: tuple[RequestShape, ...]
    init_containers: tuple[RequestShape, ...]
    pod_level: RequestShape
    overhead: Items
    resize_infeasible: bool


def pod_shape(pod: Pod) -> PodShape:
    """The shape of a pod."""
    spec, status = pod.spec, pod.status
    statuses = {entry.name: entry for entry in (*status.container_statuses, *status.init_container_statuses)}
    level = spec.resources.requests if spec.resources else {}
    resized = status.resources.requests if level and status.resources else None
    return PodShape(
        containers=tuple(_container(entry, statuses.get(entry.name)) for entry in spec.containers),
        init_containers=tuple(_init_container(entry, statuses) for entry in spec.init_containers),
        pod_level=_with_status(level, resized, status.allocated_resources),
        overhead=tuple(spec.overhead.items()),
        resize_infeasible=_resize_infeasible(pod),
    )


def is_sidecar(container: Container) -> bool:
    """Whether an init container keeps running beside the others."""
    return container.restart_policy == "Always"


def _init_container(container: Container, statuses: Mapping[str, ContainerStatus]) -> RequestShape:
    if not is_sidecar(container):  # an ordinary init container always counts by its spec
        return _container(container, None)
    return _container(container, statuses.get(container.name))._replace(sidecar=True)


def _container(container: Container, status: ContainerStatus | None) -> RequestShape:
    if status is None or status.resources is None:
        return RequestShape(tuple(container.resources.requests.items()))
    return _with_status(container.resources.requests, status.resources.requests, status.allocated_resources)


def _with_status(spec: Quantities, actuated: Quantities | None, allocated: Quantities) -> RequestShape:
    if actuated is None or (actuated == spec and allocated in (spec, {})):
        return RequestShape(tuple(spec.items()))
    return RequestShape(tuple(spec.items()), tuple(actuated.items()), tuple(allocated.items()))


def _resize_infeasible(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "PodResizePending":
            return condition.reason == "Infeasible"
    return False
