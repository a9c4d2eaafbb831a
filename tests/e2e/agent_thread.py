"""The node agent beside a test: in a thread with an event loop of its own, so that the tests stay plain functions."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from pointsman.kube.connection import connect
from pointsman.sandbox.agent.agent import BackoffLimits, NodeAgent, NodeShape
from tests.controlplane.in_thread import in_thread

T = TypeVar("T")

START_SECONDS: Final = 60.0
POINTSMAN_IMAGE: Final = "pointsman/pointsman:0.1.0"
IMAGES: Final[Mapping[str, Sequence[str]]] = {POINTSMAN_IMAGE: (sys.executable, "-m", "pointsman")}


class AgentThread:
    """A running agent, callable from the test's thread."""

    def __init__(self, agent: NodeAgent, loop: asyncio.AbstractEventLoop) -> None:
        self.agent = agent
        self._loop = loop

    def call(self, work: Coroutine[Any, Any, T], seconds: float = START_SECONDS) -> T:
        """Run a coroutine on the agent's loop and wait for its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def process_of(self, namespace: str, pod: str) -> int:
        """Process id of a pod's first container, 0 when there is no process now."""
        return self._with_process(namespace, pod, lambda process: process)

    def kill(self, namespace: str, pod: str, number: signal.Signals) -> int:
        """Send a signal to a pod's process; returns its process id, 0 when there is no process now."""

        def send(process: int) -> int:
            self.agent.kill(namespace, pod, number)
            return process

        return self._with_process(namespace, pod, send)

    def _with_process(self, namespace: str, pod: str, use: Callable[[int], int]) -> int:
        async def find() -> int:
            try:
                return use(self.agent.pid_of(namespace, pod))
            except LookupError:
                return 0

        return self.call(find())


@contextmanager
def running_agent(
    kubeconfig: Path, folder: Path, nodes: Sequence[NodeShape], *, backoff: BackoffLimits | None = None
) -> Iterator[AgentThread]:
    """An agent that plays `nodes` and runs Pointsman's image with the interpreter of this test."""

    @asynccontextmanager
    async def live() -> AsyncIterator[NodeAgent]:
        connection = await connect(str(kubeconfig))
        async with NodeAgent(connection, nodes, images=IMAGES, work_dir=folder, backoff=backoff) as agent:
            yield agent

    with in_thread(live, "node-agent", START_SECONDS) as (agent, loop):
        yield AgentThread(agent, loop)
