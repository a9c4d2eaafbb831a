"""All objects, their versions and their watchers: what etcd and the generic registry are to a real API server.

A stored dict is never changed: writers get it, and hand back a new one that may share parts with it. So a write costs
one walk over what it changed, one encoding, and one note for whoever watches. Patches are in `patches`.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from pointsman.kube.clock import Clock, rfc3339
from pointsman.sandbox.patching.owners import NOBODY, UPDATE, Manager, Owners, Write
from pointsman.sandbox.store import metadata as meta
from pointsman.sandbox.store.changes import ADDED, Event
from pointsman.sandbox.store.deletion import Deletion, deleting, is_done
from pointsman.sandbox.store.doors import TRUSTED, Door, generation, ignored_fields, let_in
from pointsman.sandbox.store.errors import Refused, already_exists, invalid, not_found, version_required
from pointsman.sandbox.store.kinds import Kind, Object, Registry
from pointsman.sandbox.store.ledger import Ledger
from pointsman.sandbox.store.listing import Listing, page
from pointsman.sandbox.store.namespaces import check_namespace
from pointsman.sandbox.store.preconditions import check_deletion, check_write, is_same, owners_given
from pointsman.sandbox.store.selectors import compile_selectors
from pointsman.sandbox.store.stored import Stored
from pointsman.sandbox.store.watch import Watch

_ANYBODY = Door()
_PLAINLY = Deletion()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a write wants to store. `owners`: a client rewrote them, or (`applied`) they are worked out already."""

    object: Object
    owners: Owners | None = None
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Deleted:
    """What a delete did: the last state, and whether the object is gone or waits for finalizers or its grace period."""

    stored: Stored
    gone: bool


