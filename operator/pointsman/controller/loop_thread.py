"""An event loop in a thread of its own, for a guest that would otherwise take over ours."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

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
            with suppress(RuntimeError):  # it is closing already
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
            with asyncio.Runner(loop_factory=_Loop) as runner:
                runner.run(self._guarded())
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
            await _abort_connections(self._loop)

    def _end(self, fault: str) -> None:
        if not self.ended.done():
            self.ended.set_result(fault)


class _Loop(asyncio.SelectorEventLoop):
    """A loop that knows its connections.

    A TLS connection that is closed waits for the other side to agree, up to half a minute. A guest that ends leaves
    some in that state, and a loop that is closed under them leaks their sockets.
    """

    def __init__(self) -> None:
        super().__init__()
        self.connections: WeakSet[asyncio.Transport] = WeakSet()

    async def create_connection(self, *args: Any, **kwargs: Any) -> Any:
        transport, protocol = await super().create_connection(*args, **kwargs)
        self.connections.add(transport)
        return transport, protocol


async def _abort_connections(loop: asyncio.AbstractEventLoop) -> None:
    if isinstance(loop, _Loop):
        for transport in tuple(loop.connections):
            transport.abort()
    for _ in range(_TURNS):
        await asyncio.sleep(0)
