"""Filling in defaults without changing what was given."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pointsman.sandbox.store.kinds import Object


def fill(obj: Object, defaults: Mapping[str, Any]) -> Object:
    """The object with those entries that it has not; the object itself when it has all of them."""
    missing = {key: value for key, value in defaults.items() if obj.get(key) is None}
    return {**obj, **missing} if missing else obj


def within(obj: Object, key: str, change: Callable[[Any], Any]) -> Object:
    """The object with one entry changed, if it has that entry."""
    value = obj.get(key)
    if value is None:
        return obj
    changed = change(value)
    return obj if changed is value else {**obj, key: changed}


def each(items: Iterable[Any], change: Callable[[Any], Any]) -> Any:
    """The items, changed one by one; the same list when none was."""
    items = items if isinstance(items, list) else list(items)
    changed = [change(item) for item in items]
    return items if all(new is old for new, old in zip(changed, items, strict=True)) else changed
