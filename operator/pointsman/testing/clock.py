"""A clock that moves only when told: tests of waiting code run in no time and in one order.

`await clock.advance(30)` goes from one sleeper's deadline to the next, lets each do what it does (also sleep again),
and ends exactly 30 seconds later. `jump` is for code without tasks: it only moves the hands.
"""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from typing import Final

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_TURNS: Final = 50  # enough for a few hops between tasks and loopback sockets


class VirtualClock:
    """A Clock for tests. Both readings move together; `now` starts at `start`, `monotonic` at 1000 seconds.

    turns: how often the event loop goes round after each step of time
    """

    def __init__(self, start: datetime = _START, turns: int = _TURNS) -> None:
        self._start = start
        self._turns = turns
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = 0

    def monotonic(self) -> float:
        return 1000.0 + self._elapsed

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (self._elapsed + seconds, self._order, woken))
        await woken

    @property
    def sleepers(self) -> int:
        """How many tasks wait for this clock."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Move time on, waking sleepers in the order of their deadlines; returns when all had their turn."""
        await self.settle()
        target = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            self._wake(self._sleepers[0][0])
            await self.settle()
        self._elapsed = target
        await self.settle()

    def jump(self, seconds: float) -> None:
        """Move time on at once. Sleepers whose deadline passed go on when the loop next runs."""
        self._wake(self._elapsed + seconds)

    async def settle(self) -> None:
        """Let the tasks that are ready run, without moving time."""
        for _ in range(self._turns):
            await asyncio.sleep(0)

    def _wake(self, elapsed: float) -> None:
        self._elapsed = max(self._elapsed, elapsed)
        while self._sleepers and self._sleepers[0][0] <= self._elapsed:
            _, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
