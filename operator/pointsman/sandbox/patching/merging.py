"""Merging an applied configuration into an object, and taking fields out of one, as server-side apply does it."""

from collections.abc import Iterable
from typing import Any, Final

from pointsman.sandbox.patching.fields import (
    Fields,
    Tree,
    child_schema,
    element,
    is_granular_list,
    is_granular_map,
    tree_of,
)
from pointsman.sandbox.schema.schema import UNTYPED, Schema


class _Gone:
    """What is left when everything in a map or list was taken out: the field itself goes."""


GONE: Final = _Gone()


def merge(live: Any, applied: Any, schema: Schema) -> Any:
    """`live` with `applied` laid over it: structs and maps by field, list maps and sets by item, the rest whole."""
    if is_granular_map(live, schema) and is_granular_map(applied, schema):
        merged = dict(live)
        for key, value in applied.items():
            merged[key] = merge(live[key], value, child_schema(schema, key)) if key in live else value
        return merged
    if applied is None and live and (is_granular_map(live, schema) or is_granular_list(live, schema)):
        return live  # null takes nothing away that others may own
    if is_granular_list(live, schema) and is_granular_list(applied, schema):
        return _merge_lists(live, applied, schema)
    return applied


def _merge_lists(live: list[Any], applied: list[Any], schema: Schema) -> list[Any]:
    """Items keep the order in which they were applied; what only the object has stays where it stands between them."""
    items = schema.items or UNTYPED
    old = {element(item, schema): item for item in live}
    new = {element(item, schema): item for item in applied}
    wanted = list(new)
    shared = [part for part in wanted if part in old]
    merged: dict[str, Any] = {}
    position = 0
    for part, item in old.items():
        if part not in new:
            merged[part] = item
        elif shared and part == shared[0]:
            # first whatever was applied before it
            upto = wanted.index(part)
            for earlier in wanted[position : upto + 1]:
                merged[earlier] = merge(old[earlier], new[earlier], items) if earlier in old else new[earlier]
            position = upto + 1
            shared = [later for later in shared if later not in merged]
    for part in wanted[position:]:
        merged[part] = merge(old[part], new[part], items) if part in old else new[part]
    return list(merged.values())


def remove(value: Any, schema: Schema, fields: Fields) -> Any:
    """The value without these members; GONE when nothing is left of it."""
    return _removed(value, schema, tree_of(fields)) if fields else value


def _removed(value: Any, schema: Schema, tree: Tree) -> Any:
    if is_granular_map(value, schema):
        pairs = ((key, entry, "f:" + key, child_schema(schema, key)) for key, entry in value.items())
        left = {key: kept for key, entry, part, inner in pairs if (kept := _kept(entry, part, inner, tree)) is not GONE}
        return left or (GONE if value else value)
    if is_granular_list(value, schema):
        items = schema.items or UNTYPED
        kept_items = _each(value, schema, items, tree)
        return kept_items or (GONE if value else value)
    return value


def _each(value: Iterable[Any], schema: Schema, items: Schema, tree: Tree) -> list[Any]:
    kept = (_kept(item, element(item, schema), items, tree) for item in value)
    return [item for item in kept if item is not GONE]


def _kept(value: Any, part: str, schema: Schema, tree: Tree) -> Any:
    below = tree.get(part)
    if below is None:
        return value
    return GONE if not below or "." in below else _removed(value, schema, below)
