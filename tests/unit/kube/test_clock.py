"""Timestamps as the API writes them, and time that a test moves."""

import asyncio
import random
from datetime import UTC, datetime, timedelta, timezone
from typing import cast

import pytest

from pointsman.kube.backoff import Backoff
from pointsman.kube.clock import SystemClock, rfc3339
from pointsman.testing.clock import VirtualClock


@pytest.mark.parametrize(
    ("moment", "micro", "text"),
    [
        (datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC), False, "2026-03-04T05:06:07Z"),
        (datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC), True, "2026-03-04T05:06:07.000089Z"),
        (datetime(2026, 3, 4, 1, 0, tzinfo=timezone(timedelta(hours=2))), False, "2026-03-03T23:00:00Z"),
    ],
    ids=["seconds", "microseconds", "another zone"],
)
def test_timestamps_are_those_of_the_api(moment: datetime, micro: bool, text: str) -> None:
    assert rfc3339(moment, micro=micro) == text


async def test_the_system_clock_moves_on_and_is_aware() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(-1)
    assert clock.monotonic() >= before
    assert clock.now().utcoffset() == timedelta(0)


async def test_sleepers_wake_in_the_order_of_their_deadlines(clock: VirtualClock) -> None:
    woken: list[tuple[str, float]] = []
    start = clock.monotonic()

    async def sleeper(name: str, *waits: float) -> None:
        for wait in waits:
            await clock.sleep(wait)
            woken.append((name, clock.monotonic() - start))

    async with asyncio.TaskGroup() as group:
        group.create_task(sleeper("twice", 1, 3))
        group.create_task(sleeper("late", 3))
        group.create_task(sleeper("at once", 0))
        await clock.advance(2.5)
        assert woken == [("at once", 0), ("twice", 1)]
        assert clock.sleepers == 2
        await clock.advance(1.5)
    assert woken == [("at once", 0), ("twice", 1), ("late", 3), ("twice", 4)]
    assert clock.now() == datetime(2026, 1, 1, 0, 0, 4, tzinfo=UTC)


async def test_a_sleeper_that_was_cancelled_is_forgotten(clock: VirtualClock) -> None:
    task = asyncio.create_task(clock.sleep(5))
    await clock.settle()
    task.cancel()
    await clock.settle()
    assert clock.sleepers == 0
    await clock.advance(10)


def test_a_jump_needs_no_loop(clock: VirtualClock) -> None:
    before = clock.monotonic()
    clock.jump(2.5)
    assert clock.monotonic() - before == 2.5


class Highest:
    """A generator that always draws the upper end."""

    def uniform(self, _low: float, high: float) -> float:
        return high


def test_waits_grow_to_the_cap_and_start_over_after_success() -> None:
    backoff = Backoff(cast("random.Random", Highest()), base=0.5, cap=10)
    assert [backoff.next() for _ in range(5)] == [1.5, 4.5, 10, 10, 10]
    backoff.reset()
    assert backoff.next() == 1.5
