"""Server-side apply: merge what a manager wants, take away what it no longer wants, refuse what others own.

Rules: structured-merge-diff 6.3, merge/update.go; messages: apimachinery 1.36, managedfields/internal/conflict.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pointsman.sandbox.patching.compare import compare
from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.fields import (
    NOTHING,
    Fields,
    compact,
    fields_of,
    iteration_order,
    with_named_fields,
    written,
)
from pointsman.sandbox.patching.merging import GONE, merge, remove
from pointsman.sandbox.patching.owners import APPLY, UPDATE, Entry, Manager, Owners, owned
from pointsman.sandbox.patching.typed import check_typed
from pointsman.sandbox.schema.schema import Schema


class FieldConflict(Exception):
    """Other managers own fields that the configuration wants to change. `causes` are (field, message) pairs."""

    def __init__(self, conflicts: list[tuple[Entry, tuple[str, ...]]]) -> None:
        self._conflicts = conflicts
        self.causes = [(written(path), f"conflict with {_shown(entry)}") for entry, path in conflicts]
        super().__init__(_message(conflicts))

    def outside(self, allowed: Fields) -> "FieldConflict | None":
        """What is left of it when these fields may be changed; None when that is nothing."""
        left = [(entry, path) for entry, path in self._conflicts if path not in allowed]
        return FieldConflict(left) if left else None


@dataclass(frozen=True, slots=True)
class Applied:
    """The object after an apply, and who owns it now."""

    object: Any
    owners: Owners


_MANAGED_FIELDS_GIVEN: Final = "metadata.managedFields must be nil"


def apply(
    live: Mapping[str, Any],
    applied: Mapping[str, Any],
    schema: Schema,
    owners: Owners,
    manager: Manager,
    *,
    time: str,
    force: bool,
    ignored: tuple[str, ...] = (),
) -> Applied:
    """Apply a configuration to the stored object (empty: it is new). `owners` may have unsettled writes.

    Raises FieldConflict when others own what it changes and `force` is not set, PatchError for what cannot be applied.
    """
    if applied.get("metadata", {}).get("managedFields") is not None:
        raise PatchError(_MANAGED_FIELDS_GIVEN)
    check_typed(applied, schema)
    entries = owners.settled(schema).entries
    wanted = _without(owned(fields_of(applied, schema)), ignored)
    last = next((entry for entry in entries if _same(entry.manager, manager)), None)
    others = [entry for entry in entries if entry is not last]
    merged = merge(dict(live), applied, schema)
    if last is not None:
        claimed = wanted.union(*(entry.fields for entry in others))
        merged = _pruned(merged, schema, last.fields, claimed)
    difference = compare(live, merged, schema).without(ignored)
    taken = [(entry, entry.fields & difference.changed) for entry in others]
    if not force and any(fields for _, fields in taken):
        raise FieldConflict([(e, path) for e, fields in taken for path in sorted(fields, key=iteration_order)])
    left = [replace(entry, fields=entry.fields - fields - difference.removed) for entry, fields in taken]
    changed = merged != live or last is None or last.fields != wanted
    entry = Entry(manager, time if changed or last is None else last.time, wanted)
    return Applied(merged, Owners((*(other for other in left if other.fields), *((entry,) if wanted else ()))))


def _same(left: Manager, right: Manager) -> bool:
    """An applier is one whatever version it applies."""
    return left.operation == APPLY and (left.name, left.subresource) == (right.name, right.subresource)


def _without(fields: Fields, ignored: tuple[str, ...]) -> Fields:
    parts = {f"f:{name}" for name in ignored}
    return frozenset(path for path in fields if path[0] not in parts) if parts else fields


def _pruned(merged: Any, schema: Schema, last: Fields, claimed: Fields) -> Any:
    """Without what was applied last time, is not now, and nobody else owns."""
    if last <= claimed:
        return merged
    named_last, named_all = with_named_fields(last, schema), with_named_fields(fields_of(merged, schema), schema)

    def named(value: Any) -> Fields:
        return NOTHING if value is GONE else with_named_fields(fields_of(value, schema), schema)

    pruned = remove(merged, schema, named_last)
    pruned = remove(merged, schema, named_all - (named(pruned) | with_named_fields(claimed, schema)))
    left = remove(merged, schema, (named_all - named(pruned)) & named_last)
    return {} if left is GONE else left


def _message(conflicts: list[tuple[Entry, tuple[str, ...]]]) -> str:
    if len(conflicts) == 1:
        entry, path = conflicts[0]
        return f"Apply failed with 1 conflict: conflict with {_shown(entry)}: {written(path)}"
    by_manager: dict[str, list[str]] = {}
    for entry, path in conflicts:
        by_manager.setdefault(_shown(entry), []).append(f"- {written(path)}")
    lines = [line for shown in sorted(by_manager) for line in (f"conflicts with {shown}:", *by_manager[shown])]
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def _shown(entry: Entry) -> str:
    manager = entry.manager
    shown = compact(manager.name)
    if manager.subresource:
        shown += f" with subresource {compact(manager.subresource)}"
    if manager.operation == UPDATE:
        shown += f" using {manager.api_version}"
    return shown
