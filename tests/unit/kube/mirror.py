"""A reflector at work, and what a server says to it."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.unit.kube.fake_api import FakeApi, Reply, Watch, status, until

from pointsman.kube.client import Client
from pointsman.kube.objects import Pod
from pointsman.kube.reflector import EventType, Reflector, WatchEvent
from pointsman.kube.resources import PODS
from pointsman.testing.clock import VirtualClock


class Mirror:
    """A reflector at work, and what it told."""

    def __init__(self, client: Client, clock: VirtualClock, **options: str) -> None:
        self.batches: list[list[tuple[str, str, str]]] = []
        self.pods: dict[str, str] = {}
        self.clock = clock
        self.reflector = Reflector(client, PODS, Pod, self._take, clock=clock, rng=random.Random(7), **options)

    def _take(self, events: Sequence[WatchEvent[Pod]]) -> None:
        self.batches.append(
            [(str(one.type), one.object.metadata.name, one.object.metadata.resource_version) for one in events]
        )
        for one in events:
            if one.type is EventType.DELETED:
                del self.pods[one.object.metadata.name]
            else:
                self.pods[one.object.metadata.name] = one.object.metadata.resource_version

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Mirror"]:
        task = asyncio.create_task(self.reflector.run())
        try:
            yield self
            assert not task.done(), "run() must not end by itself"
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def pass_until(self, condition: Callable[[], bool], limit: float = 60) -> float:
        """Let time pass, in small steps, until the condition holds; returns how long it took."""
        start = self.clock.monotonic()
        async with asyncio.timeout(5):
            while not condition():
                assert self.clock.monotonic() - start <= limit, "it did not happen in time"
                await self.clock.advance(0.25)
        return self.clock.monotonic() - start


def pod(name: str, version: int, uid: str = "", **more: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "n", "uid": uid or f"uid-{name}", "resourceVersion": str(version)},
        **more,
    }


def a_list(*items: dict[str, Any], version: int, more: str = "", hold: asyncio.Event | None = None) -> Reply:
    return Reply(
        body={"metadata": {"resourceVersion": str(version), "continue": more}, "items": list(items)}, hold=hold
    )


def change(kind: str, obj: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "object": obj}


def bookmark(version: int) -> dict[str, Any]:
    return change("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": str(version)}})


def too_old() -> dict[str, Any]:
    return status(410, "Expired", "too old resource version")


@asynccontextmanager
async def watching(
    api: FakeApi, client: Client, clock: VirtualClock, *items: dict[str, Any]
) -> AsyncIterator[tuple[Mirror, Watch]]:
    """A mirror that has listed `items` at version 100 and whose first watch is open."""
    watch = Watch()
    api.lists.append(a_list(*items, version=100))
    api.watches.append(watch)
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: len(api.watched) == 1)
        await watch.opened.wait()
        yield mirror, watch
