"""A pod of which at least one image is mapped: its containers from start to end.

The order is the kubelet's: the init containers one after the other (one with restartPolicy Always stays up, and the
next begins when it has started), then all containers at once; the ones that stay up end last. The end of a pod is
simpler: all its containers are told at once. Resource limits, security contexts, lifecycle hooks, ephemeral
containers and a change of an image in place are not honoured: a process here runs as the agent's own user and sees
this machine.
"""

import asyncio
import logging
import math
import shutil
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.backoff import BackoffLimits
from pointsman.sandbox.agent.checks import Prober, require_served
from pointsman.sandbox.agent.container import ContainerRunner, HollowRunner, Hooks, Runner, Terms
from pointsman.sandbox.agent.environment import PodFacts, command_line
from pointsman.sandbox.agent.images import ImageMap
from pointsman.sandbox.agent.mounts import Door, PodVolumes
from pointsman.sandbox.agent.podspec import Container, Pod
from pointsman.sandbox.agent.process import LocalProcess, Process
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.sources import ConfigError, Sources, environment_references
from pointsman.sandbox.agent.states import (
    ContainerState,
    Terminated,
    Waiting,
    adopted,
    is_sidecar,
    restart_policy,
)
from pointsman.sandbox.agent.status import PodReport, pod_status
from pointsman.sandbox.agent.termination import termination_message
from pointsman.sandbox.agent.writer import PodRef, StatusWriter

log = logging.getLogger(__name__)

_LOGS_KEPT: Final = 10  # runs of one container


class Ending(Enum):
    """Why a pod's processes are ended, and so what is left to do after them."""

    DELETED = auto()  # somebody deletes the pod: write its last status, remove it and its folder
    VANISHED = auto()  # there is no such pod any more: remove the folder
    LEFT = auto()  # the agent goes; the pod and its folder stay for the next one


@dataclass(frozen=True, slots=True)
class Services:
    """What every mapped pod of an agent uses."""

    door: Door
    writer: StatusWriter
    prober: Prober
    images: ImageMap
    backoff: BackoffLimits
    refresh_seconds: float
    clock: Clock


