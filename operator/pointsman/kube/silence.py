"""Telling a quiet connection from a dead one."""

import asyncio
from collections.abc import Callable, Coroutine

from pointsman.kube.clock import Clock
from pointsman.kube.errors import Unreachable


async def until_silent(
    reading: Coroutine[None, None, None], last_byte: Callable[[], float], limit: float, clock: Clock
) -> None:
    """Run `reading` to its end, or until nothing came for `limit` seconds by `last_byte` (monotonic): Unreachable."""
    task = asyncio.ensure_future(reading)
    silence = asyncio.create_task(_silence(last_byte, limit, clock))
    try:
        await asyncio.wait((task, silence), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Unreachable(f"nothing came for {limit:.0f} s, not even a bookmark")
        task.result()
    finally:
        task.cancel()
        silence.cancel()
        await asyncio.gather(task, silence, return_exceptions=True)


async def _silence(last_byte: Callable[[], float], limit: float, clock: Clock) -> None:
    while (left := last_byte() + limit - clock.monotonic()) > 0:
        await clock.sleep(left)
