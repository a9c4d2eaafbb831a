"""Sets of field paths: what a manager owns. Written as `fieldsV1`, computed with as frozensets.

A path is a tuple of elements in the wire's own spelling: `f:name` for a field or map key, `k:{"name":"a"}` for an item
of a list map, `v:"a"` for one of a list set. Which paths stand for a value, which for its parts, follows
structured-merge-diff 6.3 (typed/tofieldset.go, typed/compare.go): leaves, map keys and list items are members; the
fields that lead to them are not.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.schema.schema import LIST_ATOMIC, LIST_MAP, MISSING, UNTYPED, Schema

Path = tuple[str, ...]
Fields = frozenset[Path]
Tree = dict[str, Any]  # fieldsV1: element -> tree; "." says that the path itself is a member

NOTHING: Final[Fields] = frozenset()


def compact(value: Any) -> str:
    """JSON as Go writes it into path elements."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)


def child_schema(schema: Schema, name: str) -> Schema:
    """Type of a map's entry; what nothing is known of is untyped."""
    return schema.child(name) or UNTYPED


def is_granular_map(value: Any, schema: Schema) -> bool:
    """Whether its fields are owned one by one."""
    return isinstance(value, dict) and not schema.atomic_map


def is_granular_list(value: Any, schema: Schema) -> bool:
    """Whether its items are owned one by one."""
    return isinstance(value, list) and schema.type == "array" and schema.list_type != LIST_ATOMIC


def element(item: Any, schema: Schema) -> str:
    """Path element of a list's item. Raises PatchError when none of its keys is there or has a default."""
    if schema.list_type != LIST_MAP:
        return "v:" + compact(item)
    if not isinstance(item, dict):
        raise PatchError("associative list with keys may not have non-map elements")
    values = ((key, _default(schema, key) if item.get(key) is None else item[key]) for key in schema.keys)
    keys = {key: value for key, value in values if value is not None}
    if not keys:
        names = " ".join(map(compact, schema.keys))
        raise PatchError(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return "k:" + compact(keys)


def _default(schema: Schema, key: str) -> Any:
    known = schema.items.properties.get(key) if schema.items else None
    return None if known is None or known.default is MISSING else known.default


def fields_of(value: Any, schema: Schema) -> Fields:
    """The fields that a configuration with this value applies. Raises PatchError."""
    found: set[Path] = set()
    _collect(value, schema, (), found)
    return frozenset(found)


def _collect(value: Any, schema: Schema, path: Path, found: set[Path]) -> None:
    if is_granular_map(value, schema):
        for key, entry in value.items():
            inner = (*path, "f:" + key)
            _collect(entry, child_schema(schema, key), inner, found)
            if entry is None or entry == {} or key not in schema.properties:
                found.add(inner)
    elif is_granular_list(value, schema):
        items = schema.items or UNTYPED
        for item in value:
            inner = (*path, element(item, schema))
            _collect(item, items, inner, found)
            found.add(inner)
    elif path:
        found.add(path)


def with_named_fields(fields: Fields, schema: Schema) -> Fields:
    """Also the struct fields that lead to members: they may go when all below them goes."""
    found = set(fields)
    for path in fields:
        node: Schema = schema
        for depth, part in enumerate(path[:-1], start=1):
            if part.startswith("f:"):
                name = part[2:]
                if name in node.properties:
                    found.add(path[:depth])
                node = child_schema(node, name)
            else:
                node = node.items or UNTYPED
    return frozenset(found)


def tree_of(fields: Iterable[Path]) -> Tree:
    """As `fieldsV1`, keys sorted."""
    root: Tree = {}
    for path in sorted(fields):
        node = root
        for part in path:
            node = node.setdefault(part, {})
        node["."] = {}
    return _tidied(root)


def _tidied(node: Tree) -> Tree:
    """A member without parts is `{}`; one with parts says so by `.`."""
    if node.keys() == {"."}:
        return {}
    return {part: {} if part == "." else _tidied(inner) for part, inner in sorted(node.items())}


def fields_in(tree: Mapping[str, Any]) -> Fields:
    """Read `fieldsV1`."""
    return frozenset(_members(tree, ()))


def _members(tree: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for part, inner in tree.items():
        if part == ".":
            yield path
        elif inner:
            yield from _members(inner, (*path, part))
        else:
            yield (*path, part)


def iteration_order(path: Path) -> tuple[tuple[int, str], ...]:
    """Sort key of the order in which conflicts are told: at each level, members before what has parts."""
    return (*((1, part) for part in path[:-1]), (0, path[-1]))


def written(path: Path) -> str:
    """As messages show it: `.spec.containers[name="a"].image`."""
    return "".join(map(_written, path))


def _written(part: str) -> str:
    kind, text = part[0], part[2:]
    if kind == "f":
        return f".{text}"
    if kind == "k":
        pairs = json.loads(text)
        return "[" + ",".join(f"{key}={compact(value)}" for key, value in sorted(pairs.items())) + "]"
    return f"[={text}]" if kind == "v" else f"[{text}]"
