"""What the controllers know of the cluster: one watch per kind, shared by all of them."""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.known import EventType, Key, WatchEvent, key_of
from pointsman.kube.reflector import Reflector
from pointsman.kube.resources import Resource
from pointsman.sandbox.controllers.objects import Item, NodeItem, PodItem

T = TypeVar("T", Item, PodItem, NodeItem)
Listener = Callable[[WatchEvent[T]], None]


class Mirror(Generic[T]):
    """Objects of one kind by namespace and name, and by owner. Listeners hear of every change after it was taken in."""

    def __init__(self, client: Client, resource: Resource, type_: type[T], clock: Clock, rng: random.Random) -> None:
        self.resource = resource
        self._objects: dict[Key, T] = {}
        self._owned: dict[str, dict[Key, None]] = {}
        self._listeners: list[Listener[T]] = []
        self._reflector: Reflector[T] = Reflector(client, resource, type_, self._on_events, clock=clock, rng=rng)

    @property
    def synced(self) -> asyncio.Event:
        """Set when everything that is there is known."""
        return self._reflector.synced

    def listen(self, listener: Listener[T]) -> None:
        """Be told of changes from now on."""
        self._listeners.append(listener)

    def get(self, key: Key) -> T | None:
        """One object; None when there is none."""
        return self._objects.get(key)

    def owned_by(self, uid: str) -> list[T]:
        """The objects that name this owner."""
        return [self._objects[key] for key in self._owned.get(uid, ())]

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._objects.values()))

    def clear(self) -> None:
        """The kind is gone, with all of its objects."""
        self._objects.clear()
        self._owned.clear()

    async def run(self) -> None:
        """Mirror until cancelled."""
        await self._reflector.run()

    def _on_events(self, events: Sequence[WatchEvent[T]]) -> None:
        for event in events:
            key = key_of(event.object)
            old = self._objects.pop(key, None)
            for owner in old.metadata.owner_references if old is not None else ():
                self._owned.get(owner.uid, {}).pop(key, None)
            if event.type is not EventType.DELETED:
                self._objects[key] = event.object
                for owner in event.object.metadata.owner_references:
                    self._owned.setdefault(owner.uid, {})[key] = None
            for listener in self._listeners:
                listener(event)
