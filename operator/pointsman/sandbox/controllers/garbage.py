"""Garbage collection: what becomes of objects whose owners are gone, or wait to go after them.

kubernetes 1.36, pkg/controller/garbagecollector. Owners are looked for in the mirrors first, and asked for by name when
they are not there: a mirror may be a moment behind.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from pointsman.kube.client import Client, PatchKind, decode
from pointsman.kube.clock import Clock
from pointsman.kube.errors import NotFound
from pointsman.kube.known import EventType, WatchEvent
from pointsman.kube.resources import Resource
from pointsman.sandbox.controllers.loop import Loop
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import FOREGROUND, ORPHAN, Named, Owner

_HOLDING: Final = frozenset((FOREGROUND, ORPHAN))

AnyMirror = Mirror[Any]


class Place(NamedTuple):
    """Where an object lies."""

    resource: Resource
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.resource.plural} {self.namespace}/{self.name}"


class GarbageCollector:
    """Collects garbage in the kinds whose mirrors it is given."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._mirrors: dict[Resource, AnyMirror] = {}
        self._places: dict[str, Place] = {}  # by uid
        self._owners: dict[str, frozenset[str]] = {}  # uids, by that of the dependent
        self.loop: Loop[Place] = Loop("garbage collector", self._reconcile, clock, rng)

    def watch(self, mirror: AnyMirror) -> None:
        """Collect among these objects too."""
        self._mirrors[mirror.resource] = mirror
        mirror.listen(lambda event: self._on_event(mirror.resource, event))

    def forget(self, resource: Resource) -> None:
        """This kind is no longer served: its objects are gone."""
        mirror = self._mirrors.pop(resource, None)
        for uid in [uid for uid, place in self._places.items() if place.resource == resource]:
            self._gone(uid)
        if mirror is not None:
            mirror.clear()

    def _on_event(self, resource: Resource, event: WatchEvent[Any]) -> None:
        metadata = event.object.metadata
        place = Place(resource, metadata.namespace, metadata.name)
        if event.type is EventType.DELETED:
            self._gone(metadata.uid)
            return
        self._places[metadata.uid] = place
        self._owned_by(metadata.uid, frozenset(owner.uid for owner in metadata.owner_references))
        held = event.object.deleting and not _HOLDING.isdisjoint(metadata.finalizers)
        if held or not all(self._is_safe(owner, place.namespace) for owner in metadata.owner_references):
            self.loop.add(place)

    def _gone(self, uid: str) -> None:
        self._places.pop(uid, None)
        self._owned_by(uid, frozenset())
        for place, _ in self._dependents(uid):
            self.loop.add(place)

    def _owned_by(self, uid: str, owners: frozenset[str]) -> None:
        """Note an object's owners; one that it had before may have waited for it."""
        for lost in self._owners.pop(uid, frozenset()) - owners:
            if (above := self._places.get(lost)) is not None:
                self.loop.add(above)
        if owners:
            self._owners[uid] = owners

    def _dependents(self, uid: str) -> list[tuple[Place, Any]]:
        return [
            (Place(resource, one.metadata.namespace, one.metadata.name), one)
            for resource, mirror in self._mirrors.items()
            for one in mirror.owned_by(uid)
        ]

    async def _reconcile(self, place: Place) -> float | None:
        mirror = self._mirrors.get(place.resource)
        found = mirror.get((place.namespace, place.name)) if mirror else None
        if found is None:
            return None
        if found.deleting:
            finalizers = found.metadata.finalizers
            if ORPHAN in finalizers:
                await self._orphan(place, found)
            elif FOREGROUND in finalizers:
                await self._foreground(place, found)
            return None
        await self._check_owners(place, found)
        return None

    async def _check_owners(self, place: Place, found: Any) -> None:
        references: Sequence[Owner] = found.metadata.owner_references
        there = [owner for owner in references if await self._is_there(owner, place.namespace)]
        staying = {owner.uid for owner in there if not self._waits(owner)}
        leaving = {owner.uid for owner in references} - staying
        if not leaving:
            return
        if staying:
            await self._let_go(place, found, leaving)
        else:
            propagation = "Foreground" if there else "Background"
            await self._client.delete(_path(place), uid=found.metadata.uid, propagation=propagation)

    def _is_safe(self, owner: Owner, namespace: str) -> bool:
        """Whether an owner is known to be there, where the dependent may have it, and does not wait to go."""
        place = self._places.get(owner.uid)
        return place is not None and place.namespace in ("", namespace) and not self._waits(owner)

    def _waits(self, owner: Owner) -> bool:
        """Whether an owner only waits for its dependents to go before it."""
        place = self._places.get(owner.uid)
        mirror = self._mirrors.get(place.resource) if place else None
        found = mirror.get((place.namespace, place.name)) if mirror and place else None
        return found is not None and found.deleting and FOREGROUND in found.metadata.finalizers

    async def _is_there(self, owner: Owner, namespace: str) -> bool:
        resource = self._resource(owner)
        if resource is None or (resource.namespaced and not namespace):
            return True  # of a kind that is not served here, or in no namespace that could be told: nobody knows
        place = self._places.get(owner.uid)
        if place is not None and place.namespace in ("", namespace):
            return True
        try:
            path = resource.path(namespace if resource.namespaced else "", owner.name)
            answer = decode(await self._client.request("GET", path), Named)
        except NotFound:
            return False
        return answer.metadata.uid == owner.uid

    def _resource(self, owner: Owner) -> Resource | None:
        return next(
            (one for one in self._mirrors if one.kind == owner.kind and one.api_version == owner.api_version), None
        )

    async def _orphan(self, place: Place, owner: Any) -> None:
        """Dependents lose their reference, then the owner may go."""
        for below, dependent in self._dependents(owner.metadata.uid):
            await self._let_go(below, dependent, {owner.metadata.uid})
        await self._release(place, owner, ORPHAN)

    async def _foreground(self, place: Place, owner: Any) -> None:
        """Dependents go first, unless others own them too; those that do not block the owner need not be gone."""
        uid = owner.metadata.uid
        dependents = self._dependents(uid)
        blocking = [one for _, one in dependents if _blocks(one.metadata.owner_references, uid)]
        for below, dependent in dependents:
            if not dependent.deleting:
                await self._check_owners(below, dependent)
        if not blocking:
            await self._release(place, owner, FOREGROUND)

    async def _release(self, place: Place, owner: Any, finalizer: str) -> None:
        left = [one for one in owner.metadata.finalizers if one != finalizer]
        await self._patch(place, owner, {"finalizers": left or None})

    async def _let_go(self, place: Place, dependent: Any, uids: set[str]) -> None:
        kept = [_wire(owner) for owner in dependent.metadata.owner_references if owner.uid not in uids]
        await self._patch(place, dependent, {"ownerReferences": kept or None})

    async def _patch(self, place: Place, found: Any, metadata: dict[str, Any]) -> None:
        """Write metadata of an object that is still the one that was looked at."""
        known = {"uid": found.metadata.uid, "resourceVersion": found.metadata.resource_version}
        await self._client.patch(_path(place), {"metadata": {**known, **metadata}}, kind=PatchKind.MERGE)


def _blocks(references: Iterable[Owner], uid: str) -> bool:
    return any(owner.uid == uid and owner.block_owner_deletion for owner in references)


def _path(place: Place) -> str:
    return place.resource.path(place.namespace, place.name)


def _wire(owner: Owner) -> dict[str, Any]:
    return {
        "apiVersion": owner.api_version,
        "kind": owner.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": owner.controller,
        "blockOwnerDeletion": owner.block_owner_deletion,
    }
