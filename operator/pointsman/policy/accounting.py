"""From a pod as the API server sends it to a PodInfo: sums, ports, images, gates, read once when its event arrives.

Nothing here raises for a strange pod: what cannot be read is named in `PodInfo.errors`, and the rest still counts,
since the pod may already run on a node.
"""

from collections.abc import Iterator

from pointsman.kube.objects import Container, Pod, PodSpec
from pointsman.policy.affinity_terms import affinity_terms
from pointsman.policy.pod import ANY_ADDRESS, HostPort, PodInfo
from pointsman.policy.pod_shape import is_sidecar
from pointsman.policy.requests import sums
from pointsman.policy.resource_names import CPU, MEMORY
from pointsman.policy.spread.constraints import spread_constraints

_DEFAULT_PROTOCOL = "TCP"


def pod_info(pod: Pod) -> PodInfo:
    """Everything that rules, queue and columns need of a pod. Never raises; maps in the result are shared."""
    spec, total, affinity, spread = pod.spec, sums(pod), affinity_terms(pod), spread_constraints(pod)
    return PodInfo(
        pod=pod,
        uid=pod.metadata.uid,
        namespace=pod.metadata.namespace,
        name=pod.metadata.name,
        priority=spec.priority or 0,
        node_name=spec.node_name,
        nominated_node_name=pod.status.nominated_node_name,
        requests=total.requests,
        usage=total.usage,
        nonzero_cpu=total.score.get(CPU, 0),
        nonzero_memory=total.score.get(MEMORY, 0),
        nonzero_usage_cpu=total.nonzero.get(CPU, 0),
        nonzero_usage_memory=total.nonzero.get(MEMORY, 0),
        host_ports=tuple(_host_ports(spec)),
        images=tuple(_images(spec)),
        container_count=len(spec.init_containers) + len(spec.containers),
        gates=tuple(gate.name for gate in spec.scheduling_gates),
        terminating=pod.metadata.deletion_timestamp is not None,
        affinity=affinity,
        spread=spread,
        errors=total.errors + affinity.errors + spread.errors,
    )


def score_request(pod: PodInfo, resource: str) -> int:
    """What NodeResourcesFit's score takes an incoming pod to ask for: millicores for cpu, else base units.

    Containers and overhead alone: kube-scheduler's scorer never hears of pod-level resources (1.36).
    """
    if resource == CPU:
        return pod.nonzero_cpu
    if resource == MEMORY:
        return pod.nonzero_memory
    if pod.pod.spec.resources is None:
        return pod.requests.get(resource, 0)
    return sums(pod.pod).score.get(resource, 0)


def normalized_image(name: str) -> str:
    """An image name with its tag: `:latest` is added where neither tag nor digest follows the last slash."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"


def _images(spec: PodSpec) -> Iterator[str]:
    for container in (*spec.init_containers, *spec.containers):
        yield normalized_image(container.image)
    for volume in spec.volumes:
        if volume.image is not None:
            yield normalized_image(volume.image.reference)


def _host_ports(spec: PodSpec) -> Iterator[HostPort]:
    """Ports of containers that run as long as the pod: ordinary init containers hold none."""
    running: tuple[Container, ...] = (*filter(is_sidecar, spec.init_containers), *spec.containers)
    for container in running:
        for port in container.ports:
            if port.host_port > 0:
                yield HostPort(port.host_ip or ANY_ADDRESS, port.protocol or _DEFAULT_PROTOCOL, port.host_port)
