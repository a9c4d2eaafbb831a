"""Where versions are given out: every write of the store ends here, gets its number, and is told to whoever watches."""

from collections.abc import Iterator
from dataclasses import dataclass

from pointsman.sandbox.patching.owners import Owners
from pointsman.sandbox.store.changes import ADDED, DELETED, MODIFIED, Change
from pointsman.sandbox.store.collection import Collection
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.stored import Stored
from pointsman.sandbox.store.watch import Hub


@dataclass(frozen=True, slots=True)
class Shelf:
    """What belongs to one kind."""

    kind: Kind
    objects: Collection
    hub: Hub


class Ledger:
    """Shelves by kind, the counter of versions, and who depends on whom."""

    def __init__(self) -> None:
        self.version = 1
        self._shelves: dict[tuple[str, str, str], Shelf] = {}
        self._dependents: dict[str, dict[str, Stored]] = {}  # owner's uid -> uid -> object

    def open(self, kind: Kind) -> None:
        """A shelf for this kind. One that is there is taken over, objects and watches included."""
        old = self._shelves.get(kind.key)
        if old is None:
            self._shelves[kind.key] = Shelf(kind, Collection(), Hub(kind, lambda: self.version))
        else:
            old.hub.kind = kind
            self._shelves[kind.key] = Shelf(kind, old.objects, old.hub)

    def close(self, kind: Kind) -> None:
        """Throw the shelf away: objects go, watches end."""
        shelf = self._shelves.pop(kind.key, None)
        if shelf is not None:
            for stored in shelf.objects.ordered(""):
                self._forget(stored)
            shelf.hub.close()

    def shelf(self, kind: Kind) -> Shelf:
        """The kind's shelf. Raises Refused when it is not served."""
        shelf = self._shelves.get(kind.key)
        if shelf is None:
            raise Refused(404, "NotFound", "the server could not find the requested resource")
        return shelf

    def find(self, group: str, version: str, plural: str) -> Collection | None:
        """Objects of a kind that may not be served."""
        shelf = self._shelves.get((group, version, plural))
        return None if shelf is None else shelf.objects

    def dependents(self, uid: str) -> tuple[Stored, ...]:
        """The objects that name this uid in their ownerReferences."""
        return tuple(self._dependents.get(uid, {}).values())

    def put(self, shelf: Shelf, obj: Object, old: Stored | None, owners: Owners, *, dry_run: bool) -> Stored:
        """Store a new version of an object. A dry run only says what it would be."""
        stored = self._version_of(shelf, obj, old, owners, dry_run=dry_run)
        if not dry_run:
            if old is not None:
                self._forget(old)
            shelf.objects.put(stored)
            for uid in _owner_uids(obj):
                self._dependents.setdefault(uid, {})[stored.uid] = stored
            shelf.hub.publish(Change(ADDED if old is None else MODIFIED, stored, old))
        return stored

    def remove(self, shelf: Shelf, obj: Object, old: Stored, *, dry_run: bool) -> Stored:
        """Take an object out; `obj` is its last state."""
        stored = self._version_of(shelf, obj, old, old.owners, dry_run=dry_run)
        if not dry_run:
            self._forget(old)
            shelf.objects.remove(old)
            shelf.hub.publish(Change(DELETED, stored, old))
        return stored

    def _version_of(self, shelf: Shelf, obj: Object, old: Stored | None, owners: Owners, *, dry_run: bool) -> Stored:
        if dry_run and old is None:
            return Stored(shelf.kind, obj, self.version, owners)
        if not dry_run:
            self.version += 1
        version = self.version if old is None or not dry_run else old.resource_version
        metadata = {**obj["metadata"], "resourceVersion": str(version)}
        return Stored(shelf.kind, {**obj, "metadata": metadata}, version, owners)

    def _forget(self, stored: Stored) -> None:
        for uid in _owner_uids(stored.object):
            held = self._dependents.get(uid, {})
            held.pop(stored.uid, None)
            if not held:
                self._dependents.pop(uid, None)


def _owner_uids(obj: Object) -> Iterator[str]:
    for reference in obj["metadata"].get("ownerReferences") or ():
        yield reference["uid"]
