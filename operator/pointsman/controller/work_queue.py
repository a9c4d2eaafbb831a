"""Names waiting to be reconciled: each once, one reconcile per name at a time, failures with growing pauses.

A name that is added while it is being reconciled is taken up again afterwards, since what was gathered may be old. A
failure is retried later even then: its own writes may be what woke it.
"""

import asyncio
import random
from typing import Final

from pointsman.kube.clock import Clock

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 300.0
_MAX_DOUBLINGS: Final = 20


class WorkQueue:
    """A queue of names. Pauses double from 1 s to 5 min, each with up to a fifth of jitter on top."""

    def __init__(self, clock: Clock, rng: random.Random) -> None:
        self._clock = clock
        self._rng = rng
        self._ready: asyncio.Queue[str] = asyncio.Queue()
        self._queued: set[str] = set()
        self._running: set[str] = set()
        self._again: set[str] = set()
        self._failures: dict[str, int] = {}
        self._later: dict[str, asyncio.Task[None]] = {}

    def add(self, name: str) -> None:
        """Have a name reconciled as soon as possible."""
        if name in self._running:
            self._again.add(name)
        elif name not in self._queued:
            self._queued.add(name)
            self._ready.put_nowait(name)

    async def get(self) -> str:
        """Wait for a name; `done` must follow."""
        name = await self._ready.get()
        self._queued.discard(name)
        self._running.add(name)
        self._cancel(name)
        return name

    def done(self, name: str, *, again_after: float | None = None) -> None:
        """A reconcile ended well; `again_after` seconds it is due again even if nothing happens."""
        self._failures.pop(name, None)
        self._running.discard(name)
        if name in self._again:
            self._again.discard(name)
            self.add(name)
        elif again_after is not None:
            self._add_later(name, again_after)

    def failed(self, name: str) -> float:
        """A reconcile ended badly; returns the seconds until the next try."""
        failures = self._failures[name] = self._failures.get(name, 0) + 1
        self._running.discard(name)
        self._again.discard(name)
        pause = min(_FIRST_PAUSE * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), _LONGEST_PAUSE)
        pause *= 1 + self._rng.random() / 5
        self._add_later(name, pause)
        return pause

    def close(self) -> None:
        """Forget what is due later."""
        for name in tuple(self._later):
            self._cancel(name)

    def _add_later(self, name: str, seconds: float) -> None:
        self._cancel(name)
        self._later[name] = asyncio.get_running_loop().create_task(self._wait(name, seconds))

    async def _wait(self, name: str, seconds: float) -> None:
        await self._clock.sleep(seconds)
        del self._later[name]
        self.add(name)

    def _cancel(self, name: str) -> None:
        task = self._later.pop(name, None)
        if task is not None:
            task.cancel()
