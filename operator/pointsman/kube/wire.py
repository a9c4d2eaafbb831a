"""From bytes to typed objects: lists, and the lines of a watch.

A list is decoded with its items in one go, straight into structs that declare only what we read. An object that does
not fit its struct (a field of another type, from a server or version we do not know) must not hide the others: then
the items are decoded one by one, and the odd one is named and left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic

import msgspec

from pointsman.kube.errors import ApiError, api_error
from pointsman.kube.known import EventType, Key, T

MAX_LINE: Final = 16 << 20  # bytes; etcd takes no object above 1.5 MiB, so this is not a watch


class _ListMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class _List(msgspec.Struct, Generic[T]):
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)
    items: list[T] | None = None


class _Name(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Named(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)


class _Version(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Versioned(msgspec.Struct):
    metadata: _Version = msgspec.field(default_factory=_Version)


class _Status(msgspec.Struct):
    code: int = 500
    reason: str = ""
    message: str = ""


class _Added(msgspec.Struct, Generic[T], tag="ADDED"):
    object: T


class _Modified(msgspec.Struct, Generic[T], tag="MODIFIED"):
    object: T


class _Deleted(msgspec.Struct, Generic[T], tag="DELETED"):
    object: T


class _Bookmark(msgspec.Struct, tag="BOOKMARK"):
    object: _Versioned


class _Error(msgspec.Struct, tag="ERROR"):
    object: _Status


class _Untyped(msgspec.Struct):
    type: str = ""
    object: _Named = msgspec.field(default_factory=_Named)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An object that does not fit its struct."""

    key: Key
    why: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list."""

    items: Sequence[T]
    resource_version: str
    continue_token: str  # empty on the last page
    unreadable: Sequence[Unreadable]


class ListDecoder(Generic[T]):
    """Decodes the pages of lists of one type."""

    def __init__(self, type: type[T]) -> None:  # noqa: A002 - the field's word
        self._typed: msgspec.json.Decoder[_List[T]] = msgspec.json.Decoder(_list_of(type))
        self._raw: msgspec.json.Decoder[Any] = msgspec.json.Decoder(_list_of(msgspec.Raw))
        self._item = msgspec.json.Decoder(type)

    def decode(self, content: bytes) -> Page[T]:
        """Decode one page. Raises ApiError when it is no list at all."""
        try:
            page = self._typed.decode(content)
        except msgspec.ValidationError:
            return self._one_by_one(content)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise _unexpected(error) from None
        return Page(page.items or (), page.metadata.resource_version, page.metadata.continue_, ())

    def _one_by_one(self, content: bytes) -> Page[T]:
        try:
            page = self._raw.decode(content)
        except msgspec.DecodeError as error:
            raise _unexpected(error) from None
        items: list[T] = []
        unreadable: list[Unreadable] = []
        for raw in page.items or ():
            try:
                items.append(self._item.decode(raw))
            except (msgspec.DecodeError, UnicodeError) as error:
                unreadable.append(Unreadable(_key_in(raw), str(error)))
        return Page(items, page.metadata.resource_version, page.metadata.continue_, unreadable)


class WatchDecoder(Generic[T]):
    """Decodes the lines of watches of one type."""

    def __init__(self, type: type[T]) -> None:  # noqa: A002
        self._lines: msgspec.json.Decoder[Any] = msgspec.json.Decoder(_event_of(type))

    def decode(self, line: bytes) -> tuple[EventType, T] | str | Unreadable:
        """One event: a change, a bookmark's version, or an object that cannot be read.

        Raises ApiError (Gone above all) for an ERROR event, and when the line is no event at all.
        """
        try:
            event = self._lines.decode(line)
        except msgspec.ValidationError as error:
            return _unreadable(line, error)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise _unexpected(error) from None
        match event:
            case _Added():
                return EventType.ADDED, event.object
            case _Modified():
                return EventType.MODIFIED, event.object
            case _Deleted():
                return EventType.DELETED, event.object
            case _Bookmark():
                return str(event.object.metadata.resource_version)
        raise api_error(event.object.code, event.object.reason, event.object.message)


class LineSplitter:
    """Cuts a stream of bytes into lines, wherever its pieces begin and end."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._pending: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this piece completes, without empty ones. Raises ApiError for a line without end."""
        first, *more = chunk.split(b"\n")
        self._keep(first)
        if not more:
            return []
        lines = [b"".join(self._pending), *more[:-1]]
        self._pending.clear()
        self._size = 0
        self._keep(more[-1])
        return [line for line in lines if line and not line.isspace()]

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._max_line:
            raise _unexpected(f"a line is longer than {self._max_line} bytes")
        if piece:
            self._pending.append(piece)


def _list_of(type: Any) -> Any:  # noqa: A002
    return _List[type]


def _event_of(type: Any) -> Any:  # noqa: A002
    return _Added[type] | _Modified[type] | _Deleted[type] | _Bookmark | _Error


def _unreadable(line: bytes, error: Exception) -> Unreadable:
    try:
        event = msgspec.json.decode(line, type=_Untyped)
    except (msgspec.DecodeError, UnicodeError):
        raise _unexpected(error) from None
    if event.type not in set(EventType):
        raise _unexpected(error)
    return Unreadable((event.object.metadata.namespace, event.object.metadata.name), str(error))


def _key_in(raw: bytes) -> Key:
    try:
        named = msgspec.json.decode(raw, type=_Named)
    except (msgspec.DecodeError, UnicodeError):
        return ("", "?")
    return (named.metadata.namespace, named.metadata.name)


def _unexpected(error: object) -> ApiError:
    return ApiError(200, "UnexpectedAnswer", f"the answer is not what was asked for: {error}")
