"""Who owns which fields of an object: `metadata.managedFields`, kept aside and worked out late.

Most writes are never asked about: a pod is created, bound and reported on, and nobody looks at its managers. So a write
only notes the two versions it lies between (which share most of their parts), and the sets are computed by `settled`,
when a client gets the object or applies to it. Rules: apimachinery 1.36, pkg/util/managedfields/internal.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pointsman.sandbox.patching.compare import compare
from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.fields import NOTHING, Fields, fields_in, tree_of
from pointsman.sandbox.schema.schema import Schema

APPLY: Final = "Apply"
UPDATE: Final = "Update"
MAX_UNSETTLED: Final = 16  # writes that may wait; beyond, the versions that they hold weigh more than the work

_NEVER_OWNED: Final = frozenset(
    {("f:apiVersion",), ("f:kind",), ("f:metadata",)}
    | {
        ("f:metadata", f"f:{name}")
        for name in (
            *("name", "namespace", "creationTimestamp", "selfLink", "uid"),
            *("clusterName", "generation", "managedFields", "resourceVersion"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Manager:
    """Who writes, and through which door."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One manager's fields, as of its last change of them."""

    manager: Manager
    time: str
    fields: Fields


@dataclass(frozen=True, slots=True)
class Write:
    """A write that is not an apply. `ignored` are top-level fields that its door does not write."""

    manager: Manager
    time: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owners:
    """All entries, and the writes that are not yet worked into them."""

    entries: tuple[Entry, ...] = ()
    unsettled: tuple[Write, ...] = ()

    def written(self, write: Write, schema: Schema) -> "Owners":
        """With one more write."""
        more = replace(self, unsettled=(*self.unsettled, write))
        return more if len(more.unsettled) <= MAX_UNSETTLED else more.settled(schema)

    def settled(self, schema: Schema) -> "Owners":
        """With all writes worked in."""
        entries = self.entries
        for write in self.unsettled:
            entries = _with_write(entries, write, schema)
        return Owners(entries) if self.unsettled else self

    def managed_fields(self) -> list[dict[str, Any]]:
        """As `metadata.managedFields`; writes that are not settled are missing."""
        return [_wire(entry) for entry in sorted(self.entries, key=_order)]


NOBODY: Final = Owners()


def owners_from(managed: Iterable[Mapping[str, Any]]) -> Owners:
    """Read `metadata.managedFields`, which kubectl rewrites when it moves an object to server-side apply."""
    return Owners(tuple(_entry(item) for item in managed if item.get("manager") or item.get("fieldsV1")))


def owned(fields: Fields) -> Fields:
    """Without what the server itself keeps."""
    return fields - _NEVER_OWNED


def _with_write(entries: tuple[Entry, ...], write: Write, schema: Schema) -> tuple[Entry, ...]:
    """A write takes what it changes from everybody, and adds it to its manager's."""
    try:
        difference = compare(write.before, write.after, schema).without(write.ignored)
    except PatchError:  # an item without its key: real objects of that shape have no owners either
        return entries
    changed = owned(difference.changed)
    lost = changed | difference.removed
    left: list[Entry] = []
    mine = NOTHING
    for entry in entries:
        fields = entry.fields - lost
        if entry.manager == write.manager:
            mine = fields
        elif fields:
            left.append(entry if len(fields) == len(entry.fields) else replace(entry, fields=fields))
    if changed:
        return (*left, Entry(write.manager, write.time, mine | changed))
    before = next((entry for entry in entries if entry.manager == write.manager), None)
    return (*left, replace(before, fields=mine)) if before and mine else tuple(left)


def _order(entry: Entry) -> tuple[str, str, str, str, str]:
    manager = entry.manager
    return manager.operation, entry.time, manager.name, manager.api_version, manager.subresource


def _wire(entry: Entry) -> dict[str, Any]:
    manager = entry.manager
    body = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": entry.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": tree_of(entry.fields),
    }
    return {**body, "subresource": manager.subresource} if manager.subresource else body


def _entry(item: Mapping[str, Any]) -> Entry:
    manager = Manager(
        item.get("manager", ""), item.get("operation", UPDATE), item.get("apiVersion", ""), item.get("subresource", "")
    )
    return Entry(manager, item.get("time", ""), fields_in(item.get("fieldsV1") or {}))
