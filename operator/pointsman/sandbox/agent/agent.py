"""The node agent: plays any number of nodes on any API server, and runs the pods that are bound to them.

A pod with an image in the image map runs as a process per container (`mapped`); any other pod just becomes Running.
This module owns the agent's life: connection, nodes, the one watch on pods, and a clean end.

    shapes = numbered(NodeShape("", cpu="4", labels={"pool": "gpu"}), "hollow-", 50)
    async with NodeAgent(connection, shapes, images={"app:1": ("python", "-m", "app")}, work_dir=folder) as agent:
        ...
        agent.kill("default", "app-0", signal.SIGKILL)
"""

import asyncio
import logging
import random
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

from pointsman import __version__
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock, SystemClock
from pointsman.kube.connection import Connection
from pointsman.kube.reflector import Reflector
from pointsman.kube.resources import PODS
from pointsman.sandbox.agent.addresses import node_addresses, pod_addresses
from pointsman.sandbox.agent.backoff import BackoffLimits
from pointsman.sandbox.agent.checks import Prober
from pointsman.sandbox.agent.images import ImageMap
from pointsman.sandbox.agent.logs import read_log
from pointsman.sandbox.agent.mapped import Services
from pointsman.sandbox.agent.mounts import Door
from pointsman.sandbox.agent.nodes import NodeRegistrar
from pointsman.sandbox.agent.pods import NodePods
from pointsman.sandbox.agent.podspec import Pod
from pointsman.sandbox.agent.process import Process
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.shape import NodeShape, numbered
from pointsman.sandbox.agent.workdir import claimed
from pointsman.sandbox.agent.writer import StatusWriter

__all__ = ["BackoffLimits", "NodeAgent", "NodeShape", "numbered"]

log = logging.getLogger(__name__)

_NO_IMAGES: Final[ImageMap] = MappingProxyType({})
_STOP_GRACE_SECONDS: Final = 5.0
_BOUND_PODS: Final = "spec.nodeName!="  # to any node


@dataclass(frozen=True, slots=True)
class _Parts:
    """What exists while the agent runs."""

    client: Client
    registrar: NodeRegistrar
    writer: StatusWriter
    pods: NodePods


