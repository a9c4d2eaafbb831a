"""What differs between two versions of an object, as sets of paths."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pointsman.sandbox.patching.fields import (
    Fields,
    Path,
    child_schema,
    element,
    is_granular_list,
    is_granular_map,
)
from pointsman.sandbox.schema.schema import UNTYPED, Schema


class _Absent:
    """No value, which is not null."""


_ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Members of the new version that are new or have another value, and members of the old one that are gone."""

    added: Fields
    modified: Fields
    removed: Fields

    @property
    def changed(self) -> Fields:
        return self.added | self.modified

    def without(self, ignored: tuple[str, ...]) -> "Comparison":
        """Without the paths below these top-level fields."""
        parts = {f"f:{name}" for name in ignored}
        sets = (self.added, self.modified, self.removed)
        return Comparison(*(frozenset(path for path in paths if path[0] not in parts) for paths in sets))


@dataclass(slots=True)
class _Found:
    added: set[Path] = field(default_factory=set)
    modified: set[Path] = field(default_factory=set)
    removed: set[Path] = field(default_factory=set)


def compare(old: Any, new: Any, schema: Schema) -> Comparison:
    """Compare two versions; parts that are shared cost nothing. Raises PatchError for list items without keys."""
    found = _Found()
    _compare(old, new, schema, (), found)
    return Comparison(frozenset(found.added), frozenset(found.modified), frozenset(found.removed))


def _compare(old: Any, new: Any, schema: Schema, path: Path, found: _Found) -> None:
    if old is new:
        return
    if _both(old, new, schema, is_granular_map):
        _compare_maps(old, new, schema, path, found)
    elif _both(old, new, schema, is_granular_list):
        _compare_lists(old, new, schema, path, found)
    elif isinstance(old, _Absent) or isinstance(new, _Absent) or old != new:
        _tell(old, new, path, found, changed=True)
        return
    _tell(old, new, path, found, changed=False)


def _tell(old: Any, new: Any, path: Path, found: _Found, *, changed: bool) -> None:
    if not path:
        return
    if isinstance(old, _Absent):
        found.added.add(path)
    elif isinstance(new, _Absent):
        found.removed.add(path)
    elif changed:
        found.modified.add(path)


def _both(old: Any, new: Any, schema: Schema, is_granular: Callable[[Any, Schema], bool]) -> bool:
    """Whether to compare part by part. Two empty ones are leaves, to keep null, empty and absent apart."""
    sides = (old, new)
    if not all(side is None or isinstance(side, _Absent) or is_granular(side, schema) for side in sides):
        return False
    return any(side for side in sides if not isinstance(side, _Absent))


def _compare_maps(old: Any, new: Any, schema: Schema, path: Path, found: _Found) -> None:
    before, after = _filled(old, {}), _filled(new, {})
    for key in before.keys() | after.keys():
        inner = child_schema(schema, key)
        _compare(before.get(key, _ABSENT), after.get(key, _ABSENT), inner, (*path, "f:" + key), found)


def _compare_lists(old: Any, new: Any, schema: Schema, path: Path, found: _Found) -> None:
    before = {element(item, schema): item for item in _filled(old, [])}
    after = {element(item, schema): item for item in _filled(new, [])}
    items = schema.items or UNTYPED
    for part in before.keys() | after.keys():
        _compare(before.get(part, _ABSENT), after.get(part, _ABSENT), items, (*path, part), found)


def _filled(value: Any, empty: Any) -> Any:
    return empty if value is None or isinstance(value, _Absent) else value
