"""What the demo knows of its cluster: profiles and pods, mirrored as anybody with a kubeconfig could."""

import asyncio
import random
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.objects import Metadata
from pointsman.kube.reflector import EventType, Reflector, WatchEvent
from pointsman.kube.resources import PODS, SCHEDULER_PROFILES
from pointsman.sandbox.demo.standing import Standing, standing


class _Profile(msgspec.Struct, frozen=True):
    metadata: Metadata
    spec: dict[str, Any] = {}
    status: dict[str, Any] | None = None


class _PodSpec(msgspec.Struct, frozen=True, rename="camel"):
    scheduler_name: str = ""
    node_name: str = ""


class _Pod(msgspec.Struct, frozen=True):
    metadata: Metadata
    spec: _PodSpec = _PodSpec()


class View:
    """Profiles as they stand, and how many pods their schedulers placed so far."""

    def __init__(self, wanted: Collection[str], schedulers: Collection[str]) -> None:
        self.all_ready = asyncio.Event()  # each of `wanted` was ready at one moment or another
        self._waiting = set(wanted)
        self._schedulers = frozenset(schedulers)
        self._standings: dict[str, Standing] = {}
        self._bound: set[str] = set()

    @property
    def standings(self) -> list[Standing]:
        """By name."""
        return [self._standings[name] for name in sorted(self._standings)]

    @property
    def bound(self) -> int:
        """Pods that were given a node, those that are gone since included."""
        return len(self._bound)

    def on_profiles(self, events: Sequence[WatchEvent[_Profile]]) -> None:
        """Take in news about profiles."""
        for event in events:
            metadata = event.object.metadata
            if event.type is EventType.DELETED:
                self._standings.pop(metadata.name, None)
                continue
            now = standing(metadata.name, event.object.spec, event.object.status, metadata.generation)
            self._standings[metadata.name] = now
            if now.is_ready:
                self._waiting.discard(metadata.name)
        if not self._waiting:
            self.all_ready.set()

    def on_pods(self, events: Sequence[WatchEvent[_Pod]]) -> None:
        """Take in news about pods."""
        for event in events:
            spec = event.object.spec
            if spec.node_name and spec.scheduler_name in self._schedulers:
                self._bound.add(event.object.metadata.uid)


@asynccontextmanager
async def watching(client: Client, view: View, clock: Clock, rng: random.Random) -> AsyncIterator[None]:
    """Keep the view in step with the cluster inside the block."""
    mirrors = (
        Reflector(client, SCHEDULER_PROFILES, _Profile, view.on_profiles, clock=clock, rng=rng),
        Reflector(client, PODS, _Pod, view.on_pods, clock=clock, rng=rng),
    )
    tasks = [asyncio.create_task(mirror.run()) for mirror in mirrors]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