class NodeAgent:
    """Plays nodes. Use it as an async context manager, or call `start` and `stop`.

    `work_dir` belongs to this agent alone. `refresh_seconds` is how often ConfigMaps, Secrets and tokens of mapped
    pods are looked after; `heartbeat_seconds` how often each node's Lease is renewed, 0 for never (see `nodes`).
    Processes end with the agent; pods whose processes are gone are started again by the next one.
    """

    def __init__(  # noqa: PLR0913 - one thing to configure each
        self,
        connection: Connection,
        nodes: Sequence[NodeShape],
        *,
        work_dir: Path,
        images: Mapping[str, Sequence[str]] = _NO_IMAGES,
        backoff: BackoffLimits | None = None,
        remove_nodes_on_exit: bool = False,
        refresh_seconds: float = 15.0,
        heartbeat_seconds: float = 0.0,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self._connection = connection
        self._first_nodes = tuple(nodes)
        self._images: ImageMap = {image: tuple(command) for image, command in images.items()}
        self._work_dir = work_dir.absolute()
        self._backoff = backoff or BackoffLimits()
        self._remove_nodes_on_exit = remove_nodes_on_exit
        self._refresh_seconds = refresh_seconds
        self._heartbeat_seconds = heartbeat_seconds
        self._clock = clock or SystemClock()
        self._rng = rng or random.Random()  # noqa: S311 - spreads addresses and retries, guards nothing
        self._nodes: dict[str, str] = {}  # name -> address
        self._node_addresses = node_addresses(self._rng.getrandbits(32))
        self._stack = AsyncExitStack()
        self._started: _Parts | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Registers the nodes and takes up the pods on them; returns when all that exist are known.

        Raises KubeError when the API server refuses a node or does not answer (later outages are waited out),
        WorkDirTaken when another agent has the work directory.
        """
        if self._images and sys.platform != "linux":
            log.warning("only Linux lets a process listen on its pod's address without an alias on the loopback device")
        async with AsyncExitStack() as stack:
            stack.enter_context(claimed(self._work_dir))
            parts = self._started = await self._open(stack)
            stack.push_async_callback(self._cancel)
            await self.add_nodes(self._first_nodes)
            await self._watch(parts)
            parts.pods.sweep()
            self._stack = stack.pop_all()
        log.info("%d nodes are registered", len(self._nodes))

    async def stop(self, grace_seconds: float = _STOP_GRACE_SECONDS) -> None:
        """Ends every process, removes the nodes if that was wanted, and returns when nothing of it is left."""
        async with self._stack:
            await self._parts.pods.stop(grace_seconds)
            if self._remove_nodes_on_exit:
                await self.remove_nodes(list(self._nodes))

    async def wait(self) -> None:
        """Returns only by raising: what has ended although it should run as long as the agent does."""
        ended, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()

    async def add_nodes(self, shapes: Sequence[NodeShape]) -> None:
        """Registers more nodes, or gives those of these names another shape. Raises KubeError."""
        for shape in shapes:
            if shape.name not in self._nodes:
                self._nodes[shape.name] = self._node_addresses.take()
        await self._parts.registrar.register(shapes, [self._nodes[shape.name] for shape in shapes])

    async def remove_nodes(self, names: Iterable[str]) -> None:
        """Takes nodes away as if their power had failed: processes are killed, Node objects deleted. Raises KubeError.

        What becomes of the pods is for the cluster to find out.
        """
        gone = list(names)
        self._parts.pods.leave(gone)
        await self._parts.registrar.remove(gone)
        for name in gone:
            self._node_addresses.release(self._nodes.pop(name, ""))

    def pid_of(self, namespace: str, pod: str, container: str = "") -> int:
        """The process id of a container, or of the pod's first. Raises LookupError when nothing runs."""
        return self._process(namespace, pod, container).pid

    def kill(self, namespace: str, pod: str, number: signal.Signals, container: str = "") -> None:
        """Signals a container's process and what it started. Raises LookupError when nothing runs."""
        self._process(namespace, pod, container).signal(number)

    def logs(self, namespace: str, pod: str, container: str = "", *, previous: bool = False) -> str:
        """What a container wrote, in its newest run or the one before. Raises LookupError without any."""
        return read_log(self._work_dir, namespace, pod, container, previous=previous)

    def folder_of(self, namespace: str, pod: str) -> Path:
        """The folder of a pod: its mount paths lie below it. Raises LookupError when the pod is not run here."""
        return self._parts.pods.find(namespace, pod).facts.folder.root

    @property
    def _parts(self) -> _Parts:
        if self._started is None:
            raise RuntimeError("the node agent is not started: use it with `async with`")
        return self._started

    def _process(self, namespace: str, pod: str, container: str) -> Process:
        process = self._parts.pods.find(namespace, pod).process(container)
        if process is None:
            raise LookupError(f"pod {namespace}/{pod} {container}: no process runs at the moment")
        return process

    async def _open(self, stack: AsyncExitStack) -> _Parts:
        user_agent = f"pointsman-node-agent/{__version__}"
        client = await stack.enter_async_context(Client(self._connection, user_agent=user_agent, clock=self._clock))
        writer = StatusWriter(client, clock=self._clock, rng=self._rng)
        services = Services(
            door=Door(client, self._connection),
            writer=writer,
            prober=await stack.enter_async_context(Prober()),
            images=self._images,
            backoff=self._backoff,
            refresh_seconds=self._refresh_seconds,
            clock=self._clock,
        )
        pods = NodePods(self._nodes, pod_addresses(self._rng.getrandbits(32)), services, self._work_dir)
        return _Parts(client, NodeRegistrar(client, self._clock), writer, pods)

    async def _watch(self, parts: _Parts) -> None:
        """Starts what runs as long as the agent does, and returns when all pods are known."""
        reflector = Reflector(
            parts.client,
            PODS,
            Pod,
            parts.pods.on_events,
            field_selector=_BOUND_PODS,
            clock=self._clock,
            rng=self._rng,
        )
        endless = [reflector.run(), parts.writer.run()]
        if self._heartbeat_seconds:
            endless.append(parts.registrar.keep_alive(lambda: list(self._nodes), self._heartbeat_seconds))
        self._tasks += map(asyncio.create_task, endless)
        await until_first(reflector.synced.wait(), self.wait())
        if not reflector.synced.is_set():
            await self.wait()

    async def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        self._started = None
