"""Validation of one value by the keywords of its schema, in kube-openapi's words (pkg/validation/errors/schema.go)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import invalid_value, not_supported, shown, too_long, too_many, wrong_type

Keywords = Mapping[str, Any]

_BOUNDS: Final = frozenset(("minimum", "maximum", "multipleOf"))
_FORMATS: Final = {"boolean": "", "integer": "int64", "number": "float64", "object": ""}  # of values, as Go has them
_TYPES: dict[type, str] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def json_type(value: Any) -> str:
    """Name of a value's JSON type, `null` included."""
    return "null" if value is None else _TYPES[type(value)]


def check_type(value: Any, keywords: Keywords, path: str) -> list[Cause]:
    """Whether the value has the type that its schema wants."""
    wanted = keywords.get("type", "")
    if keywords.get("x-kubernetes-int-or-string"):
        wanted = "integer,string"
    if not wanted or (value is None and keywords.get("nullable")):
        return []
    actual = json_type(value)
    if actual in wanted.split(",") or (actual == "integer" and wanted == "number"):
        return []
    if wanted == "integer" and actual == "number" and float(value).is_integer():
        return []
    name = f"{path} in body" if path else " in body"
    format_ = keywords.get("format", "")
    if format_ and actual in _FORMATS:
        wanted, actual = format_, _FORMATS[actual]
    found = [wrong_type(path, actual, f'{name} must be of type {wanted}: "{actual}"')]
    if isinstance(value, float) and not _BOUNDS.isdisjoint(keywords):
        what = f"Checked value must be of type integer {_with_format(format_)} in {path}"
        found.append(invalid_value("<nil>", "", what))
    return found


def check_keywords(value: Any, keywords: Keywords, path: str) -> Iterator[Cause]:
    """Faults of the value itself, not of its parts."""
    for check in _CHECKS.get(json_type(value), ()):
        yield from check(value, keywords, path)
    options = keywords.get("enum")
    if options is not None and value not in options:
        texts = [option if isinstance(option, str) else shown(option) for option in options]
        yield not_supported(path, value, texts)


def _string(value: str, keywords: Keywords, path: str) -> Iterator[Cause]:
    longest, shortest, pattern = (keywords.get(key) for key in ("maxLength", "minLength", "pattern"))
    if longest is not None and len(value) > longest:
        yield too_long(path, f"may not be more than {longest} bytes")
    elif shortest is not None and len(value) < shortest:
        yield invalid_value(path, value, f"{path} in body should be at least {shortest} chars long")
    elif pattern is not None and not _compiled(pattern).search(value):
        yield invalid_value(path, value, f"{path} in body should match '{pattern}'")


def _number(value: float, keywords: Keywords, path: str) -> Iterator[Cause]:
    most, least, step = (keywords.get(key) for key in ("maximum", "minimum", "multipleOf"))
    if most is not None:
        exclusive = bool(keywords.get("exclusiveMaximum"))
        if value > most or (exclusive and value == most):
            words = "less than" if exclusive else "less than or equal to"
            yield invalid_value(path, value, f"{path} in body should be {words} {_bound(most, value)}")
    if least is not None:
        exclusive = bool(keywords.get("exclusiveMinimum"))
        if value < least or (exclusive and value == least):
            words = "greater than" if exclusive else "greater than or equal to"
            yield invalid_value(path, value, f"{path} in body should be {words} {_bound(least, value)}")
    if step and (value / step) % 1:
        yield invalid_value(path, value, f"{path} in body should be a multiple of {_bound(step, value)}")


def _array(value: list[Any], keywords: Keywords, path: str) -> Iterator[Cause]:
    most, least = keywords.get("maxItems"), keywords.get("minItems")
    if least is not None and len(value) < least:
        yield invalid_value(path, len(value), f"{path} in body should have at least {least} items")
    if most is not None and len(value) > most:
        yield too_many(path, len(value), most)
    if keywords.get("uniqueItems") and len({shown(item) for item in value}) < len(value):
        yield invalid_value(path, value, f"{path} in body shouldn't contain duplicates")


def _object(value: dict[str, Any], keywords: Keywords, path: str) -> Iterator[Cause]:
    most, least = keywords.get("maxProperties"), keywords.get("minProperties")
    if least is not None and len(value) < least:
        yield invalid_value(path, len(value), f"{path} in body should have at least {least} properties")
    if most is not None and len(value) > most:
        yield too_many(path, len(value), most)


_CHECKS: dict[str, tuple[Callable[[Any, Keywords, str], Iterator[Cause]], ...]] = {
    "string": (_string,),
    "integer": (_number,),
    "number": (_number,),
    "array": (_array,),
    "object": (_object,),
}


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Go's `$` is the end of the text; Python's also stands before a last line break."""
    return re.compile(re.sub(r"(?<!\\)\$(?=$|\))", r"\\Z", pattern))


def _with_format(name: str) -> str:
    return f"with format {name}" if name else "(default format)"


def _bound(bound: float, value: float) -> str:
    """A bound as Go prints it beside such a value: an int64 for integers, else a float64 (exponents from a million)."""
    if isinstance(value, int):
        return str(int(bound))
    mantissa, exponent = f"{float(bound):.16e}".split("e")
    if -5 < int(exponent) < 6:
        return repr(float(bound)).removesuffix(".0")
    return f"{float(mantissa)!r}".removesuffix(".0") + f"e{exponent}"
