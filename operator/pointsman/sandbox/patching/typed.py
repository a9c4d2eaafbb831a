"""Whether an applied configuration fits its schema: typed/validate.go of structured-merge-diff 6.3, in its words."""

from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.fields import Path, element, is_granular_list, written
from pointsman.sandbox.patching.gotext import plain, type_name, unstructured
from pointsman.sandbox.schema.schema import UNTYPED, Schema


def check_typed(applied: Mapping[str, Any], schema: Schema) -> None:
    """Raises PatchError (500, as the API server does) for fields that the schema has not and items without a key."""
    faults = list(_faults(applied, schema, ()))
    if not faults:
        return
    metadata = applied.get("metadata") or {}
    name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    what = f"failed to create typed patch object ({name}; {applied.get('apiVersion')}, Kind={applied.get('kind')}): "
    said = faults[0] if len(faults) == 1 else "errors:\n" + "\n".join(f"  {fault}" for fault in faults)
    raise PatchError(what + said, 500, "")


def _faults(value: Any, schema: Schema, path: Path) -> Iterator[str]:
    if wrong := _mismatch(value, schema):
        yield f"{written(path)}: {wrong}"
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            inner = schema.child(key)
            if inner is not None:
                yield from _faults(entry, inner, (*path, "f:" + key))
            elif schema.type == "object":
                yield f"{written((*path, 'f:' + key))}: field not declared in schema"
                return  # the real one stops looking into this map as well
    elif is_granular_list(value, schema):
        yield from _list_faults(value, schema, path)


def _mismatch(value: Any, schema: Schema) -> str:
    """What is wrong with the type of a value; empty when it is right. Null is of every type."""
    if value is None:
        return ""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if schema.type in ("integer", "number") and not numeric:
        return f"expected numeric (int or float), got {type_name(value)}"
    if schema.type == "string" and not isinstance(value, str):
        return f"expected string, got {unstructured(value)}"
    for wanted, right, shown in (("boolean", bool, "boolean"), ("array", list, "list"), ("object", Mapping, "map")):
        if schema.type == wanted and not isinstance(value, right):
            return f"expected {shown}, got &{{{plain(value)}}}"
    return ""


def _list_faults(items: list[Any], schema: Schema, path: Path) -> Iterator[str]:
    seen = set()
    for place, item in enumerate(items):
        try:
            part = element(item, schema)
        except PatchError as error:
            yield f"{written(path)}: element {place}: {error.message}"
            continue
        if part in seen:
            yield f"{written(path)}: duplicate entries for key {written((part,))}"
            continue
        seen.add(part)
        yield from _faults(item, schema.items or UNTYPED, (*path, part))
