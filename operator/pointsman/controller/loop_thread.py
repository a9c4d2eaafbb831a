"""An event loop in a thread of its own, for a guest that would otherwise take over ours."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Final

_TURNS: Final = 10  # of the loop, in which closed connections are taken down

Work = Callable[[asyncio.Event], Awaitable[None]]
"""What the thread does; it should end soon after the event is set."""


class LoopThread:
    """Runs a piece of work on another loop. To be made and used on the main loop.

    `ended` is done when the thread is about to end, with the fault that ended it in words, or with nothing.
    """

    def __init__(self, name: str, work: Work, close: Callable[[], Awaitable[None]]) -> None:
        self._main = asyncio.get_running_loop()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop_flag = asyncio.Event()
        self._work = work
        self._close = close
        self._name = name
        self.ended: asyncio.Future[str] = self._main.create_future()

    def start(self) -> None:
        """Start the thread. It does not keep the process alive."""
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    async def stop(self, within: float) -> None:
        """Ask the work to end, and wait for that, but not longer than so many seconds."""
        if self._loop is not None and not self.ended.done():
            self._loop.call_soon_threadsafe(self._stop_flag.set)
        await asyncio.wait([self.ended], timeout=within)

    def tell(self, function: Callable[..., None], *arguments: Any) -> None:
        """Have a function called on the main loop. For the thread's work."""
        self._main.call_soon_threadsafe(function, *arguments)

    async def ask(self, question: Callable[[], Awaitable[Any]]) -> Any:
        """Have a coroutine function called on the main loop, and wait for its answer. For the thread's work."""

        async def answer() -> Any:
            return await question()

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(answer(), self._main))

    def _run(self) -> None:
        fault = ""
        try:
            asyncio.run(self._guarded())
        except BaseException as error:  # noqa: BLE001 - whatever ends the thread is told to whoever waits for it
            fault = str(error) or error.__class__.__name__
        self._main.call_soon_threadsafe(self._end, fault)

    async def _guarded(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            await self._work(self._stop_flag)
        finally:
            await self._loop.shutdown_asyncgens()
            await self._close()
            for _ in range(_TURNS):
                await asyncio.sleep(0)

    def _end(self, fault: str) -> None:
        if not self.ended.done():
            self.ended.set_result(fault)
