"""`fieldValidation`: what happens to fields that a kind does not have, and to keys that stand twice in a body."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from pointsman.sandbox.schema.decoding import DecodingError, decode
from pointsman.sandbox.schema.defaulting import without_nulls
from pointsman.sandbox.schema.schema import Schema
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.kinds import Kind, Object


class FieldValidation(StrEnum):
    """As the query parameter."""

    IGNORE = "Ignore"
    WARN = "Warn"
    STRICT = "Strict"


def checked(
    kind: Kind, obj: Any, validation: FieldValidation, duplicates: tuple[str, ...] = ()
) -> tuple[Object, tuple[str, ...]]:
    """The object without unknown fields, and warnings about them. Raises Refused (400) in mode Strict."""
    if not isinstance(obj, Mapping):
        raise bad_request("the object provided is unrecognized (must be of type Object)")
    unknown: list[str] = []
    known = _decoded(kind, obj, unknown)
    said = (*duplicates, *(f'unknown field "{path}"' for path in (sorted(unknown) if kind.custom else unknown)))
    if not said or validation is FieldValidation.IGNORE:
        return known, ()
    if validation is FieldValidation.STRICT:
        raise strict_error(kind, said)
    return known, said


def strict_error(kind: Kind, said: tuple[str, ...]) -> Refused:
    """400 of mode Strict."""
    return _not_handled(kind, "strict decoding error: " + ", ".join(said))


def _not_handled(kind: Kind, why: str) -> Refused:
    return bad_request(f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {why}')


def _decoded(kind: Kind, obj: Mapping[str, Any], unknown: list[str]) -> Object:
    if kind.custom:
        pruned: Object = without_nulls(_known(obj, kind.schema, "", unknown), kind.schema)
        return pruned
    try:
        decoded: Object = decode(obj, kind.schema, unknown)
    except DecodingError as error:
        raise _not_handled(kind, str(error)) from None
    return decoded


def _known(value: Any, schema: Schema, path: str, unknown: list[str]) -> Any:
    """The value without what its schema does not name. Untouched parts are shared."""
    closed = schema.type == "object" and not schema.preserves_unknown
    if isinstance(value, Mapping) and (closed or schema.properties or schema.additional):
        entries = list(_entries(value, schema, path, unknown))
        same = len(entries) == len(value) and all(value[key] is entry for key, entry in entries)
        return value if same else dict(entries)
    if isinstance(value, list) and schema.items is not None:
        items = [_known(item, schema.items, f"{path}[{place}]", unknown) for place, item in enumerate(value)]
        return value if all(map(_is, items, value)) else items
    return value


def _entries(value: Mapping[str, Any], schema: Schema, path: str, unknown: list[str]) -> Iterator[tuple[str, Any]]:
    for key, entry in value.items():
        inner, name = schema.child(key), f"{path}.{key}" if path else key
        if inner is not None:
            yield key, _known(entry, inner, name, unknown)
        else:
            unknown.append(name)


def _is(one: Any, other: Any) -> bool:
    return one is other
