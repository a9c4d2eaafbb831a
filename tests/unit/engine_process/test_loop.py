"""The decision loop: short slices, and rest when there is nothing that may be done."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import cast

from tests.unit.engine_process.mini_api import until

from pointsman.engine.loop import SLICE_SECONDS, DecisionLoop
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.testing.clock import VirtualClock


class Scheduler:
    """Each decision takes a millisecond of the clock."""

    def __init__(self, clock: VirtualClock, pods: int = 0) -> None:
        self.pods = pods
        self.decided = 0
        self.flushed = 0
        self._clock = clock

    def flush(self) -> None:
        self.flushed += 1

    def has_next(self) -> bool:
        return self.pods > 0

    def schedule_next(self) -> None:
        if self.pods:
            self._clock.jump(0.001)
            self.pods -= 1
            self.decided += 1


class Bench:
    def __init__(self, *pods: int) -> None:
        self.clock = VirtualClock()
        self.wake = asyncio.Event()
        self.allowed = True
        self.room = True
        self.schedulers = [Scheduler(self.clock, count) for count in pods]
        self.loop = DecisionLoop(
            cast("list[PolicyScheduler]", self.schedulers),
            may_decide=lambda: self.allowed,
            has_room=lambda: self.room,
            clock=self.clock,
            wake=self.wake,
        )

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.loop.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_others_get_their_turn_after_a_few_milliseconds() -> None:
    bench = Bench(100)
    slices = []
    async with bench.running():
        while bench.schedulers[0].pods:
            before = bench.schedulers[0].decided
            await asyncio.sleep(0)
            slices.append(bench.schedulers[0].decided - before)
    assert max(slices) == SLICE_SECONDS / 0.001
    assert sum(slices) == 100


async def test_policies_take_turns() -> None:
    bench = Bench(3, 30)
    async with bench.running():
        await until(lambda: bench.schedulers[0].decided == 3)
        assert bench.schedulers[1].decided <= 5


async def test_it_rests_without_the_right_or_the_room_and_goes_on_when_woken() -> None:
    bench = Bench(1)
    bench.allowed = False
    async with bench.running():
        await bench.clock.settle()
        assert bench.schedulers[0].decided == 0
        bench.allowed, bench.room = True, False
        bench.wake.set()
        await bench.clock.settle()
        assert bench.schedulers[0].decided == 0
        bench.room = True
        bench.wake.set()
        await bench.clock.settle()
        assert bench.schedulers[0].decided == 1


async def test_every_second_it_moves_what_is_due_and_shows_that_it_turns() -> None:
    bench = Bench(0)
    async with bench.running():
        await bench.clock.advance(60)
        assert bench.schedulers[0].flushed == 61
        assert bench.loop.last_turn == bench.clock.monotonic()


async def test_after_stop_nothing_is_decided() -> None:
    bench = Bench(1)
    bench.loop.stop()
    async with bench.running():
        await bench.clock.advance(5)
    assert bench.schedulers[0].decided == 0
