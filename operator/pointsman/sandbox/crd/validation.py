"""Structural validation of a custom object: a walk over value and schema that finds every fault.

On updates, parts that are equal to the stored ones are let through even if the schema has been tightened since
(ratcheting). List maps and sets are checked for duplicates. Rules in CEL are another walk, in `rules`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pointsman.sandbox.crd.keywords import check_keywords, check_type
from pointsman.sandbox.schema.schema import LIST_MAP, LIST_SET, Schema
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import duplicate, invalid_value, required, shown

NOTHING: Final = object()  # no old value to compare with


def check(value: Any, schema: Schema, path: str, old: Any = NOTHING) -> Iterator[Cause]:
    """Every fault of a value, in the order of its fields."""
    if value == old:
        return
    if wrong := check_type(value, schema.keywords, path):
        yield from wrong
        return
    if value is None:
        return
    yield from check_keywords(value, schema.keywords, path)
    yield from _check_combined(value, schema, path)
    if isinstance(value, Mapping):
        yield from _check_object(value, schema, path, old)
    elif isinstance(value, list) and schema.items is not None:
        for place, item in enumerate(value):
            yield from check(item, schema.items, f"{path}[{place}]", old_item(item, old, schema))


def check_lists(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    """Duplicates in list maps and sets."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            inner = schema.child(key)
            if inner is not None:
                yield from check_lists(entry, inner, below(path, key, schema))
    elif isinstance(value, list):
        yield from _duplicates(value, schema, path)
        for place, item in enumerate(value):
            if schema.items is not None:
                yield from check_lists(item, schema.items, f"{path}[{place}]")


def old_entry(key: str, old: Any) -> Any:
    """The stored value under a map's key."""
    return old.get(key, NOTHING) if isinstance(old, Mapping) else NOTHING


def old_item(item: Any, old: Any, schema: Schema) -> Any:
    """The stored item that this one is the new version of; only keys tell, so there is none in other lists."""
    if schema.list_type != LIST_MAP or not isinstance(old, list) or not isinstance(item, Mapping):
        return NOTHING
    keys = [item.get(key) for key in schema.keys]
    found = (one for one in old if isinstance(one, Mapping) and [one.get(key) for key in schema.keys] == keys)
    return next(found, NOTHING)


def below(path: str, key: str, schema: Schema) -> str:
    """Path of an entry: fields by name, keys of maps in brackets."""
    if key not in schema.properties and schema.additional is not None:
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _check_object(value: Mapping[str, Any], schema: Schema, path: str, old: Any) -> Iterator[Cause]:
    for name in schema.keywords.get("required", ()):
        if name not in value:
            yield required(f"{path}.{name}" if path else name)
    for key, entry in value.items():
        inner = schema.child(key)
        if inner is not None:
            yield from check(entry, inner, f"{path}.{key}" if path else key, old_entry(key, old))


def _check_combined(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    for keyword, options in schema.combined.items():
        faults = [list(check(value, option, path)) for option in options]
        fitting = sum(not found for found in faults)
        nearest = min(faults, key=len) if not fitting else []
        if keyword == "anyOf" and not fitting:
            yield from (_combined(path, "must validate at least one schema (anyOf)"), *nearest)
        elif keyword == "oneOf" and fitting != 1:
            what = f"Found {fitting} valid alternatives" if fitting else "Found none valid"
            yield from (_combined(path, f"must validate one and only one schema (oneOf). {what}"), *nearest)
        elif keyword == "allOf" and fitting < len(options):
            none = "" if fitting else ". None validated"
            yield from (fault for found in faults for fault in found)
            yield _combined(path, f"must validate all the schemas (allOf){none}")
        elif keyword == "not" and fitting:
            yield _combined(path, "must not validate the schema (not)")


def _combined(path: str, what: str) -> Cause:
    return invalid_value("<nil>", "", f'"{path}" {what}')


def _duplicates(items: list[Any], schema: Schema, path: str) -> Iterator[Cause]:
    if schema.list_type not in (LIST_MAP, LIST_SET):
        return
    seen: dict[str, int] = {}
    for place, item in enumerate(items):
        key = item
        if schema.list_type == LIST_MAP:
            key = {name: item[name] for name in schema.keys if name in item} if isinstance(item, Mapping) else {}
        text = shown(key)
        seen[text] = seen.get(text, 0) + 1
        if seen[text] == 2:  # a third one is not told again
            yield duplicate(f"{path}[{place}]", key)
