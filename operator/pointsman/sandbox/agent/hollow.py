"""A pod of which no image is mapped: it is simply up. Pure."""

from datetime import datetime

from pointsman.sandbox.agent.podspec import Pod
from pointsman.sandbox.agent.states import ContainerState, Running, Terminated, is_sidecar
from pointsman.sandbox.agent.status import PodReport


def hollow_report(pod: Pod, address: str, host_address: str, now: datetime) -> PodReport:
    """All containers run and are ready since `now`; the init containers have ended well."""
    up = ContainerState(Running(now), ready=True, started=True)
    done = ContainerState(Terminated(0, "Completed", now, now), ready=True)
    states = {container.name: up if is_sidecar(container) else done for container in pod.spec.init_containers}
    states |= {container.name: up for container in pod.spec.containers}
    return PodReport(states, address, host_address, now)
