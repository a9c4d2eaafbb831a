"""The demo from the first node to the last word: what is started, in which order, and how it ends.

The server is given by its kubeconfig; everything else is started here and ends here, operator and engines included:
their pods are processes of the node agent, which ends with the block.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pointsman import __version__
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.connection import connect
from pointsman.sandbox.agent.agent import NodeAgent
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.demo.cluster import ZONES, namespaces, shapes, sizes
from pointsman.sandbox.demo.configz import loaded_hashes
from pointsman.sandbox.demo.display import Display
from pointsman.sandbox.demo.install import Installer, Manifest, pointsman, profiles
from pointsman.sandbox.demo.summary import Summary, as_text, summary
from pointsman.sandbox.demo.traffic import send
from pointsman.sandbox.demo.watching import View, watching
from pointsman.sandbox.demo.workload import WORKLOADS

START_SECONDS: Final = 120.0  # for all profiles to become ready
_REFRESH_SECONDS: Final = 0.5
COMMANDS: Final = (
    "kubectl get sprof",
    "kubectl describe sprof gpu",
    "kubectl get pods --all-namespaces --output wide",
    "kubectl edit sprof binpack",
)
_IMAGES: Final = {f"pointsman/pointsman:{__version__}": (sys.executable, "-m", "pointsman")}


@dataclass(frozen=True, slots=True)
class Options:
    """`seconds` is how long pods are made once all profiles are ready; None: until told to end."""

    nodes: int
    seconds: float | None


class Demo:
    """One run. `stop` ends it early, in order."""

    def __init__(
        self, kubeconfig: Path, folder: Path, options: Options, shown: Display, clock: Clock, stop: asyncio.Event
    ) -> None:
        self._kubeconfig = kubeconfig
        self._folder = folder
        self._options = options
        self._display = shown
        self._clock = clock
        self._stop = stop
        self._rng = random.Random()  # noqa: S311 - addresses and retries, no secret
        self._began = clock.monotonic()

    async def run(self) -> Summary:
        """Run to the end. Raises KubeError, or WorkDirTaken when the folder is another agent's."""
        schedulers = [workload.scheduler for workload in WORKLOADS]
        wanted = profiles(schedulers)
        view = View([str(profile["metadata"]["name"]) for profile in wanted], schedulers)
        async with self._cluster() as client:
            await self._install(client, wanted)
            async with watching(client, view, self._clock, self._rng), _beside(self._show(view)):
                await until_first(view.all_ready.wait(), self._stop.wait(), self._clock.sleep(START_SECONDS))
                seconds = await self._traffic(client) if view.all_ready.is_set() else 0.0
            standings = view.standings
            self._display.show(standings, self._elapsed())
            done = summary(standings, await loaded_hashes(client, standings), view.bound, seconds)
            self._display.say(as_text(done))
            return done

    @asynccontextmanager
    async def _cluster(self) -> AsyncIterator[Client]:
        """Nodes, with the programs of Pointsman's image; and a client to talk to their server."""
        connection = await connect(str(self._kubeconfig))
        nodes, folder = shapes(self._options.nodes), self._folder / "nodes"
        async with (
            NodeAgent(connection, nodes, images=_IMAGES, work_dir=folder, clock=self._clock, rng=self._rng),
            Client(connection, user_agent=f"pointsman-demo/{__version__}", clock=self._clock) as client,
        ):
            yield client

    async def _install(self, client: Client, wanted: Sequence[Manifest]) -> None:
        installer = Installer(client, self._clock)
        skipped = await installer.apply([*pointsman(), *namespaces()])
        await installer.profiles_served()
        await installer.apply(wanted)
        for words in introduction(self._kubeconfig, self._options.nodes, skipped):
            self._display.say(words)

    async def _traffic(self, client: Client) -> float:
        """Make pods for as long as wanted; returns how many seconds that were. Raises KubeError."""
        start, seconds = self._clock.monotonic(), self._options.seconds
        async with _beside(send(client, WORKLOADS, self._options.nodes, self._clock)) as sending:
            ends = [asyncio.wait([sending]), self._stop.wait()]
            await until_first(*ends, *([] if seconds is None else [self._clock.sleep(seconds)]))
            if sending.done():
                sending.result()
        return self._clock.monotonic() - start

    async def _show(self, view: View) -> None:
        while True:
            self._display.show(view.standings, self._elapsed())
            await self._clock.sleep(_REFRESH_SECONDS)

    def _elapsed(self) -> float:
        return self._clock.monotonic() - self._began


def introduction(kubeconfig: Path, nodes: int, skipped: Sequence[str]) -> Iterator[str]:
    """What to know of the cluster, and the commands to try first. `skipped` are `Kind/name`."""
    pools = ", ".join(f"{count} {name}" for name, count in sizes(nodes).items())
    yield f"{nodes} nodes in {len(ZONES)} zones: {pools}"
    if skipped:
        yield f"not served here, so left out: {', '.join(sorted({one.partition('/')[0] for one in skipped}))}"
    yield "In another terminal:"
    yield f"  export KUBECONFIG={kubeconfig}"
    yield from (f"  {command}" for command in COMMANDS)


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator["asyncio.Task[None]"]:
    """Run it beside the block, and end it with the block."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
