"""What was wrong with a field, in words for the person who wrote it: the path, the value, what is allowed.

Pydantic's errors name Python types and tuples of keys; users know neither. This module turns them into the form that
every message of the project has: `spec.priorities[NodeResourcesFit].args.scoringStrategy.type: "MostAlocated" is not
one of LeastAllocated, MostAllocated, RequestedToCapacityRatio`. Values are quoted as JSON and cut, because messages
end in conditions, events and terminals.
"""

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pointsman.api.fields import PATTERN_WORDS

Location = tuple[int | str, ...]

_MAX_VALUE: Final = 64
_MAX_WORDS: Final = 256
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][-A-Za-z0-9_]*")
_KEYED_LISTS: Final[frozenset[Location]] = frozenset(
    {("predicates",), ("priorities",)}
)  # lists that are maps by `name`


def quote(value: object) -> str:
    """A value as JSON on one line, cut to a readable length; never anything that a terminal would obey."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not text.isprintable():
        text = json.dumps(value, default=str)
    return text if len(text) <= _MAX_VALUE else text[:_MAX_VALUE] + "…"


def entry_path(list_path: str, name: str) -> str:
    """Path of an entry of a list that is a map by name: `spec.priorities[cheap]`."""
    plain = name == "*" or (len(name) <= _MAX_VALUE and _PLAIN_KEY.fullmatch(name))
    return f"{list_path}[{name if plain else quote(name)}]"


def describe(error: ValidationError, model: type[BaseModel], data: Any, root: str) -> tuple[tuple[str, str], ...]:
    """(path, message) of each of a model's complaints about `data`; `root` is the path of `data` itself."""
    schema = model.model_json_schema(by_alias=True)
    return tuple(_describe_one(details, schema, data, root) for details in error.errors(include_url=False))


def unknown_field(name: str, known: Sequence[str]) -> str:
    """What to say of a field that is none of the known ones."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    if close:
        return f"unknown field, did you mean {by_lower[close[0]]}?"
    return f"unknown field; known are {', '.join(known)}" if known else "unknown field: none is known here"


def _describe_one(details: ErrorDetails, schema: dict[str, Any], data: Any, root: str) -> tuple[str, str]:
    location, kind = details["loc"], details["type"]
    if location and location[-1] == "[key]":
        location = location[:-2]
    if kind == "extra_forbidden":
        message = unknown_field(str(location[-1]), _fields_at(schema, schema, location[:-1]))
    elif kind in _WORDS:
        message = _WORDS[kind](details)
    else:
        message = _plain(details["msg"])
    return _path(root, location, data), message


def _path(root: str, location: Location, data: Any) -> str:
    path, value = root, data
    for depth, part in enumerate(location):
        value = _child(value, part)
        if isinstance(part, str) and _PLAIN_KEY.fullmatch(part):
            path += f".{part}"
        elif location[:depth] in _KEYED_LISTS and isinstance(value, Mapping) and isinstance(value.get("name"), str):
            path = entry_path(path, value["name"])
        else:
            path += f"[{part if isinstance(part, int) else quote(part)}]"
    return path


def _child(value: Any, part: int | str) -> Any:
    if isinstance(part, int):
        return value[part] if isinstance(value, Sequence) and part < len(value) else None
    return value.get(part) if isinstance(value, Mapping) else None


def _fields_at(root: dict[str, Any], schema: dict[str, Any], location: Location) -> list[str]:
    """Names of the fields that the object at `location` may have, from a model's JSON schema."""
    schema = _resolve(root, schema)
    if not location:
        return list(schema.get("properties", {}))
    part, rest = location[0], location[1:]
    below = schema.get("items", {}) if isinstance(part, int) else schema.get("properties", {}).get(part, {})
    return _fields_at(root, below, rest)


def _resolve(root: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    for option in schema.get("anyOf", ()):
        if option.get("type") != "null":
            return _resolve(root, option)
    if "$ref" in schema:
        found: dict[str, Any] = root["$defs"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def _is_not(what: str) -> Callable[[ErrorDetails], str]:
    return lambda details: f"{quote(details['input'])} is not {what}"


def _compared(words: str, key: str) -> Callable[[ErrorDetails], str]:
    return lambda details: f"{quote(details['input'])} must be {words} {details['ctx'][key]}"


def _not_one_of(details: ErrorDetails) -> str:
    allowed = re.findall(r"'([^']*)'", details["ctx"]["expected"])
    return f"{quote(details['input'])} is not one of {', '.join(allowed)}"


def _pattern(details: ErrorDetails) -> str:
    pattern = details["ctx"]["pattern"]
    words = PATTERN_WORDS.get(pattern)
    return f"{quote(details['input'])} is not {words}" if words else f"{quote(details['input'])} must match {pattern}"


def _too_long(details: ErrorDetails) -> str:
    return f"must not have more than {details['ctx']['max_length']} entries"


def _too_short(details: ErrorDetails) -> str:
    least = details["ctx"]["min_length"]
    return "must not be empty" if least == 1 else f"must have at least {least} entries"


def _string_too_long(details: ErrorDetails) -> str:
    return f"{quote(details['input'])} must not be longer than {details['ctx']['max_length']} characters"


def _own_words(details: ErrorDetails) -> str:
    return _plain(str(details["ctx"]["error"]))


def _plain(text: str) -> str:
    """Somebody else's words, which may hold a value as it was written."""
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return shown if len(shown) <= _MAX_WORDS else shown[:_MAX_WORDS] + "…"


_INTEGER: Final = _is_not("an integer")
_OBJECT: Final = _is_not("an object")
_WORDS: Final[dict[str, Callable[[ErrorDetails], str]]] = {
    "missing": lambda _: "must be set",
    "string_type": _is_not("a string"),
    "bool_type": _is_not("true or false"),
    "int_type": _INTEGER,
    "int_from_float": _INTEGER,
    "tuple_type": _is_not("a list"),
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "enum": _not_one_of,
    "literal_error": _not_one_of,
    "greater_than_equal": _compared("at least", "ge"),
    "less_than_equal": _compared("at most", "le"),
    "string_pattern_mismatch": _pattern,
    "string_too_short": lambda _: "must not be empty",
    "string_too_long": _string_too_long,
    "too_long": _too_long,
    "too_short": _too_short,
    "value_error": _own_words,
}
