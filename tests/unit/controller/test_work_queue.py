"""The queue of names: each once, one at a time, failures with growing pauses."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from pointsman.controller.work_queue import WorkQueue
from pointsman.testing.clock import VirtualClock


@pytest.fixture
async def queue(clock: VirtualClock) -> AsyncIterator[WorkQueue]:
    made = WorkQueue(clock, random.Random(1))
    yield made
    made.close()


async def taken(queue: WorkQueue, clock: VirtualClock) -> str:
    """The next name; empty when there is none."""
    task = asyncio.create_task(queue.get())
    await clock.settle()
    if task.done():
        return task.result()
    task.cancel()
    return ""


async def test_a_name_is_handed_out_once_however_often_it_was_added(queue: WorkQueue, clock: VirtualClock) -> None:
    for name in ("a", "a", "b", "a"):
        queue.add(name)
    assert [await taken(queue, clock) for _ in range(3)] == ["a", "b", ""]


async def test_a_name_that_is_being_reconciled_waits_until_that_is_done(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    assert await taken(queue, clock) == "a"
    queue.add("a")
    assert await taken(queue, clock) == ""
    queue.done("a")
    assert await taken(queue, clock) == "a"


async def test_a_name_comes_back_after_the_time_that_was_asked_for(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    await taken(queue, clock)
    queue.done("a", again_after=10)
    await clock.advance(9)
    assert await taken(queue, clock) == ""
    await clock.advance(2)
    assert await taken(queue, clock) == "a"


async def test_what_wakes_a_name_earlier_replaces_the_later_time(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    await taken(queue, clock)
    queue.done("a", again_after=10)
    queue.add("a")
    assert await taken(queue, clock) == "a"
    queue.done("a")
    await clock.advance(60)
    assert await taken(queue, clock) == ""


async def test_failures_wait_longer_each_time_up_to_five_minutes(queue: WorkQueue, clock: VirtualClock) -> None:
    pauses = []
    queue.add("a")
    for _ in range(12):
        assert await taken(queue, clock) == "a"
        pauses.append(queue.failed("a"))
        await clock.advance(pauses[-1])
    bare = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert all(low <= pause <= low * 1.2 for low, pause in zip(bare, pauses, strict=True))


async def test_a_permission_that_is_refused_is_asked_for_ten_times_in_ten_minutes_at_most(
    queue: WorkQueue, clock: VirtualClock
) -> None:
    tries, start = 0, clock.monotonic()
    queue.add("a")
    while clock.monotonic() - start < 600:
        await taken(queue, clock)
        tries += 1
        await clock.advance(queue.failed("a"))
    assert tries <= 10


async def test_a_success_forgets_the_failures(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    for _ in range(5):
        await taken(queue, clock)
        await clock.advance(queue.failed("a"))
    await taken(queue, clock)
    queue.done("a")
    queue.add("a")
    await taken(queue, clock)
    assert queue.failed("a") <= 1.2


async def test_what_a_failed_reconcile_woke_does_not_shorten_its_pause(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    await taken(queue, clock)
    queue.add("a")
    pause = queue.failed("a")
    assert await taken(queue, clock) == ""
    await clock.advance(pause)
    assert await taken(queue, clock) == "a"


async def test_one_name_that_fails_does_not_hold_up_another(queue: WorkQueue, clock: VirtualClock) -> None:
    queue.add("a")
    await taken(queue, clock)
    queue.failed("a")
    queue.add("b")
    assert await taken(queue, clock) == "b"
