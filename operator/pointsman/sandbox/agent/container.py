"""The life of one container: start, probe, end, wait, start again.

`run` returns when the container is not to be started again; until then `state` always tells how it stands, and
`on_change` is called whenever that changed. What a start takes (files, environment) is the pod's business and comes
in as `launch`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.backoff import BackoffLimits, CrashBackoff
from pointsman.sandbox.agent.podspec import Container
from pointsman.sandbox.agent.probe import Check, Probing
from pointsman.sandbox.agent.process import Exit, Process
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.sources import ConfigError
from pointsman.sandbox.agent.states import KILLED, ContainerState, Running, Terminated, Waiting, restarts

log = logging.getLogger(__name__)

_CONFIG_RETRY_SECONDS: Final = 1.0  # the kubelet takes 10 and more; here a missing ConfigMap is usually on its way
_START_FAILED: Final = 128  # exit code of a container that could not be started, as container runtimes report it


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a container asks of its pod."""

    launch: Callable[[Container, int], Awaitable[Process]]  # the number counts restarts
    last_words: Callable[[Container, int, int], str]  # restarts, exit code -> termination message
    check: Callable[[Container], Check]
    on_change: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """By what rules a container lives."""

    policy: str  # Always, OnFailure or Never
    pod_title: str
    grace_seconds: float  # for a container that its probes end
    backoff: BackoffLimits
    ready_at_end: bool = False  # an init container is ready when it has ended well


class Runner(Protocol):
    """A container that is being run, truly or not."""

    state: ContainerState

    async def run(self) -> None: ...

    async def stop(self, grace_seconds: float) -> None: ...


class ContainerRunner:
    """Runs a mapped container as a process."""

    def __init__(self, container: Container, terms: Terms, hooks: Hooks, clock: Clock, state: ContainerState) -> None:
        self.state = state
        self.process: Process | None = None
        self._container = container
        self._terms = terms
        self._hooks = hooks
        self._clock = clock
        self._backoff = CrashBackoff(terms.backoff)
        self._stopping = asyncio.Event()
        self._grace_seconds = 0.0

    async def run(self) -> None:
        """Until the container is not started again: it ended for good, or was stopped."""
        ended = self.state.state
        if isinstance(ended, Terminated):  # an earlier agent's container
            if not restarts(self._terms.policy, ended.exit_code):
                return
            self._begin_again(ended)
        while not self._stopping.is_set():
            ended, seconds = await self._run_once()
            self._set(state=ended, ready=self._terms.ready_at_end and ended.exit_code == 0, started=False)
            if self._stopping.is_set() or not restarts(self._terms.policy, ended.exit_code):
                return
            await self._back_off(ended, seconds)

    async def stop(self, grace_seconds: float) -> None:
        """Ends the process and any waiting; `run` returns then. A second, shorter call hastens the first."""
        self._grace_seconds = grace_seconds
        self._stopping.set()
        if self.process is not None:
            await self.process.end(grace_seconds, self._clock)

    async def _run_once(self) -> tuple[Terminated, float]:
        """One run from start to end, and its seconds."""
        process, fault = await self._start()
        started_at, since = self._clock.now(), self._clock.monotonic()
        if process is None:
            code = KILLED if self._stopping.is_set() else _START_FAILED
            return Terminated(code, "StartError" if fault else "Error", started_at, started_at, message=fault), 0.0
        self.process = process
        self._set(state=Running(started_at))
        if self._stopping.is_set():
            await process.end(self._grace_seconds, self._clock)
        killed_because = await self._attend(process, since)
        ended = await process.wait()
        self.process = None
        return self._terminated(ended, started_at, killed_because), self._clock.monotonic() - since

    async def _start(self) -> tuple[Process | None, str]:
        """A process; or none, because the container is being stopped or, as the text says, this machine refuses."""
        while not self._stopping.is_set():
            try:
                return await self._hooks.launch(self._container, self.state.restarts), ""
            except ConfigError as fault:
                self._set(state=Waiting("CreateContainerConfigError", str(fault)))
            except KubeError as fault:
                log.warning("pod %s container %s: %s", self._terms.pod_title, self._container.name, fault)
            except OSError as fault:
                return None, f"cannot start a process: {fault}"
            await self._pause(_CONFIG_RETRY_SECONDS)
        return None, ""

    async def _attend(self, process: Process, since: float) -> str:
        """Probes the process until it ends; returns why it was killed, or nothing."""
        probing = Probing(self._container, self._hooks.check(self._container), self._clock, since)
        verdict = asyncio.create_task(probing.until_dead(self._on_started, self._on_ready))
        end = asyncio.create_task(process.wait())
        await asyncio.wait({verdict, end}, return_when=asyncio.FIRST_COMPLETED)
        killed_because = ""
        if verdict.done() and not end.done():
            killed_because = verdict.result()
            log.info("pod %s: %s and is ended", self._terms.pod_title, killed_because)
            await process.end(self._terms.grace_seconds, self._clock)
        verdict.cancel()
        await asyncio.wait({verdict, end})
        return killed_because

    async def _back_off(self, ended: Terminated, seconds: float) -> None:
        self._backoff = self._backoff.after_run(seconds)
        if self._backoff.delay:
            name, title = self._container.name, self._terms.pod_title
            message = f"back-off {self._backoff.delay:g}s restarting failed container={name} pod={title}"
            self._set(state=Waiting("CrashLoopBackOff", message), last=ended)
            await self._pause(self._backoff.delay)
            if self._stopping.is_set():
                self._set(state=ended)
                return
        self._backoff = self._backoff.after_restart()
        self._begin_again(ended)

    def _begin_again(self, ended: Terminated) -> None:
        self._set(state=Waiting("ContainerCreating"), last=ended, restarts=self.state.restarts + 1, ready=False)

    def _terminated(self, ended: Exit, started_at: datetime, killed_because: str) -> Terminated:
        words = self._hooks.last_words(self._container, self.state.restarts, ended.code)
        message = ": ".join(part for part in (killed_because, words) if part)
        reason = "Error" if ended.code else "Completed"
        return Terminated(ended.code, reason, started_at, self._clock.now(), ended.signal, message)

    async def _pause(self, seconds: float) -> None:
        """Sleeps, but not beyond a stop."""
        await until_first(self._clock.sleep(seconds), self._stopping.wait())

    def _on_started(self) -> None:
        self._set(started=True)

    def _on_ready(self, ready: bool) -> None:
        self._set(ready=ready)

    def _set(self, **changes: object) -> None:
        fresh = replace(self.state, **changes)  # type: ignore[arg-type]
        if fresh != self.state:
            self.state = fresh
            self._hooks.on_change()


class HollowRunner:
    """Pretends to run a container whose image is not mapped, beside others that are: it is up until it is stopped.

    As an init container it has ended well at once.
    """

    def __init__(self, ends_at_once: bool, on_change: Callable[[], None], clock: Clock) -> None:
        self.state = ContainerState()
        self._ends_at_once = ends_at_once
        self._on_change = on_change
        self._clock = clock
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Until it is stopped."""
        started_at = self._clock.now()
        if not self._ends_at_once:
            self.state = ContainerState(Running(started_at), ready=True, started=True)
            self._on_change()
            await self._stopped.wait()
        ended = Terminated(0, "Completed", started_at, self._clock.now())
        self.state = ContainerState(ended, ready=self._ends_at_once)
        self._on_change()

    async def stop(self, grace_seconds: float) -> None:  # noqa: ARG002 - the Runner's signature
        """Ends it."""
        self._stopped.set()
