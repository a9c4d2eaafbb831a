"""A pod's status from its containers' states: phase, conditions, container statuses. Pure.

The rules are the kubelet's (kubelet_pods.go `getPhase`, status/generate.go, 1.36). `PodScheduled` is the scheduler's
condition and never appears here: the status is written as a strategic merge patch, which leaves it alone. Readiness
gates are not read: nothing that this agent is for sets them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.agent.podspec import Container, Pod
from pointsman.sandbox.agent.states import (
    ContainerState,
    Running,
    Terminated,
    Waiting,
    is_sidecar,
    restart_policy,
    restarts,
)

States = Mapping[str, ContainerState]
ENDED_PHASES = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class PodReport:
    """What the agent knows of a pod. `states` holds init and ordinary containers by name; absent means waiting.

    `ending` says that no container will be started again, whatever the restart policy.
    """

    states: States
    address: str
    host_address: str
    started_at: datetime
    ending: bool = False


def pod_status(pod: Pod, report: PodReport, now: datetime) -> dict[str, Any]:
    """The patch of `status`. Conditions that did not change keep their transition time."""
    phase = pod_phase(pod, report)
    conditions = _conditions(pod, report, phase)
    status: dict[str, Any] = {
        "phase": phase,
        "hostIP": report.host_address,
        "hostIPs": [{"ip": report.host_address}],
        "podIP": report.address,
        "podIPs": [{"ip": report.address}],
        "startTime": pod.status.start_time or rfc3339(report.started_at),
        "conditions": [_with_time(pod, condition, now) for condition in conditions],
        "containerStatuses": _statuses(pod, pod.spec.containers, report.states),
    }
    if pod.spec.init_containers:
        status["initContainerStatuses"] = _statuses(pod, pod.spec.init_containers, report.states)
    return status


def pod_phase(pod: Pod, report: PodReport) -> str:
    """Pending, Running, Succeeded or Failed."""
    if _init_failed(pod, report):
        return "Failed"
    states = [report.states.get(container.name, ContainerState()) for container in pod.spec.containers]
    if any(isinstance(state.state, Waiting) and state.last is None for state in states):
        return "Failed" if report.ending else "Pending"
    if any(isinstance(state.state, Running) for state in states):
        return "Running"
    ends = [_end(state) for state in states]
    if not report.ending and any(
        restarts(restart_policy(pod, container), end.exit_code)
        for container, end in zip(pod.spec.containers, ends, strict=True)
    ):
        return "Running"
    return "Succeeded" if all(end.exit_code == 0 for end in ends) else "Failed"


def _init_failed(pod: Pod, report: PodReport) -> bool:
    for container in pod.spec.init_containers:
        end = _end(report.states.get(container.name, ContainerState()))
        if not is_sidecar(container) and end.exit_code and not restarts(restart_policy(pod, container), end.exit_code):
            return True
    return False


def _end(state: ContainerState) -> Terminated:
    """How a container ended last; exit code 0 stands for "not yet", which every caller has excluded or may ignore."""
    if isinstance(state.state, Terminated):
        return state.state
    return state.last or Terminated(0, "")


def _initialized(pod: Pod, report: PodReport) -> list[str]:
    """Names of init containers that are not through."""
    if any(isinstance(report.states[c.name].state, Running) for c in pod.spec.containers if c.name in report.states):
        return []
    return [
        container.name
        for container in pod.spec.init_containers
        if not _through(container, report.states.get(container.name, ContainerState()))
    ]


def _through(container: Container, state: ContainerState) -> bool:
    if is_sidecar(container):
        return state.started
    return isinstance(state.state, Terminated) and state.state.exit_code == 0


def _conditions(pod: Pod, report: PodReport, phase: str) -> list[dict[str, str]]:
    initialized = _condition("Initialized", "ContainersNotInitialized", "incomplete", _initialized(pod, report), phase)
    members = [*filter(is_sidecar, pod.spec.init_containers), *pod.spec.containers]
    unready = [c.name for c in members if not report.states.get(c.name, ContainerState()).ready]
    ready = _condition("Ready", "ContainersNotReady", "unready", unready, phase)
    if phase == "Succeeded":
        initialized = {"type": "Initialized", "status": "True", "reason": "PodCompleted"}
    return [
        {"type": "PodReadyToStartContainers", "status": "True"},
        initialized,
        {**ready, "type": "ContainersReady"},
        ready,
    ]


def _condition(type_: str, reason: str, word: str, names: Sequence[str], phase: str) -> dict[str, str]:
    if type_ == "Ready" and phase in ENDED_PHASES:
        return {"type": type_, "status": "False", "reason": "PodCompleted" if phase == "Succeeded" else "PodFailed"}
    if names:
        message = f"containers with {word} status: [{' '.join(names)}]"
        return {"type": type_, "status": "False", "reason": reason, "message": message}
    return {"type": type_, "status": "True"}


def _with_time(pod: Pod, condition: dict[str, str], now: datetime) -> dict[str, Any]:
    before = next((known for known in pod.status.conditions if known.type == condition["type"]), None)
    same = before is not None and before.status == condition["status"] and before.last_transition_time
    # A merge keeps what is not said: a reason that is over must be taken away.
    blank = {"reason": None, "message": None}
    return {**blank, **condition, "lastTransitionTime": same or rfc3339(now)}


def _statuses(pod: Pod, containers: Iterable[Container], states: States) -> list[dict[str, Any]]:
    return [_container_status(pod, container, states.get(container.name, ContainerState())) for container in containers]


def _container_status(pod: Pod, container: Container, state: ContainerState) -> dict[str, Any]:
    status: dict[str, Any] = {
        "name": container.name,
        "image": container.image,
        "imageID": container.image,
        "ready": state.ready,
        "started": state.started,
        "restartCount": state.restarts,
        "state": _state(state.state),
    }
    if not isinstance(state.state, Waiting) or state.last is not None:
        status["containerID"] = f"pointsman://{pod.metadata.uid}/{container.name}/{state.restarts}"
    if state.last is not None:
        status["lastState"] = _state(state.last)
    return status


def _state(state: Waiting | Running | Terminated) -> dict[str, Any]:
    if isinstance(state, Waiting):
        return {"waiting": _without_blanks({"reason": state.reason, "message": state.message})}
    if isinstance(state, Running):
        return {"running": {"startedAt": rfc3339(state.started_at)}}
    ended = {
        "reason": state.reason,
        "message": state.message,
        "startedAt": rfc3339(state.started_at) if state.started_at else "",
        "finishedAt": rfc3339(state.finished_at) if state.finished_at else "",
    }
    return {"terminated": {"exitCode": state.exit_code, "signal": state.signal, **_without_blanks(ended)}}


def _without_blanks(fields: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in fields.items() if value}
