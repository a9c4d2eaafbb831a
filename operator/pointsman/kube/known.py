"""What a reflector knows of a collection, and which events follow from news about it.

News comes in three ways (a list, a watch event, a bookmark) and not always in order: a reconnected watch may repeat
what was seen, also an object that is gone since. Nobody above should have to care, so everything that is not news is
dropped here, and what was missed (a deletion, an object made anew under its old name) is put in. No I/O.

Versions are compared as numbers, as Kubernetes allows since 1.35 and all servers have made them before. A server whose
versions are something else loses the protection against replays, nothing more.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from pointsman.kube.objects import Metadata


class HasMetadata(Protocol):
    """Any object of the API."""

    @property
    def metadata(self) -> Metadata:
        """Names, uid, version."""
        ...


T = TypeVar("T", bound=HasMetadata)

Key = tuple[str, str]  # namespace, name


class EventType(StrEnum):
    """What happened to an object."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True)
class WatchEvent(Generic[T]):
    """One change. For DELETED the object is the last version that is known."""

    type: EventType
    object: T


class Known(Generic[T]):
    """The collection as last seen. `position` is the version up to which the watch was read."""

    def __init__(self) -> None:
        self.position = ""
        self._objects: dict[Key, T] = {}

    def __len__(self) -> int:
        return len(self._objects)

    def replace(self, items: Iterable[T], position: str, unreadable: Collection[Key] = ()) -> list[WatchEvent[T]]:
        """Take over a complete list and say what it changes, deletions first.

        A list is the truth, also where it is older than what we knew (an etcd that was restored). Objects that are
        there but could not be read keep the version that we have.
        """
        before, self._objects, self.position = self._objects, {}, position
        gone: list[WatchEvent[T]] = []
        news: list[WatchEvent[T]] = []
        for item in items:
            key = key_of(item)
            old = before.pop(key, None)
            self._objects[key] = item
            if old is None:
                news.append(WatchEvent(EventType.ADDED, item))
            elif old.metadata.uid != item.metadata.uid:
                gone.append(WatchEvent(EventType.DELETED, old))
                news.append(WatchEvent(EventType.ADDED, item))
            elif old.metadata.resource_version != item.metadata.resource_version:
                news.append(WatchEvent(EventType.MODIFIED, item))
        for key, old in before.items():
            if key in unreadable:
                self._objects[key] = old
            else:
                gone.append(WatchEvent(EventType.DELETED, old))
        return gone + news

    def apply(self, type: EventType, new: T) -> list[WatchEvent[T]]:  # noqa: A002 - the field's word
        """Take in one event of a watch and say what it changes: nothing, one thing, or a deletion and an addition."""
        version = new.metadata.resource_version
        passed = _at_most(version, self.position)
        self.bookmark(version)
        key = key_of(new)
        old = self._objects.get(key)
        if old is None:
            # A version that the watch has passed, of an object that we do not know: it was deleted in the meantime.
            if type is EventType.DELETED or passed:
                return []
            return [self._put(EventType.ADDED, key, new)]
        if old.metadata.uid == new.metadata.uid:
            return self._update(type, key, old, new)
        if _at_most(version, old.metadata.resource_version):
            return []
        del self._objects[key]
        events = [WatchEvent(EventType.DELETED, old)]
        if type is not EventType.DELETED:
            events.append(self._put(EventType.ADDED, key, new))
        return events

    def bookmark(self, version: str) -> None:
        """The watch was read up to this version."""
        if not _at_most(version, self.position):
            self.position = version

    def _update(self, type: EventType, key: Key, old: T, new: T) -> list[WatchEvent[T]]:  # noqa: A002
        same = new.metadata.resource_version == old.metadata.resource_version
        older = not same and _at_most(new.metadata.resource_version, old.metadata.resource_version)
        if older or (same and type is not EventType.DELETED):
            return []
        if type is EventType.DELETED:
            del self._objects[key]
            return [WatchEvent(EventType.DELETED, new)]
        return [self._put(EventType.MODIFIED, key, new)]

    def _put(self, type: EventType, key: Key, new: T) -> WatchEvent[T]:  # noqa: A002
        self._objects[key] = new
        return WatchEvent(type, new)


def key_of(item: HasMetadata) -> Key:
    """Under which key an object is known."""
    return (item.metadata.namespace, item.metadata.name)


def _at_most(version: str, other: str) -> bool:
    """Whether `version` is known to be `other` or before it."""
    return version == other or (version.isdecimal() and other.isdecimal() and int(version) <= int(other))
