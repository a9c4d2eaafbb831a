"""Patterns for objects: the expected object, with markers where data stands.

All else must be equal in value and in type, and nothing may be there that the pattern does not name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class Marker(StrEnum):
    """Data from a profile: any value of that shape."""

    TEXT = "a string"
    TEXTS = "a map of strings"
    TOLERATIONS = "a list of tolerations"
    RESOURCES = "requests and limits"


@dataclass(frozen=True, slots=True)
class Maybe:
    """A field that may be absent."""

    pattern: Any


_TOLERATION_FIELDS: Final = frozenset({"key", "operator", "value", "effect", "tolerationSeconds"})
_RESOURCE_FIELDS: Final = frozenset({"requests", "limits"})


def differences(pattern: Any, value: Any, path: str) -> Iterator[str]:
    """Yield each place where a value is not what the pattern says, by its path."""
    match pattern:
        case Maybe():
            yield from differences(pattern.pattern, value, path)
        case Marker():
            if not _has_shape(pattern, value):
                yield f"{path} is not {pattern}"
        case dict() if isinstance(value, dict):
            yield from _in_map(pattern, value, path)
        case list() if isinstance(value, list) and len(pattern) == len(value):
            for index, (expected, item) in enumerate(zip(pattern, value, strict=True)):
                yield from differences(expected, item, f"{path}[{index}]")
        case _ if type(pattern) is not type(value) or pattern != value:
            yield f"{path} is not {pattern!r}"


def _in_map(pattern: dict[str, Any], value: dict[str, Any], path: str) -> Iterator[str]:
    for key in value.keys() - pattern.keys():
        yield f"{path}.{key} is not expected"
    for key, expected in pattern.items():
        if key in value:
            yield from differences(expected, value[key], f"{path}.{key}")
        elif not isinstance(expected, Maybe):
            yield f"{path}.{key} is missing"


def _has_shape(marker: Marker, value: Any) -> bool:
    match marker:
        case Marker.TEXT:
            return isinstance(value, str)
        case Marker.TEXTS:
            return isinstance(value, dict) and all(isinstance(item, str) for pair in value.items() for item in pair)
        case Marker.TOLERATIONS:
            return isinstance(value, list) and all(
                isinstance(item, dict) and item.keys() <= _TOLERATION_FIELDS and all(map(_is_scalar, item.values()))
                for item in value
            )
        case Marker.RESOURCES:
            return (
                isinstance(value, dict)
                and value.keys() <= _RESOURCE_FIELDS
                and all(_has_shape(Marker.TEXTS, part) for part in value.values())
            )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int)
