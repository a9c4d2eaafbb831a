"""The watch hub of one kind: a bounded history, and the watchers that hear of each change as it is written.

A watcher collects events until its reader takes them as a batch; one that does not read is dropped, like the API server
does it, and has to list again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from pointsman.kube.clock import Clock
from pointsman.sandbox.store.changes import BOOKMARK, Change, Event
from pointsman.sandbox.store.errors import Refused, expired
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.selectors import Matcher
from pointsman.sandbox.store.stored import Stored, encode

HISTORY: Final = 16_384  # events of one kind that a watch can start from
BACKLOG: Final = 32_768  # events that a watcher may leave unread
BOOKMARK_SECONDS: Final = 60.0
INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Watch:
    """One reader's view. Made by `Hub.watch`; `close` it when the reader is gone."""

    def __init__(self, hub: "Hub", namespace: str, matches: Matcher | None, *, bookmarks: bool, clock: Clock) -> None:
        self._hub = hub
        self._namespace = namespace
        self._matches = matches
        self._bookmarks = bookmarks
        self._clock = clock
        self._next_bookmark = clock.monotonic() + BOOKMARK_SECONDS
        self._events: list[Event] = []
        self._wake: asyncio.Future[None] | None = None
        self._refusal: Refused | None = None
        self.ended = False  # the kind is gone; there will be no more events

    def push(self, change: Change) -> None:
        """Collect a change, if it is in view."""
        event = change.seen_by(self._namespace, self._matches)
        if event is not None:
            self.collect((event,))

    def collect(self, events: Iterable[Event]) -> None:
        """Hand these to the reader next."""
        self._events.extend(events)
        if len(self._events) > BACKLOG:
            self._events.clear()
            self._refusal = expired("The watch was dropped: too many events were left unread")
            self.close()
        self._wake_up()

    def begin(self, events: Iterable[Event]) -> None:
        """What there is already, however much that is: nobody had a chance to read it."""
        self._events.extend(events)

    def end(self) -> None:
        """No more events will come."""
        self.ended = True
        self.close()
        self._wake_up()

    def bookmark(self, *, initial_events_end: bool = False) -> Event:
        """The event that tells the reader how far it is."""
        kind = self._hub.kind
        version = self._hub.current()
        metadata: Object = {"resourceVersion": str(version)}
        if initial_events_end:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        body = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": {**metadata, "creationTimestamp": None}}
        return Event(BOOKMARK, Stored(kind, body, version))

    async def next(self, seconds: float) -> list[Event]:
        """The events since the last call, as soon as there are any; a bookmark when one is due; none after `seconds`.

        Raises Refused (410) once this reader was dropped for being too slow.
        """
        until_bookmark = self._next_bookmark - self._clock.monotonic() if self._bookmarks else seconds
        if not self._events and not self._refusal and not self.ended:
            await self._wait(min(seconds, until_bookmark))
        if self._refusal:
            raise self._refusal
        events, self._events = self._events, []
        if self._bookmarks and self._clock.monotonic() >= self._next_bookmark:
            self._next_bookmark = self._clock.monotonic() + BOOKMARK_SECONDS
            events.append(self.bookmark())
        return events

    def close(self) -> None:
        """Stop collecting."""
        self._hub.leave(self)

    async def _wait(self, seconds: float) -> None:
        self._wake = asyncio.get_running_loop().create_future()
        timer = asyncio.create_task(self._clock.sleep(seconds))
        try:
            await asyncio.wait((self._wake, timer), return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            self._wake = None

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)


class Hub:
    """History and watchers of one kind."""

    def __init__(self, kind: Kind, current: Callable[[], int]) -> None:
        self.kind = kind
        self.current = current  # the store's resourceVersion
        self._oldest = current()  # changes after this one are in the history
        self._history: deque[Change] = deque(maxlen=HISTORY)
        self._watches: dict[Watch, None] = {}

    def publish(self, change: Change) -> None:
        """Remember a write and tell whoever watches."""
        if len(self._history) == HISTORY:
            self._oldest = self._history[0].resource_version
        self._history.append(change)
        for watch in list(self._watches):
            watch.push(change)

    def watch(
        self, namespace: str, matches: Matcher | None, *, since: int | None, bookmarks: bool, clock: Clock
    ) -> Watch:
        """A watch that starts with the changes after `since`; None: with what comes next. Raises Refused (410)."""
        watch = Watch(self, namespace, matches, bookmarks=bookmarks, clock=clock)
        if since is not None:
            watch.begin(self._replay(since, namespace, matches))
        self._watches[watch] = None
        return watch

    def leave(self, watch: Watch) -> None:
        self._watches.pop(watch, None)

    def close(self) -> None:
        """End all watches: the kind is no longer served."""
        for watch in list(self._watches):
            watch.end()

    def _replay(self, since: int, namespace: str, matches: Matcher | None) -> list[Event]:
        if since < self._oldest:
            raise expired(f"too old resource version: {since} ({self._oldest})")
        if since > self.current():  # of an earlier life of this server: only a new list helps
            raise expired(f"resource version {since} is ahead of the current one ({self.current()})")
        changes = (change for change in self._history if change.resource_version > since)
        return [event for change in changes if (event := change.seen_by(namespace, matches)) is not None]


def error_line(status: Object) -> bytes:
    """The line that ends a watch with a Status."""
    return b'{"type":"ERROR","object":%s}\n' % encode(status)
