"""Decoding bodies into built-in kinds, as Go's decoder does it on a real API server: by type, and in its words.

Nulls are absent, unknown fields are set aside, quantities take their canonical form, and the first value of a wrong
type ends it all.
"""

import re
from typing import Any, Final

from pointsman.kube.quantity import QuantityError
from pointsman.sandbox.schema.quantities import canonical
from pointsman.sandbox.schema.schema import Schema

_JSON_NAMES: Final = {str: "string", bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
# Python's types for a schema's type, Go's name, and whether true and false (which Python takes for integers) fit.
_GO_TYPES: Final[dict[str, tuple[tuple[type, ...], str, bool]]] = {
    "string": ((str,), "string", False),
    "boolean": ((bool,), "bool", True),
    "integer": ((int,), "int64", False),
    "intOrString": ((int, str), "int32", False),
}
_INDEX: Final = re.compile(r"\[\d+\]")
_NO_QUANTITY: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_QUANTITY: Final = "api.resource.Quantity"


class DecodingError(ValueError):
    """A value of another type than its field has; the message is the API server's."""


def decode(value: Any, schema: Schema, unknown: list[str]) -> Any:
    """The value as its kind has it; paths of unknown fields are added to `unknown`. Raises DecodingError."""
    return _decode(value, schema, schema, "", unknown)


def _decode(value: Any, schema: Schema, struct: Schema, path: str, unknown: list[str]) -> Any:
    if schema.type == "object":
        return _object(value, schema, struct, path, unknown)
    if schema.type == "array":
        return _list(value, schema, struct, path, unknown)
    if schema.keywords.get("title") == _QUANTITY:
        return _quantity(value)
    wanted = _GO_TYPES.get("intOrString" if schema.int_or_string else schema.type)
    if wanted is not None and (not isinstance(value, wanted[0]) or (value is True or value is False) is not wanted[2]):
        raise _wrong(value, schema, struct, path)
    return value


def _object(value: Any, schema: Schema, struct: Schema, path: str, unknown: list[str]) -> Any:
    if not isinstance(value, dict):
        raise _wrong(value, schema, struct, path)
    if schema.properties:
        return _struct(value, schema, path, unknown)
    return value if schema.additional is None else _map(value, schema.additional, struct, path, unknown)


def _list(value: Any, schema: Schema, struct: Schema, path: str, unknown: list[str]) -> Any:
    if not isinstance(value, list):
        raise _wrong(value, schema, struct, path)
    items = schema.items
    if items is None:
        return value
    return [_decode(item, items, struct, f"{path}[{place}]", unknown) for place, item in enumerate(value)]


def _quantity(value: Any) -> str:
    try:
        return canonical(value)
    except QuantityError:
        raise DecodingError(_NO_QUANTITY) from None


def _struct(value: dict[str, Any], schema: Schema, path: str, unknown: list[str]) -> dict[str, Any]:
    decoded = {}
    properties = schema.properties
    for key, entry in value.items():
        inner, name = properties.get(key), f"{path}.{key}" if path else key
        if inner is None:
            unknown.append(name)
        elif entry is not None:
            decoded[key] = _decode(entry, inner, schema, name, unknown)
    return decoded


def _map(value: dict[str, Any], inner: Schema, struct: Schema, path: str, unknown: list[str]) -> dict[str, Any]:
    entries = ((key, entry) for key, entry in value.items() if entry is not None)
    return {key: _decode(entry, inner, struct, path, unknown) for key, entry in entries}


def _wrong(value: Any, schema: Schema, struct: Schema, path: str) -> DecodingError:
    given = _JSON_NAMES[type(value)] if value is not None else "null"
    if isinstance(value, float):
        given = f"number {value}"
    field = f"{_name(struct).rpartition('.')[2]}.{_INDEX.sub('', path)}"
    return DecodingError(f"json: cannot unmarshal {given} into Go struct field {field} of type {_go_type(schema)}")


def _go_type(schema: Schema) -> str:
    if schema.type == "array":
        return "[]" + (_go_type(schema.items) if schema.items else "interface {}")
    if schema.type == "integer":
        return str(schema.keywords.get("format", "int64"))
    known = _GO_TYPES.get("intOrString" if schema.int_or_string else schema.type)
    if known is not None:
        return known[1]
    return "map[string]" + _go_type(schema.additional) if schema.additional is not None else _name(schema)


def _name(schema: Schema) -> str:
    """`core.v1.PodSpec` as Go has it: `v1.PodSpec`."""
    return str(schema.keywords.get("title", "")).partition(".")[2]
