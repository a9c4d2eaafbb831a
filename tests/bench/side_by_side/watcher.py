"""What the API server shows of a run: when each measured pod was bound, and when its `Scheduled` event was written.

Two watches read line by line into tiny structs, so that the measuring process takes little of the cores that the
contestants share.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlencode

import msgspec

from tests.bench.side_by_side.state import PODS, Door
from tests.bench.side_by_side.workloads import MEASURED, NAMESPACE

EVENTS: Final = f"/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events"
_CHUNK: Final = 1 << 16


class _Name(msgspec.Struct, rename="camel"):
    name: str = ""
    resource_version: str = ""


class _Spec(msgspec.Struct, rename="camel"):
    node_name: str = ""


class _Pod(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)
    spec: _Spec = msgspec.field(default_factory=_Spec)
    regarding: _Name = msgspec.field(default_factory=_Name)


class _Line(msgspec.Struct):
    type: str
    object: _Pod


class Watcher:
    """Times are in monotonic seconds, by pod name."""

    def __init__(self, door: Door) -> None:
        self.bound: dict[str, float] = {}
        self.told: dict[str, float] = {}
        self._door = door
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Returns when both watches are open."""
        wanted = {"watch": "1", "labelSelector": f"{MEASURED}=true"}
        told = {"watch": "1", "fieldSelector": "reason=Scheduled"}
        for path, query, note in ((PODS, wanted, self._on_pod), (EVENTS, told, self._on_event)):
            opened = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._follow(path, query, note, opened)))
            await opened.wait()

    async def stop(self) -> None:
        """Close the watches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Whether it came to be so within that time, asked again at each piece of news and each second."""
        end = time.monotonic() + seconds
        while not is_so():
            for task in self._tasks:
                if task.done():
                    task.result()
            if time.monotonic() > end:
                return False
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), 1.0)
        return True

    async def _follow(
        self, path: str, query: dict[str, str], note: Callable[[_Line, float], None], opened: asyncio.Event
    ) -> None:
        """Read on from where it broke off: the API server drops a watcher that falls behind when cores are short."""
        decode = msgspec.json.Decoder(_Line).decode
        version = "0"
        while True:
            rest = b""
            async with await self._door.lines(f"{path}?{urlencode({**query, 'resourceVersion': version})}") as answer:
                opened.set()
                async for chunk in answer.content.iter_chunked(_CHUNK):
                    now = time.monotonic()
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in map(decode, lines):
                        if line.type == "ERROR":
                            raise RuntimeError(f"watch of {path} failed")
                        note(line, now)
                        version = line.object.metadata.resource_version
                    self._news.set()

    def _on_pod(self, line: _Line, now: float) -> None:
        if line.object.spec.node_name and line.type != "DELETED":
            self.bound.setdefault(line.object.metadata.name, now)

    def _on_event(self, line: _Line, now: float) -> None:
        self.told.setdefault(line.object.regarding.name, now)
