"""Strategic merge patch: kubectl's way to change built-in kinds, with lists merged by key and directives in the patch.

Behaviour: apimachinery 1.36, pkg/util/strategicpatch/patch.go. Which lists merge, and by which key, is in the schema.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.fields import child_schema, compact
from pointsman.sandbox.patching.gotext import plain
from pointsman.sandbox.schema.schema import UNTYPED, Schema

_DIRECTIVE: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_ORDER: Final = "$setElementOrder/"
_DELETE_PRIMITIVES: Final = "$deleteFromPrimitiveList/"


def strategic_merge_patch(target: Mapping[str, Any], patch: Any, schema: Schema) -> dict[str, Any]:
    """The patched object, `target` untouched. Raises PatchError (400) for a patch that does not fit the schema."""
    if not isinstance(patch, Mapping):
        raise PatchError("json: cannot unmarshal array into Go value of type map[string]interface {}")
    return _merge_map(target, patch, schema)


def _merge_map(original: Mapping[str, Any], patch: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    directive = patch.get(_DIRECTIVE)
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise PatchError(f"Unknown patch type: {directive}")
    merged = _retained(original, patch)
    for key, value in patch.items():
        if key.startswith(_DELETE_PRIMITIVES):
            field = key.removeprefix(_DELETE_PRIMITIVES)
            if field in merged:
                merged[field] = [item for item in merged[field] if item not in value]
        elif not key.startswith("$"):
            _merge_field(merged, key, value, child_schema(schema, key))
    for key, order in patch.items():
        field = key.removeprefix(_ORDER)
        if field != key and isinstance(merged.get(field), list):
            merged[field] = _ordered(merged[field], order, original.get(field) or [], child_schema(schema, field))
    return merged


def _retained(original: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    keys = patch.get(_RETAIN)
    if keys is None:
        return dict(original)
    for key, value in patch.items():
        if key not in keys and not key.startswith("$") and value is not None:
            raise PatchError(f"{_RETAIN} list doesn't contain a key that is in the patch: {key}")
    return {key: value for key, value in original.items() if key in keys}


def _merge_field(merged: dict[str, Any], key: str, value: Any, schema: Schema) -> None:
    if value is None:
        merged.pop(key, None)
        return
    current = merged.get(key)
    if isinstance(value, Mapping):
        if isinstance(current, Mapping) and "replace" not in schema.strategies:
            merged[key] = _merge_map(current, value, schema)
        else:
            merged[key] = _merge_map({}, value, schema)
    elif isinstance(value, list) and "merge" in schema.strategies:
        merged[key] = _merge_list(current if isinstance(current, list) else [], value, schema)
    else:
        merged[key] = value


def _merge_list(original: list[Any], patch: list[Any], schema: Schema) -> list[Any]:
    if not schema.merge_key:
        return _ordered(list(dict.fromkeys((*original, *patch))), patch, original, schema)
    items = schema.items or UNTYPED
    if any(isinstance(item, Mapping) and item.get(_DIRECTIVE) == "replace" for item in patch):
        return [item for item in patch if item.get(_DIRECTIVE) != "replace"]
    merged = list(original)
    for item in patch:
        key = _key(item, schema)
        place = next((place for place, other in enumerate(merged) if _key(other, schema) == key), None)
        if item.get(_DIRECTIVE) == "delete":
            merged = [other for other in merged if _key(other, schema) != key]
        elif place is None:
            merged.append(_merge_map({}, item, items))
        else:
            merged[place] = _merge_map(merged[place], item, items)
    changed = [item for item in patch if item.get(_DIRECTIVE) != "delete"]
    return _ordered(merged, changed, original, schema)


def _key(item: Any, schema: Schema) -> Any:
    if not schema.merge_key:
        return item
    if not isinstance(item, Mapping) or schema.merge_key not in item:
        raise PatchError(f"map: {plain(item)} does not contain declared merge key: {schema.merge_key}", 500, "")
    return item[schema.merge_key]


def _ordered(merged: Sequence[Any], order: Sequence[Any], original: Sequence[Any], schema: Schema) -> list[Any]:
    """Items that the patch orders in that order; the server's own stay before those that they stood before."""
    wanted = [_key(item, schema) for item in order]
    stood = {_hashable(_key(item, schema)): place for place, item in enumerate(original)}
    listed = sorted(
        (item for item in merged if _key(item, schema) in wanted), key=lambda item: wanted.index(_key(item, schema))
    )
    own = [item for item in merged if _key(item, schema) not in wanted]
    result: list[Any] = []
    for item in listed:
        place = stood.get(_hashable(_key(item, schema)))
        while own and place is not None and (mine := stood.get(_hashable(_key(own[0], schema)))) is not None:
            if mine > place:
                break
            result.append(own.pop(0))
        result.append(item)
    return [*result, *own]


def _hashable(key: Any) -> str:
    return compact(key)