class MappedPod:
    """Runs one pod. `run` returns once the pod has been ended; a pod whose containers are done waits for that."""

    def __init__(self, facts: PodFacts, services: Services) -> None:
        pod = facts.pod
        self.facts = facts
        self.ref = PodRef(pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)
        self._ending = asyncio.Event()
        self._services = services
        self._volumes = PodVolumes(pod, services.door, services.clock)
        self._sources = Sources(services.door.client, pod.metadata.namespace)
        self._started_at = services.clock.now()
        self._changed = asyncio.Event()
        self._why: Ending | None = None
        self._grace = math.inf
        self._tasks: set[asyncio.Task[None]] = set()
        self._init = {container.name: self._runner(container, init=True) for container in pod.spec.init_containers}
        self._main = {container.name: self._runner(container, init=False) for container in pod.spec.containers}

    async def run(self) -> None:
        """Until `end` has been called and every process has ended."""
        self._report()
        self._background(self._keep_fresh())
        if await self._initialize():
            await asyncio.gather(*(runner.run() for runner in self._main.values()))
            await asyncio.gather(*(runner.stop(self._grace_seconds) for runner in self._init.values()))
        await self._ending.wait()
        await self.ended()
        if self._why is Ending.DELETED:
            self._report()
            self._services.writer.remove(self.ref)
        if self._why is not Ending.LEFT:
            shutil.rmtree(self.facts.folder.root, ignore_errors=True)

    def update(self, pod: Pod) -> None:
        """Takes the pod as it is on the API server now."""
        self.facts = replace(self.facts, pod=pod)

    def end(self, grace_seconds: float, why: Ending) -> None:
        """Ends every container. Called again, only a shorter grace or another reason matters."""
        self._why = why
        self._ending.set()
        if grace_seconds < self._grace:
            self._grace = grace_seconds
            for runner in (*self._main.values(), *self._init.values()):
                self._background(runner.stop(grace_seconds))

    async def ended(self) -> None:
        """Returns when nothing that `end` set in motion, or that runs beside the containers, is left."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def process(self, container: str) -> Process | None:
        """The process of a container; by an empty name, of the first container that has one."""
        runners = {**self._main, **self._init}
        chosen = [runners[container]] if container in runners else [] if container else list(runners.values())
        processes = (runner.process for runner in chosen if isinstance(runner, ContainerRunner))
        return next((process for process in processes if process is not None), None)

    def status(self) -> dict[str, Any]:
        """The pod's status as it stands."""
        states = {name: runner.state for name, runner in (*self._init.items(), *self._main.items())}
        facts = self.facts
        report = PodReport(states, facts.address, facts.host_address, self._started_at, ending=self._ending.is_set())
        return pod_status(facts.pod, report, self._services.clock.now())

    @property
    def _grace_seconds(self) -> float:
        return float(self.facts.pod.spec.termination_grace_period_seconds)

    async def _initialize(self) -> bool:
        """Runs the init containers; False when the pod gets no further."""
        for container in self.facts.pod.spec.init_containers:
            runner = self._init[container.name]
            if is_sidecar(container):
                self._background(runner.run())
                await self._until_started(runner)
                continue
            await runner.run()
            ended = runner.state.state
            if not isinstance(ended, Terminated) or ended.exit_code:
                return False
        return not self._ending.is_set()

    async def _until_started(self, runner: Runner) -> None:
        while not runner.state.started and not self._ending.is_set():
            self._changed.clear()
            await until_first(self._changed.wait(), self._ending.wait())

    async def _keep_fresh(self) -> None:
        """Follows changed ConfigMaps and Secrets, and renews tokens."""
        clock = self._services.clock
        while not self._ending.is_set():
            await until_first(clock.sleep(self._services.refresh_seconds), self._ending.wait())
            try:
                if not self._ending.is_set():
                    await self._volumes.bring_up_to_date(self.facts)
            except (ConfigError, KubeError, OSError) as fault:
                log.warning("pod %s: volumes stay as they are: %s", self.facts.pod.title, fault)

    async def _launch(self, container: Container, restarts: int) -> Process:
        require_served(container)
        await self._volumes.ensure(self.facts)
        contents = await self._sources.read(environment_references([container]))
        command = command_line(self.facts, container, self._services.images, contents)
        folder = self.facts.folder
        folder.termination(container.name).unlink(missing_ok=True)
        folder.log(container.name, restarts - _LOGS_KEPT).unlink(missing_ok=True)
        return await LocalProcess.start(command, folder.log(container.name, restarts))

    def _last_words(self, container: Container, restarts: int, exit_code: int) -> str:
        folder = self.facts.folder
        return termination_message(
            folder.termination(container.name),
            folder.log(container.name, restarts),
            container.termination_message_policy,
            exit_code,
        )

    def _runner(self, container: Container, *, init: bool) -> Runner:
        if container.image not in self._services.images:
            return HollowRunner(init and not is_sidecar(container), self._on_change, self._services.clock)
        pod, services = self.facts.pod, self._services
        probe = container.liveness_probe or container.startup_probe
        grace = probe.termination_grace_period_seconds if probe is not None else None
        terms = Terms(
            policy=restart_policy(pod, container),
            pod_title=pod.title,
            grace_seconds=self._grace_seconds if grace is None else grace,
            backoff=services.backoff,
            ready_at_end=init and not is_sidecar(container),
        )
        hooks = Hooks(
            launch=self._launch,
            last_words=self._last_words,
            check=lambda container: services.prober.check(container, self.facts.address),
            on_change=self._on_change,
        )
        return ContainerRunner(container, terms, hooks, services.clock, self._first_state(container, init=init))

    def _first_state(self, container: Container, *, init: bool) -> ContainerState:
        pod = self.facts.pod
        known = (*pod.status.container_statuses, *pod.status.init_container_statuses)
        before = next((status for status in known if status.name == container.name), None)
        if before is None and pod.spec.init_containers and not init:
            return ContainerState(Waiting("PodInitializing"))
        return adopted(before, self._services.clock.now())

    def _on_change(self) -> None:
        self._changed.set()
        self._report()

    def _report(self) -> None:
        if self._why in (None, Ending.DELETED):
            self._services.writer.status(self.ref, self.status)

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def all_containers(pod: Pod) -> Sequence[Container]:
    """Init containers and ordinary ones."""
    return (*pod.spec.init_containers, *pod.spec.containers)
