"""Defaults of a structural schema, filled in as the API server does it: top down, into objects that are there."""

from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.sandbox.schema.schema import MISSING, Schema


def default(value: Any, schema: Schema) -> Any:
    """The value with defaults, untouched parts shared. A null that the schema does not allow counts as absent."""
    if isinstance(value, Mapping):
        entries = {key: default(entry, inner) if inner else entry for key, entry, inner in _entries(value, schema)}
        for name, child in schema.properties.items():
            if name not in entries and child.default is not MISSING:
                entries[name] = default(child.default, child)
        same = len(entries) == len(value) and all(entries[key] is entry for key, entry in value.items())
        return value if same else entries
    if isinstance(value, list) and schema.items is not None:
        items = [default(item, schema.items) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _entries(value: Mapping[str, Any], schema: Schema) -> Iterator[tuple[str, Any, Schema | None]]:
    for key, entry in value.items():
        inner = schema.child(key)
        if entry is not None or inner is None or inner.nullable or inner.preserves_unknown:
            yield key, entry, inner
