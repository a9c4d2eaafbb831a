"""Defaults of a structural schema, filled in as the API server does it: top down, into objects that are there.

Null counts as absent where a schema does not allow it. Without a default it is dropped when a body is decoded, and only
then: what a server-side apply sets to null goes on to validation.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pointsman.sandbox.schema.schema import MISSING, Schema


def default(value: Any, schema: Schema) -> Any:
    """The value with defaults, untouched parts shared."""

    def entry_of(entry: Any, inner: Schema | None) -> Any:
        if inner is None:
            return entry
        return default(inner.default if _is_no_null(entry, inner) and inner.default is not MISSING else entry, inner)

    if isinstance(value, Mapping):
        entries = {key: entry_of(entry, schema.child(key)) for key, entry in value.items()}
        for name, child in schema.properties.items():
            if name not in entries and child.default is not MISSING:
                entries[name] = default(child.default, child)
        same = len(entries) == len(value) and all(entries[key] is entry for key, entry in value.items())
        return value if same else entries
    return _each(value, schema, default)


def without_nulls(value: Any, schema: Schema) -> Any:
    """The value without nulls that the schema neither allows nor has a default for."""
    if isinstance(value, Mapping):
        entries = {
            key: without_nulls(entry, inner) if inner else entry
            for key, entry, inner in ((key, entry, schema.child(key)) for key, entry in value.items())
            if inner is None or inner.default is not MISSING or not _is_no_null(entry, inner)
        }
        same = len(entries) == len(value) and all(entries[key] is entry for key, entry in value.items())
        return value if same else entries
    return _each(value, schema, without_nulls)


def _is_no_null(value: Any, schema: Schema) -> bool:
    return value is None and not schema.nullable and not schema.preserves_unknown


def _each(value: Any, schema: Schema, change: Callable[[Any, Schema], Any]) -> Any:
    if not isinstance(value, list) or schema.items is None:
        return value
    items = [change(item, schema.items) for item in value]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items
