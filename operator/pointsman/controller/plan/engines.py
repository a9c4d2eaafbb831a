"""An engine as its pod shows it: ready or not, with which policy, and its last words when it fails.

The structs declare what is read of a pod and of nothing else, so that mirroring every engine of a big fleet is cheap.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec

from pointsman.api import names
from pointsman.kube.objects import Metadata

_STARTING: Final = frozenset({"", "ContainerCreating", "PodInitializing"})
_MAX_WORDS: Final = 200
_ALWAYS: Final = datetime(1970, 1, 1, tzinfo=UTC)


class _Part(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    pass


class Terminated(_Part, frozen=True, kw_only=True):
    """A container that ended."""

    exit_code: int = 0
    reason: str = ""
    message: str = ""


class Waiting(_Part, frozen=True, kw_only=True):
    """A container that does not run yet, or not again yet."""

    reason: str = ""
    message: str = ""


class ContainerState(_Part, frozen=True, kw_only=True):
    """At most one of the two is there; neither means that it runs."""

    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(_Part, frozen=True, kw_only=True):
    """One container of an engine's pod."""

    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class PodCondition(_Part, frozen=True, kw_only=True):
    """One condition of an engine's pod."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None


class EnginePodStatus(_Part, frozen=True, kw_only=True):
    """What kubelet and scheduler say of an engine's pod."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[PodCondition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()


class EnginePod(_Part, frozen=True, kw_only=True):
    """A pod in the fleet namespace."""

    metadata: Metadata
    status: EnginePodStatus = EnginePodStatus()


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine, ready since a time or not ready.

    `failure` says in words why it is not; it is empty while the engine starts as it should, and when it is ready.
    """

    pod: str
    policy_hash: str
    ready_since: datetime | None = None
    failure: str = ""

    @property
    def ready(self) -> bool:
        return self.ready_since is not None


def engine(pod: EnginePod) -> Engine:
    """What a pod tells of its engine."""
    policy = pod.metadata.annotations.get(names.POLICY_ANNOTATION, "")
    for condition in pod.status.conditions:
        if condition.type == "Ready" and condition.status == "True":
            return Engine(pod.metadata.name, policy, condition.last_transition_time or _ALWAYS)
    return Engine(pod.metadata.name, policy, failure=_failure(pod.status))


def _failure(status: EnginePodStatus) -> str:
    if status.phase == "Failed" and status.reason:
        return f"{status.reason}: {_last_line(status.message)[:_MAX_WORDS]}"
    for condition in status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False" and condition.reason == "Unschedulable":
            return f"its pod is not scheduled: {_last_line(condition.message)[:_MAX_WORDS]}"
    return next((words for container in status.container_statuses if (words := _container_failure(container))), "")


def _container_failure(container: ContainerStatus) -> str:
    ended = container.state.terminated or container.last_state.terminated
    if ended is not None and not container.ready:
        return _last_words(ended)
    waiting = container.state.waiting
    if waiting is not None and waiting.reason not in _STARTING:
        return f"{waiting.reason}: {_last_line(waiting.message)[:_MAX_WORDS]}"
    return ""


def _last_words(ended: Terminated) -> str:
    words = _said(_last_line(ended.message)) or ended.reason or "it said nothing"
    return f"{json.dumps(words[:_MAX_WORDS], ensure_ascii=not words.isprintable())}, exit code {ended.exit_code}"


def _said(line: str) -> str:
    """The message of a log line in our JSON form; any other text as it is."""
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    return str(entry.get("message", line)) if isinstance(entry, dict) else line


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
