"""One engine process from start to exit code.

Caches are filled first, then the engine competes for the Lease: one that cannot see the cluster must not keep another
from scheduling it. It ends in good order (exit code 0) when asked to or when its profile is gone, with a fault (1) when
another holder has the Lease or a part stops that never should.
"""

import asyncio
import gc
import logging
import random
from collections.abc import Coroutine, Sequence
from typing import Any

from pointsman.api.names import EXIT_ENDED, EXIT_FAULT
from pointsman.engine.binding.binder import BIND_SECONDS
from pointsman.engine.process.assembly import Engine, assemble
from pointsman.engine.process.health import troubles
from pointsman.engine.process.http import pages, serve
from pointsman.engine.process.identity import Identity
from pointsman.engine.process.listen import Listen
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.policy.policy import Policy

logger = logging.getLogger(__name__)

DRAIN_SECONDS = BIND_SECONDS + 2.0  # after that no binding is in flight; well within the pod's grace period


async def run(
    client: Client,
    policies: Sequence[Policy],
    who: Identity,
    listen: Listen,
    stop: asyncio.Event,
    *,
    clock: Clock,
    rng: random.Random,
) -> int:
    """Run one engine until it ends; returns the exit code. Raises ServeError."""
    engine = assemble(client, policies, who, clock, rng)
    application = pages(
        policies,
        engine.metrics,
        lambda: troubles(engine.loop, engine.watches, clock.monotonic()),
        engine.watches.missing,
    )
    server = await serve(application, listen)
    try:
        return await _Process(engine, stop).run()
    finally:
        await server.cleanup()


class _Process:
    """The tasks of one engine."""

    def __init__(self, engine: Engine, stop: asyncio.Event) -> None:
        self._engine = engine
        self._stop = stop
        self._tasks: list[asyncio.Task[Any]] = []
        self._election: asyncio.Task[None] | None = None

    async def run(self) -> int:
        engine = self._engine
        parts = [engine.binder.run(), engine.evictor.run(), engine.conditions.run(), engine.loop.run(), self._compete()]
        parts += [writer.run() for writer in engine.events]
        parts += [reflector.run() for _, reflector in engine.watches.items()]
        work = [self._start(part) for part in parts]
        stopped, gone, replaced = (
            self._start(waiting)
            for waiting in (self._stop.wait(), engine.leadership.profile_gone(), engine.leadership.replaced())
        )
        try:
            await asyncio.wait([*work, stopped, gone, replaced], return_when=asyncio.FIRST_COMPLETED)
            if stopped.done():
                logger.info("asked to end")
                await self._end_in_good_order()
                return EXIT_ENDED
            if replaced.done():
                logger.error("another engine holds the Lease: %s", replaced.result())
                return EXIT_FAULT
            if gone.done():
                logger.info("the profile is gone")
                return EXIT_ENDED
            for task in work:
                if task.done() and (error := task.exception()) is not None:
                    raise _cause(error)  # a part that ends has failed: let its exception tell
            return EXIT_FAULT
        finally:
            await self._cancel(*self._tasks)

    async def _compete(self) -> None:
        await self._engine.watches.until_settled()
        gc.collect()
        gc.freeze()  # the caches live as long as the process: the collector need not walk them
        logger.info("caches are complete")
        self._election = self._start(self._engine.leadership.run())
        await self._election

    async def _end_in_good_order(self) -> None:
        """Decide no more, let bindings in flight end, and leave the Lease with a complete report."""
        engine = self._engine
        engine.loop.stop()
        drained, limit = self._start(engine.binder.drained()), self._start(engine.clock.sleep(DRAIN_SECONDS))
        await asyncio.wait([drained, limit], return_when=asyncio.FIRST_COMPLETED)
        engine.reporter.end()
        if self._election is not None:
            await self._cancel(self._election)

    def _start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    async def _cancel(self, *tasks: asyncio.Task[Any]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _cause(error: BaseException) -> BaseException:
    """What really happened: a group of tasks wraps it in words that say nothing, and they become the last words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
