"""What a reflector knows of a collection, and which events follow from news about it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from pointsman.kube.objects import Metadata


class HasMetadata(Protocol):
    """Any object of the API."""

    @property
    def metadata(self) -> Metadata: ...


T = TypeVar("T", bound=HasMetadata)


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
