"""Something asynchronous beside a plain test: in a thread with an event loop of its own, while a block lasts."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def in_thread(
    live: Callable[[], AbstractAsyncContextManager[T]], name: str, seconds: float
) -> Iterator[tuple[T, asyncio.AbstractEventLoop]]:
    """Enter `live()` in a thread; yields what it gave and the loop it lives on. `seconds` bound start and end each."""
    started: Future[tuple[T, asyncio.AbstractEventLoop]] = Future()
    stop = threading.Event()

    async def stay() -> None:
        async with live() as alive:
            started.set_result((alive, asyncio.get_running_loop()))
            await asyncio.to_thread(stop.wait)

    def run() -> None:
        try:
            asyncio.run(stay())
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=run, name=name)
    thread.start()
    try:
        yield started.result(seconds)
    finally:
        stop.set()
        thread.join(seconds)
