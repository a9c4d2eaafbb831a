"""The decision loop: one pod after another for a few milliseconds, then everybody else's turn.

Nothing is awaited inside a decision. Between slices the event loop reads the watches and sends what was decided; a
slice is short, so a decision is made on news that is at most that old. The loop rests when there is nothing to try, no
room for another binding, or no right to decide.
"""

import asyncio
from collections.abc import Callable, Sequence

from pointsman.engine.scheduler import PolicyScheduler
from pointsman.kube.clock import Clock

SLICE_SECONDS = 0.005
TICK_SECONDS = 1.0  # the window of back-off


class DecisionLoop:
    """Decides for all policies of the process in turn."""

    def __init__(
        self,
        schedulers: Sequence[PolicyScheduler],
        *,
        may_decide: Callable[[], bool],
        has_room: Callable[[], bool],
        clock: Clock,
        wake: asyncio.Event,
    ) -> None:
        """`may_decide`: caches are complete and the Lease is held; `has_room`: another binding may be submitted.

        Whoever changes the answer to "is there something to do" sets `wake`.
        """
        self._schedulers = schedulers
        self._may_decide = may_decide
        self._has_room = has_room
        self._clock = clock
        self._wake = wake
        self._stopped = False
        self.last_turn = clock.monotonic()

    def stop(self) -> None:
        """Make no further decisions."""
        self._stopped = True

    async def run(self) -> None:
        """Decide until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tick())
            group.create_task(self._decide())

    async def _tick(self) -> None:
        while True:
            for scheduler in self._schedulers:
                scheduler.flush()
            self._wake.set()
            await self._clock.sleep(TICK_SECONDS)

    async def _decide(self) -> None:
        while True:
            self.last_turn = self._clock.monotonic()
            if self._ready():
                self._slice()
                await asyncio.sleep(0)
            else:
                self._wake.clear()
                await self._wake.wait()

    def _slice(self) -> None:
        end = self._clock.monotonic() + SLICE_SECONDS
        while self._ready() and self._clock.monotonic() < end:
            for scheduler in self._schedulers:
                scheduler.schedule_next()

    def _ready(self) -> bool:
        return (
            not self._stopped
            and self._has_room()
            and any(scheduler.has_next() for scheduler in self._schedulers)
            and self._may_decide()
        )