class Store:
    """The one store of a sandbox. Methods raise `Refused`; none of them waits for anything."""

    def __init__(self, clock: Clock, rng: random.Random) -> None:
        self.kinds = Registry()
        self.clock = clock
        self._rng = rng
        self._ledger = Ledger()

    @property
    def resource_version(self) -> int:
        """The number of the last write."""
        return self._ledger.version

    def register(self, kind: Kind) -> None:
        """Serve a kind. One that is served already is replaced; its objects and watches stay."""
        self.kinds.register(kind)
        self._ledger.open(kind)

    def unregister(self, kind: Kind) -> None:
        """Serve a kind no longer: its objects go, its watches end."""
        self.kinds.unregister(*kind.key)
        self._ledger.close(kind)

    def get(self, kind: Kind, namespace: str, name: str) -> Stored:
        """One object."""
        stored = self._ledger.shelf(kind).objects.get(namespace, name)
        if stored is None:
            raise not_found(kind, name)
        return stored

    def list(
        self, kind: Kind, namespace: str = "", labels: str = "", fields: str = "", *, limit: int = 0, token: str = ""
    ) -> Listing:
        """Objects that match both selectors, by namespace and name; a page of them when `limit` is set."""
        matches = compile_selectors(kind, labels, fields)
        stored = self._ledger.shelf(kind).objects.ordered(namespace)
        return page(stored, matches, self._ledger.version, limit=limit, continue_token=token)

    def watch(
        self,
        kind: Kind,
        namespace: str = "",
        labels: str = "",
        fields: str = "",
        *,
        since: int | None = None,
        bookmarks: bool = False,
        initial_events: bool | None = None,
    ) -> Watch:
        """A watch from a resourceVersion on; 410 if that is too old. None or 0 starts with what there is, as ADDED.

        `initial_events` is `sendInitialEvents`: with True a bookmark tells where the initial ones end.
        """
        shelf, matches = self._ledger.shelf(kind), compile_selectors(kind, labels, fields)
        if since and not initial_events:
            return shelf.hub.watch(namespace, matches, since=since, bookmarks=bookmarks, clock=self.clock)
        watch = shelf.hub.watch(namespace, matches, since=None, bookmarks=bookmarks, clock=self.clock)
        if initial_events is not False:
            stored = shelf.objects.ordered(namespace)
            watch.begin([Event(ADDED, one) for one in stored if matches is None or matches(one.object)])
        if initial_events:
            watch.begin([watch.bookmark(initial_events_end=True)])
        return watch

    def dependents(self, uid: str) -> tuple[Stored, ...]:
        """The objects that name this uid in their ownerReferences."""
        return self._ledger.dependents(uid)

    def create(
        self, kind: Kind, obj: Object, namespace: str = "", door: Door = _ANYBODY, owners: Owners | None = None
    ) -> Stored:
        """Store a new object with defaults, uid, dates and versions. `owners` is given by server-side apply."""
        shelf, now = self._ledger.shelf(kind), rfc3339(self.clock.now())
        metadata = meta.for_create(kind, obj, namespace, now, self._rng)
        name = metadata.get("name", "")
        check_namespace(self._ledger.find("", "v1", "namespaces"), kind, namespace, name)
        new = {**obj, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        if "status" in kind.subresources and not kind.keeps_status_on_create:
            new.pop("status", None)
        new = kind.rules.default(new, None)
        if owners is None:
            owners = self._written(NOBODY, kind, kind.blank, new, door)
        new = kind.rules.admit(new)
        if faults := [*meta.faults(kind, new), *kind.rules.validate(new, None, "")]:
            raise invalid(kind, name, faults)
        if shelf.objects.get(metadata.get("namespace", ""), name) is not None:
            raise already_exists(kind, name)
        if (obj.get("metadata") or {}).get("resourceVersion") and not door.dry_run:
            raise Refused(500, "", "resourceVersion should not be set on objects to be created")
        return self._ledger.put(shelf, new, None, owners, dry_run=door.dry_run)

    def update(
        self, kind: Kind, namespace: str, name: str, change: Callable[[Object], Object], door: Door = _ANYBODY
    ) -> Stored:
        """Replace an object by what `change` makes of it; nothing is written when nothing differs.

        `change` must not alter what it is given. A `metadata.resourceVersion` or `uid` in its result that is not the
        stored one is a conflict. Through the door `status` only the status is written, through the main one all else.
        """
        return self.revise(kind, namespace, name, lambda stored: Proposal(change(stored.object)), door)

    def replace(self, kind: Kind, namespace: str, name: str, obj: Object, door: Door = _ANYBODY) -> Stored:
        """PUT: store this object in the place of the one of that name."""
        metadata = obj.get("metadata") or {}
        if kind.custom and not metadata.get("resourceVersion"):
            raise version_required(kind, name)
        return self.revise(kind, namespace, name, lambda _: Proposal(obj, owners_given(metadata)), door)

    def revise(
        self, kind: Kind, namespace: str, name: str, change: Callable[[Stored], Proposal], door: Door = _ANYBODY
    ) -> Stored:
        """`update` for a writer that knows of versions and owners."""
        shelf, old = self._ledger.shelf(kind), self.get(kind, namespace, name)
        proposal = change(old)
        check_write(old, proposal.object)
        new = let_in(kind, proposal.object, old.object, door)
        if door.subresource not in TRUSTED:
            new = kind.rules.default(new, old.object)
        new = generation(kind, new, old.object, door)
        owners = old.owners if proposal.owners is None else proposal.owners
        if door.subresource not in TRUSTED:
            faults = [*meta.faults(kind, new), *kind.rules.validate(new, old.object, door.subresource)]
            if faults:
                raise invalid(kind, name, faults)
        if is_same(new, old.object) and owners == old.owners:
            return old
        if not proposal.applied and door.subresource not in TRUSTED:
            owners = self._written(owners, kind, old.object, new, door)
        if is_done(kind, new):
            return self._ledger.remove(shelf, new, old, dry_run=door.dry_run)
        return self._ledger.put(shelf, new, old, owners, dry_run=door.dry_run)

    def delete(
        self, kind: Kind, namespace: str, name: str, deletion: Deletion = _PLAINLY, *, dry_run: bool = False
    ) -> Deleted:
        """Delete an object, or begin to: finalizers and a pod's grace period hold it back."""
        shelf, old = self._ledger.shelf(kind), self.get(kind, namespace, name)
        check_deletion(old, deletion)
        new = deleting(kind, old.object, deletion, self.clock.now())
        if is_done(kind, new):
            return Deleted(self._ledger.remove(shelf, old.object, old, dry_run=dry_run), gone=True)
        if new is old.object:
            return Deleted(old, gone=False)
        return Deleted(self._ledger.put(shelf, new, old, old.owners, dry_run=dry_run), gone=False)

    def _written(self, owners: Owners, kind: Kind, before: Object, after: Object, door: Door) -> Owners:
        manager = Manager(door.manager, UPDATE, kind.api_version, door.subresource)
        now = rfc3339(self.clock.now())
        write = Write(manager, now, before, after, ignored_fields(kind, door.subresource))
        return owners.written(write, kind.schema)
