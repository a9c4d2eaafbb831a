"""The JSON paths of printer columns and subresources: fields, indexes, and filters that compare one field."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

_STEP: Final = re.compile(
    r"\.(?P<field>(?:\\.|[^.\[\\])+)"
    r"|\[(?P<quote>['\"])(?P<quoted>(?:(?!(?P=quote)).)*)(?P=quote)\]"
    r"|\[\?\(@\.(?P<name>[\w./-]+)\s*(?P<equal>==|!=)\s*(?P<mark>['\"])(?P<value>[^'\"]*)(?P=mark)\s*\)\]"
    r"|\[(?P<index>-?\d+|\*)\]"
)


class JsonPathError(ValueError):
    """A path that cannot be read; the message repeats it."""


Step = tuple[str, str, str]  # kind, and one or two operands


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[Step, ...]:
    """Read a path. Raises JsonPathError."""
    found, position = [], 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise JsonPathError(f'"{path}" is not a simple JSON path: cannot read it from "{path[position:]}" on')
        found.append(_step(match))
        position = match.end()
    return tuple(found)


def values(obj: Any, path: str) -> list[Any]:
    """Everything that the path leads to."""
    current: Iterable[Any] = (obj,)
    for step in steps(path):
        current = [inner for value in current for inner in _inner(value, step)]
    return list(current)


def first(obj: Any, path: str) -> Any:
    """What the path leads to first; None when that is nothing."""
    return next(iter(values(obj, path)), None)


def keys(path: str) -> tuple[str, ...]:
    """A path of plain fields as their names."""
    return tuple(operand for _, operand, _ in steps(path))


def _step(match: re.Match[str]) -> Step:
    if match["field"] is not None:
        return "field", match["field"].replace("\\", ""), ""
    if match["quoted"] is not None:
        return "field", match["quoted"], ""
    if match["index"] is not None:
        return "index", match["index"], ""
    return match["equal"], match["name"], match["value"]


def _inner(value: Any, step: Step) -> Iterator[Any]:
    kind, operand, wanted = step
    if kind == "field":
        if isinstance(value, Mapping) and operand in value:
            yield value[operand]
    elif not isinstance(value, list):
        return
    elif kind == "index":
        yield from value if operand == "*" else value[int(operand) :][:1]
    else:
        for item in value:
            if isinstance(item, Mapping) and (str(item.get(operand)) == wanted) is (kind == "=="):
                yield item
