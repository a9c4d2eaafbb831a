"""A watch as an endless answer: lines as the store encoded them, or rows of a table."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import closing
from typing import Final

from pointsman.sandbox.server.answer import Form
from pointsman.sandbox.server.request import Options, Route
from pointsman.sandbox.server.views import View, view
from pointsman.sandbox.store.changes import BOOKMARK, Event
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.store import Store
from pointsman.sandbox.store.stored import encode
from pointsman.sandbox.store.watch import Watch, error_line
from pointsman.sandbox.tables.table import table

_DEFAULT_SECONDS: Final = 1800.0  # of a watch that does not say how long it wants to live
_NEWEST: Final = ("", "0")


async def lines(store: Store, route: Route, options: Options, wanted: Form) -> AsyncGenerator[bytes, None]:
    """What the watch sends, in pieces of whole lines, until its time is over. The first piece is empty: it has begun.

    A refusal is sent as the last line, as a real API server does it.
    """
    seen = view(store, route.kind)
    try:
        watch = _begin(store, seen, route, options)
    except Refused as refused:
        if refused.code != 410:
            raise
        yield b""
        yield error_line(refused.status())
        return
    deadline = store.clock.monotonic() + (options.timeout_seconds or _DEFAULT_SECONDS)
    with closing(watch):
        yield b""
        encoder = _Rows(store, seen, wanted) if wanted.rows else _Plain(seen)
        while not watch.ended and (left := deadline - store.clock.monotonic()) > 0:
            try:
                events = await watch.next(left)
            except Refused as refused:
                yield error_line(refused.status())
                return
            if events:
                yield encoder.encode(events)


def _begin(store: Store, seen: View, route: Route, options: Options) -> Watch:
    fields = seen.select(options.field_selector)
    if route.name:
        fields = f"{fields},metadata.name={route.name}" if fields else f"metadata.name={route.name}"
    version = options.resource_version
    if not version.isdecimal() and version:
        raise bad_request(f'resourceVersion: Invalid value: "{version}": must be a number')
    if options.initial_events is not None and options.resource_version_match != "NotOlderThan":
        raise bad_request("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    return store.watch(
        seen.stored,
        route.namespace,
        options.label_selector,
        fields,
        since=None if version in _NEWEST else int(version),
        bookmarks=options.bookmarks,
        initial_events=options.initial_events,
    )


class _Plain:
    """Events as objects."""

    def __init__(self, seen: View) -> None:
        self._seen = seen

    def encode(self, events: Sequence[Event]) -> bytes:
        if self._seen.is_listed_encoded:
            return b"".join([event.line for event in events])
        shown = ({"type": event.type, "object": self._seen.show(event.stored.complete)} for event in events)
        return b"".join(encode(one) + b"\n" for one in shown)


class _Rows:
    """Events as tables of one row. Only the first has the columns."""

    def __init__(self, store: Store, seen: View, wanted: Form) -> None:
        self._clock = store.clock
        self._kind = seen.kind
        self._include = wanted.include
        self._headed = True

    def encode(self, events: Sequence[Event]) -> bytes:
        return b"".join(self._line(event) for event in events)

    def _line(self, event: Event) -> bytes:
        metadata = {"resourceVersion": str(event.stored.resource_version)}
        objects = [] if event.type == BOOKMARK else [event.object]
        now, headed, self._headed = self._clock.now(), self._headed, False
        body = table(self._kind, objects, now, metadata=metadata, include=self._include, headed=headed)
        return encode({"type": event.type, "object": body}) + b"\n"
