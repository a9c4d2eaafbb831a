"""A local mirror of one collection, kept by list and watch, that survives whatever the connection does.

The list asks for the most recent state (no resourceVersion) in pages. The other way, `resourceVersion=0`, lets any
server answer from a cache of any age, and a scheduler that starts from the past counts pods that are gone and misses
those that hold a node's memory. Kubernetes answers the former from its cache too (since 1.31, pages since 1.33), so it
is not the dearer one any more. A list that takes so long that its pages expire is asked for in one piece.

The watch is read from where the list, the last event or the last bookmark ended. Servers send a bookmark each minute:
a connection on which nothing comes for longer is dead, whatever the kernel says. A version that the server no longer
has (410, in whichever of three places it says so) means a new list; so do three watches in a row that bring nothing.
"""

import asyncio
import gc
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Final, Generic

from pointsman.kube.backoff import Backoff
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Forbidden, Gone, KubeError, NotFound, TooManyRequests, Unauthorized, Unreachable
from pointsman.kube.known import EventType, Known, T, WatchEvent
from pointsman.kube.resources import Resource
from pointsman.kube.silence import until_silent
from pointsman.kube.wire import LineSplitter, ListDecoder, Unreadable, WatchDecoder

__all__ = ["EventType", "Reflector", "Refusal", "WatchEvent"]

