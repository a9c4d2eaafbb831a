"""Label and field selectors as they stand in a URL, compiled to functions on objects."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pointsman.sandbox.store.errors import bad_request
from pointsman.sandbox.store.kinds import Kind, Object

Matcher = Callable[[Object], bool]

_REQUIREMENT: Final = re.compile(
    r"\s*(?:(?P<absent>!)\s*(?P<gone>[^\s,=!()]+)"
    r"|(?P<key>[^\s,=!()<>]+)\s*(?:(?P<operator>==|=|!=)\s*(?P<value>[^\s,()]*)"
    r"|(?:\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\)))?)\s*(?:,|$)"
)
_COMMON: Final = {"metadata.name": ("metadata", "name"), "metadata.namespace": ("metadata", "namespace")}


def compile_selectors(kind: Kind, labels: str, fields: str) -> Matcher | None:
    """One matcher for both; None when everything matches. Raises Refused (400) for what cannot be read."""
    matchers = [*_label_matchers(labels), *_field_matchers(kind, fields)]
    if not matchers:
        return None
    if len(matchers) == 1:
        return matchers[0]
    return lambda obj: all(matches(obj) for matches in matchers)


def _label_matchers(text: str) -> list[Matcher]:
    matchers, position = [], 0
    while position < len(text):
        found = _REQUIREMENT.match(text, position)
        if found is None or found.end() == position:
            raise bad_request(f'unable to parse requirement: found "{text[position:]}"')
        matchers.append(_label_matcher(found))
        position = found.end()
    return matchers


def _label_matcher(found: re.Match[str]) -> Matcher:
    if found["absent"]:
        gone = found["gone"]
        return lambda obj: gone not in _labels(obj)
    key, operator = found["key"], found["operator"] or found["set"]
    if operator is None:
        return lambda obj: key in _labels(obj)
    values = {found["value"]} if found["operator"] else {value.strip() for value in found["values"].split(",")}
    if operator in ("=", "==", "in"):
        return lambda obj: _labels(obj).get(key) in values
    return lambda obj: _labels(obj).get(key) not in values


def _labels(obj: Object) -> Mapping[str, str]:
    labels: Mapping[str, str] = obj["metadata"].get("labels") or {}
    return labels


def _field_matchers(kind: Kind, text: str) -> list[Matcher]:
    return [_field_matcher(kind, part) for part in text.split(",") if part]


def _field_matcher(kind: Kind, part: str) -> Matcher:
    label, operator, value = part.partition("!=")
    if not operator:
        label, operator, value = part.partition("==")
    if not operator:
        label, operator, value = part.partition("=")
    if not operator:
        raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    path = _COMMON.get(label) or kind.selectable.get(label)
    if path is None:
        raise bad_request(f"field label not supported: {label}")
    wanted = operator != "!="
    return lambda obj: (_field(obj, path) == value) is wanted


def _field(obj: Object, path: tuple[str, ...]) -> str:
    value: Any = obj
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
