"""A whole engine in the test's own process, on a small API server and a clock that the test moves."""

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import aiohttp
from tests.unit.engine_process.mini_api import Json, MiniApi, until
from tests.unit.engine_process.policies import policy

from pointsman.api.report import ProfileReport, Report, decode
from pointsman.engine.process.identity import Identity
from pointsman.engine.process.listen import Listen
from pointsman.engine.process.process import run
from pointsman.policy.policy import Policy
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod
from pointsman.testing.clock import VirtualClock

IDLE = 12.0  # seconds after which the report on the Lease is complete


@dataclass
class Running:
    """One engine at work."""

    api: MiniApi
    clock: VirtualClock
    stop: asyncio.Event
    task: asyncio.Task[int]
    port: int

    async def page(self, path: str) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{self.port}{path}") as answer,
        ):
            return answer.status, await answer.text()

    def port_open(self) -> bool:
        """Whether its pages are served."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    async def end(self) -> int:
        self.stop.set()
        return await asyncio.wait_for(self.task, 20)

    async def report(self, profile: str = "p") -> ProfileReport:
        """The report once everything that happened has had time to get into it."""
        await self.clock.advance(IDLE)
        return read_report(self.api).profiles[profile]


def read_report(api: MiniApi) -> Report:
    report = decode(api.lease()["metadata"]["annotations"]["pointsman.dev/report"])
    assert report is not None
    return report


def world(nodes: Sequence[NodeBuilder] = (), pods: Sequence[PodBuilder] = ()) -> MiniApi:
    """An API server that has these objects, the namespace default and a free Lease."""
    api = MiniApi()
    api.put("namespaces", {"metadata": {"name": "default", "uid": "namespace-default"}})
    api.put("leases", lease())
    for one in nodes or [node("n1")]:
        api.put("nodes", one.manifest())
    for another in pods:
        api.put("pods", another.manifest())
    return api


def lease(holder: str = "", **annotations: str) -> Json:
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 15} if holder else {}
    metadata = {"namespace": "fleet", "name": "engine-p", "uid": "lease-p", "annotations": annotations}
    return {"metadata": metadata, "spec": spec}


def ours(name: str, scheduler_name: str = "ours") -> PodBuilder:
    """A pending pod of the engine's scheduler."""
    return pod(name).spec(scheduler_name=scheduler_name).metadata(generation=1)


@contextlib.asynccontextmanager
async def engine(
    api: MiniApi, *policies: Policy, identity: str = "engine-p-1", clock: VirtualClock | None = None, wait: bool = True
) -> AsyncIterator[Running]:
    """Run an engine; with `wait` until it is ready."""
    clock, stop, port = clock or VirtualClock(), asyncio.Event(), _free_port()
    who = Identity(identity, "fleet", "engine-p", "0.0.0")
    async with api.client(clock) as client:
        work = run(
            client, policies or (policy(),), who, Listen("127.0.0.1", port), stop, clock=clock, rng=random.Random(1)
        )
        running = Running(api, clock, stop, asyncio.create_task(work), port)
        if wait:
            await until(lambda: api.lease()["spec"].get("holderIdentity") == identity)
        yield running
        running.task.cancel()
        await asyncio.gather(running.task, return_exceptions=True)


def _free_port() -> int:

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
