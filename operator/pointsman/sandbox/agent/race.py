"""Waiting for whichever comes first."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def until_first(*waits: Coroutine[Any, Any, Any]) -> None:
    """Returns when one of them has ended, however it ended; the others are cancelled."""
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.add_done_callback(_forget)
            task.cancel()


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # looked at, so that nobody complains that it was not
