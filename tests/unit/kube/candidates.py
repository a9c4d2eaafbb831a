"""Processes that want one Lease: started, stopped, crashed and cut off by the tests of the elector."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from tests.unit.kube.lease_server import FrozenClock, LeaseServer, Line

from pointsman.kube.client import Client
from pointsman.kube.lease import Elector
from pointsman.testing.clock import VirtualClock

DURATION, DEADLINE, RENEW = 15, 10, 2
POLL = RENEW * 1.2  # a candidate looks at most this late


class Candidate:
    """One process that wants the Lease."""

    def __init__(self, server: LeaseServer, clock: VirtualClock, identity: str, **options: Any) -> None:
        self.identity = identity
        self.clock = clock
        self.line = Line(server, clock)
        self.told: list[str] = []
        self.acquired_at: list[float] = []
        options.setdefault("create", False)
        self.elector = Elector(
            cast("Client", self.line),  # as far as an elector uses one
            "fleet",
            "engine-a",
            identity,
            clock=FrozenClock(clock, self.line),
            rng=random.Random(identity),
            on_acquired=self._acquired,
            on_lost=lambda holder: self.told.append(f"lost to {holder}" if holder else "lost"),
            **options,
        )
        self._task: asyncio.Task[None] | None = None

    def _acquired(self) -> None:
        self.told.append("acquired")
        self.acquired_at.append(self.clock.monotonic())

    def start(self) -> "Candidate":
        self._task = asyncio.create_task(self.elector.run())
        return self

    async def stop(self) -> None:
        """End as on SIGTERM."""
        assert self._task is not None
        self._task.cancel()
        await self.clock.settle()
        while not self._task.done():
            await self.clock.advance(0.5)

    async def crash(self) -> None:
        """End without a word."""
        self.line.down = True
        await self.stop()


@asynccontextmanager
async def electing(*candidates: Candidate) -> AsyncIterator[None]:
    for candidate in candidates:
        candidate.start()
    await candidates[0].clock.settle()
    try:
        yield
    finally:
        for candidate in candidates:
            heal(candidate.line)
            await candidate.stop()


def heal(line: Line) -> None:
    """End every fault of a line."""
    line.down = line.deaf = False
    line.there = line.back = 0.0
    line.thawed.set()
