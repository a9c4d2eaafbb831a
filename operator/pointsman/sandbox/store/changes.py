"""What a write tells whoever watches: one event per write, encoded once however many there are."""

from functools import cached_property
from typing import Final

from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.selectors import Matcher
from pointsman.sandbox.store.stored import Stored

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
BOOKMARK: Final = "BOOKMARK"


class Event:
    """One line of a watch. `object` is for a server that shows tables; `line` is what everybody else gets."""

    def __init__(self, type_: str, stored: Stored) -> None:
        self.type = type_
        self.stored = stored

    @property
    def object(self) -> Object:
        return self.stored.object

    @cached_property
    def line(self) -> bytes:
        """The JSON line, end included."""
        return b'{"type":"%s","object":%s}\n' % (self.type.encode(), self.stored.encoded)


class Change:
    """A write as the history keeps it: what is there now (of a deletion: what was there last), and what was before."""

    def __init__(self, type_: str, stored: Stored, before: Stored | None) -> None:
        self.event = Event(type_, stored)
        self.before = before

    @property
    def resource_version(self) -> int:
        return self.event.stored.resource_version

    def seen_by(self, namespace: str, matches: Matcher | None) -> Event | None:
        """The event for a watcher with that view: objects enter and leave it as their labels change."""
        stored = self.event.stored
        if namespace and stored.namespace != namespace:
            return None
        if matches is None:
            return self.event
        now = self.event.type != DELETED and matches(stored.object)
        before = self.before is not None and matches(self.before.object)
        if now:
            return self.event if before or self.event.type == ADDED else Event(ADDED, stored)
        return self._left(stored) if before else None

    def _left(self, stored: Stored) -> Event:
        """The last state that matched, at this change's version."""
        if self.event.type == DELETED or self.before is None:
            return self.event
        last = self.before.object
        metadata = {**last["metadata"], "resourceVersion": str(stored.resource_version)}
        return Event(DELETED, Stored(stored.kind, {**last, "metadata": metadata}, stored.resource_version))
