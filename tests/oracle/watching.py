"""A collection of the API server, always up to date: what the watch has told so far, waiting for what is to come."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Generic

from pointsman.kube.client import Client
from pointsman.kube.known import EventType, Key, T
from pointsman.kube.resources import Resource
from pointsman.kube.wire import LineSplitter, ListDecoder, Unreadable, WatchDecoder

Told = Callable[[EventType, T], None]


async def listed(client: Client, resource: Resource, type_: type[T]) -> list[T]:
    """All objects of a kind, as the API server lists them."""
    return list(ListDecoder(type_).decode(await client.request("GET", resource.path())).items)


class Watched(Generic[T]):
    """Objects by namespace and name. `listener`, if any, hears of each event after it was taken in."""

    def __init__(self) -> None:
        self.objects: dict[Key, T] = {}
        self.listener: Told[T] | None = None
        self._news = asyncio.Event()
        self._failure: BaseException | None = None
        self._position = ""

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until this holds, asked again after each piece of news."""
        while not holds():
            if self._failure is not None:
                raise RuntimeError("the watch has ended") from self._failure
            self._news.clear()
            await self._news.wait()

    def take(self, kind: EventType, obj: T) -> None:
        """Take in one event."""
        key = (obj.metadata.namespace, obj.metadata.name)
        if kind is EventType.DELETED:
            self.objects.pop(key, None)
        else:
            self.objects[key] = obj
        if self.listener is not None:
            self.listener(kind, obj)
        self._news.set()

    async def follow(self, client: Client, resource: Resource, type_: type[T]) -> None:
        """Read the watch, from an empty collection on, until cancelled."""
        try:
            while True:  # the server ends a watch whose reader was slow for a moment
                await self._read(client, resource, type_)
        except Exception as error:
            self._failure = error
            self._news.set()
            raise

    async def _read(self, client: Client, resource: Resource, type_: type[T]) -> None:
        """Read one watch to its end, from where the last one ended."""
        decoder, splitter = WatchDecoder(type_), LineSplitter()
        since = {"resourceVersion": self._position} if self._position else {}
        query = {"watch": "1", "timeoutSeconds": "86400", **since}
        async with aclosing(client.stream(resource.path(), query=query)) as chunks:
            async for chunk in chunks:
                for line in splitter.feed(chunk):
                    event = decoder.decode(line)
                    if isinstance(event, Unreadable):
                        raise TypeError(f"cannot read {event.key}: {event.why}")
                    if isinstance(event, tuple):
                        self._position = event[1].metadata.resource_version
                        self.take(*event)


@asynccontextmanager
async def watching(client: Client, resource: Resource, type_: type[T]) -> AsyncIterator[Watched[T]]:
    """Watch a kind while the block lasts."""
    watched: Watched[T] = Watched()
    task = asyncio.create_task(watched.follow(client, resource, type_))
    try:
        yield watched
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


async def bounded(wait: Awaitable[None], seconds: float, what: str) -> None:
    """Await something for so long at most; TimeoutError says what did not happen."""
    try:
        async with asyncio.timeout(seconds):
            await wait
    except TimeoutError:
        raise TimeoutError(f"waited {seconds:g} s for {what}") from None