PAGE_SIZE: Final = 1000  # objects; about 4 MB of pods, 20 ms to decode
LIST_SECONDS: Final = 60.0
SILENCE_SECONDS: Final = 70.0
WATCH_SECONDS: Final = 300  # what we ask for at least; up to twice that, so that watches do not end together
FRUITLESS_WATCHES: Final = 3
_SHORT_SECONDS: Final = 1.0  # a watch that the server ends sooner, without a word, is a failure
_LONG_SECONDS: Final = 10.0  # a watch that lasts longer is not
_PROPAGATION_SECONDS: Final = 5.0  # new rights take a moment to reach every API server

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The server does not serve the collection (NotFound), or not to us (Forbidden)."""

    verb: str  # list or watch
    error: NotFound | Forbidden


class Reflector(Generic[T]):
    """Mirrors one collection and reports every change, in batches.

    `on_events` is called with a list's changes at once, then with those of each piece of the watch. What it raises
    ends `run`: a consumer that lost an event has no state to go on with.

    synced: set when the first complete list was delivered
    answered: set by the first complete list, by a collection that is not served, or by one that is not allowed for
        some seconds on end: from then on it is known how things stand
    refusal: why nothing is mirrored, or nothing more; None again once a watch is accepted
    last_contact: when (monotonic seconds) the last page, event, bookmark or consent to a watch came; at first when
        this object was made
    last_error: the last failure in words, empty again once a watch is accepted
    """

    def __init__(  # noqa: PLR0913 - all but four by keyword
        self,
        client: Client,
        resource: Resource,
        type: type[T],  # noqa: A002 - the field's word
        on_events: Callable[[Sequence[WatchEvent[T]]], None],
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self.synced = asyncio.Event()
        self.answered = asyncio.Event()
        self.refusal: Refusal | None = None
        self.last_contact = clock.monotonic()
        self.last_error = ""
        self._client = client
        self._resource = resource
        self._path = resource.path(namespace)
        self._selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
        self._on_events = on_events
        self._clock = clock
        self._rng = rng
        self._backoff = Backoff(rng)
        self._lists = ListDecoder(type)
        self._watches = WatchDecoder(type)
        self._known: Known[T] = Known()
        self._expired = True  # the next thing to do is to list
        self._last_byte = 0.0
        self._forbidden_since: float | None = None
        self._fruitless = 0

    async def run(self) -> None:
        """Mirror until cancelled. No answer of a server, and no lack of one, ends it."""
        while True:
            verb = "list" if self._expired else "watch"
            try:
                await (self._list() if self._expired else self._watch())
            except KubeError as error:
                await self._pause(verb, error)

    async def _pause(self, verb: str, error: KubeError) -> None:
        self._expired = self._expired or isinstance(error, Gone) or self._fruitless >= FRUITLESS_WATCHES
        before, self.last_error = self.last_error, self._words(verb, error)
        if self.last_error != before:
            _log.warning("%s", self.last_error)
        asked = error.retry_after if isinstance(error, TooManyRequests) else 0.0
        wait = max(self._backoff.next(), asked)
        if isinstance(error, NotFound | Forbidden):
            self.refusal = Refusal(verb, error)
            left = self._until_meant(error)
            if left > 0:
                wait = min(wait, left)
            else:
                self.answered.set()
        else:
            self._forbidden_since = None
        await self._clock.sleep(wait)

    def _until_meant(self, error: NotFound | Forbidden) -> float:
        """Seconds for which a refusal may still come from rights that have not arrived yet."""
        if isinstance(error, NotFound):
            return 0.0
        now = self._clock.monotonic()
        if self._forbidden_since is None:
            self._forbidden_since = now
        return self._forbidden_since + _PROPAGATION_SECONDS - now

    def _words(self, verb: str, error: KubeError) -> str:
        sentence = f"cannot {verb} {self._resource.plural}"
        if isinstance(error, Forbidden):
            return f"forbidden: {sentence}: {error}"
        if isinstance(error, Unauthorized):
            return f"unauthorized: {sentence}: {error}"
        return f"{sentence}: {error}"

    async def _list(self) -> None:
        try:
            items, unreadable, version = await self._pages(PAGE_SIZE)
        except Gone:
            items, unreadable, version = await self._pages(0)
        with _no_collection():
            self._deliver(self._known.replace(items, version, {one.key for one in unreadable}))
        self._expired = False
        self._fruitless = 0
        self.synced.set()
        self.answered.set()

    async def _pages(self, size: int) -> tuple[list[T], list[Unreadable], str]:
        items: list[T] = []
        unreadable: list[Unreadable] = []
        query = self._query(limit=str(size) if size else "")
        while True:
            content = await self._client.request("GET", self._path, query=query, timeout=LIST_SECONDS)
            self.last_contact = self._clock.monotonic()
            with _no_collection():
                page = self._lists.decode(content)
                items.extend(page.items)
            unreadable.extend(page.unreadable)
            if not page.continue_token:
                break
            query["continue"] = page.continue_token
        self._tell(unreadable)
        return items, unreadable, page.resource_version

    async def _watch(self) -> None:
        """Read one watch until it ends; KubeError if it ended badly."""
        self._last_byte = self._clock.monotonic()
        self._fruitless += 1
        await until_silent(self._read(), lambda: self._last_byte, SILENCE_SECONDS, self._clock)

    async def _read(self) -> None:
        start = self._clock.monotonic()
        splitter = LineSplitter()
        try:
            async with aclosing(self._client.stream(self._path, query=self._watch_query())) as stream:
                async for chunk in stream:
                    self._last_byte = self._clock.monotonic()
                    if not chunk:
                        self.last_error, self.refusal, self.last_contact = "", None, self._last_byte
                    self._take(splitter.feed(chunk))
        except KubeError:
            if self._clock.monotonic() - start >= _LONG_SECONDS:
                self._went_well()
            raise
        if self._fruitless and self._clock.monotonic() - start < _SHORT_SECONDS:
            raise Unreachable("the server ended the watch at once")
        self._went_well()

    def _take(self, lines: Sequence[bytes]) -> None:
        """Take in the lines of one piece and deliver what they change, also when one of them ends the watch."""
        events: list[WatchEvent[T]] = []
        try:
            for line in lines:
                self._take_line(line, events)
        except KubeError:
            self._deliver(events)
            raise
        self._deliver(events)

    def _take_line(self, line: bytes, events: list[WatchEvent[T]]) -> None:
        news = self._watches.decode(line)
        if isinstance(news, tuple):
            events.extend(self._known.apply(*news))
        elif isinstance(news, str):
            self._known.bookmark(news)
        else:
            self._tell([news])
        self.last_contact = self._clock.monotonic()
        self._went_well()

    def _deliver(self, events: Sequence[WatchEvent[T]]) -> None:
        if events:
            self._on_events(events)

    def _went_well(self) -> None:
        self._fruitless = 0
        self._backoff.reset()

    def _tell(self, unreadable: Sequence[Unreadable]) -> None:
        for one in unreadable:
            name = "/".join(part for part in one.key if part)
            _log.warning("skipped %s %s: %s", self._resource.kind, name, one.why)

    def _query(self, **more: str) -> dict[str, str]:
        return {key: value for key, value in {**self._selectors, **more}.items() if value}

    def _watch_query(self) -> dict[str, str]:
        seconds = int(WATCH_SECONDS * (1 + self._rng.random()))
        return self._query(
            watch="true",
            allowWatchBookmarks="true",
            resourceVersion=self._known.position,
            timeoutSeconds=str(seconds),
        )


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the cyclic collector out of a big allocation: it would walk all of it, again and again, and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
