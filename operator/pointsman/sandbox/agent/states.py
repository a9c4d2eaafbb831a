"""The states of a container, and what follows from them: whether it is started again, and how an earlier agent left it.

Pure. The field names are those of `ContainerStatus`; times are aware datetimes here and text only at the border.
"""

from dataclasses import dataclass
from datetime import datetime

from pointsman.sandbox.agent.podspec import Container, ContainerStatus, Pod, TerminatedState

KILLED = 128 + 9  # exit code of a process ended by SIGKILL, as a shell and every container runtime counts it


@dataclass(frozen=True, slots=True)
class Waiting:
    """Not running yet, or not running again yet."""

    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """A process runs."""

    started_at: datetime


@dataclass(frozen=True, slots=True)
class Terminated:
    """A process has ended. `signal` is 0 unless one ended it; `exit_code` is then 128 + signal."""

    exit_code: int
    reason: str
    started_at: datetime | None = None
    finished_at: datetime | None = None
    signal: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class ContainerState:
    """All that is reported of one container."""

    state: Waiting | Running | Terminated = Waiting("ContainerCreating")
    last: Terminated | None = None
    restarts: int = 0
    ready: bool = False
    started: bool = False


def restart_policy(pod: Pod, container: Container) -> str:
    """The policy that holds for one container. `Always` of a pod means `OnFailure` for its init containers."""
    if container.restart_policy:
        return container.restart_policy
    if pod.spec.restart_policy == "Always" and container in pod.spec.init_containers:
        return "OnFailure"
    return pod.spec.restart_policy


def is_sidecar(container: Container) -> bool:
    """Whether an init container stays up beside the others. Ask it of init containers only."""
    return container.restart_policy == "Always"


def restarts(policy: str, exit_code: int) -> bool:
    """Whether a container that ended with that code is started again."""
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def adopted(status: ContainerStatus | None, now: datetime) -> ContainerState:
    """The state of a container when the agent meets its pod, from what an earlier agent wrote.

    Processes end with their agent, so one that is said to run has been killed.
    """
    if status is None:
        return ContainerState()
    if status.state.terminated is not None:
        return ContainerState(_terminated(status.state.terminated), restarts=status.restart_count)
    if status.state.running is not None:
        lost = Terminated(KILLED, "Error", _moment(status.state.running.started_at), now, 9, "the node agent ended")
        return ContainerState(lost, restarts=status.restart_count)
    if status.last_state.terminated is not None:
        return ContainerState(_terminated(status.last_state.terminated), restarts=status.restart_count)
    return ContainerState(restarts=status.restart_count)


def _terminated(state: TerminatedState) -> Terminated:
    return Terminated(
        state.exit_code,
        state.reason,
        _moment(state.started_at),
        _moment(state.finished_at),
        state.signal,
        state.message,
    )


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
