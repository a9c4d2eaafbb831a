"""How a controller works: keys that something happened to, each taken up by one reconcile at a time."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from pointsman.kube.backoff import Backoff
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Conflict, KubeError, NotFound

K = TypeVar("K")
Reconcile = Callable[[K], Awaitable[float | None]]

_log = logging.getLogger(__name__)
_WORKERS: Final = 4
_NOT_RETRIED: Final = (NotFound,)  # what it was about is gone


class Loop(Generic[K]):
    """Reconciles keys until cancelled. A reconcile returns the seconds after which it wants to look again, or None.

    One that fails is tried again with growing pauses; a Conflict, which the next watch event resolves, quietly.
    """

    def __init__(self, name: str, reconcile: Reconcile[K], clock: Clock, rng: random.Random) -> None:
        self._name = name
        self._reconcile = reconcile
        self._clock = clock
        self._rng = rng
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        self._waiting: set[K] = set()
        self._running: set[K] = set()
        self._again: set[K] = set()
        self._backoffs: dict[K, Backoff] = {}
        self._timers: set[asyncio.Task[None]] = set()

    def add(self, key: K) -> None:
        """Have a key looked at."""
        if key in self._running:
            self._again.add(key)
        elif key not in self._waiting:
            self._waiting.add(key)
            self._ready.put_nowait(key)

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(_WORKERS):
                    group.create_task(self._work())
        finally:
            for timer in self._timers:
                timer.cancel()

    async def _work(self) -> None:
        while True:
            key = await self._ready.get()
            self._waiting.discard(key)
            self._running.add(key)
            later = await self._attempt(key)
            self._running.discard(key)
            if key in self._again:
                self._again.discard(key)
                self.add(key)
            elif later is not None:
                self._add_later(key, later)

    async def _attempt(self, key: K) -> float | None:
        try:
            later = await self._reconcile(key)
        except _NOT_RETRIED:
            later = None
        except KubeError as error:
            if not isinstance(error, Conflict):
                _log.warning("%s: %s: %s", self._name, key, error)
            return self._backoffs.setdefault(key, Backoff(self._rng, base=0.05)).next()
        self._backoffs.pop(key, None)
        return later

    def _add_later(self, key: K, seconds: float) -> None:
        timer = asyncio.get_running_loop().create_task(self._wait(key, seconds))
        self._timers.add(timer)
        timer.add_done_callback(self._timers.discard)

    async def _wait(self, key: K, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self.add(key)
