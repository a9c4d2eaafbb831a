"""The JSONPath of printer columns: fields, indices, `[*]`, and filters that compare one field with a constant.

This is what a CustomResourceDefinition may use there (apiextensions 1.36, pkg/registry/customresource/tableconvertor).
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

Step = Callable[[Any], Iterable[Any]]
Path = tuple[Step, ...]

_STEP: Final = re.compile(
    r"\.(?P<field>(?:\\.|[^.\[\]\\])+)"
    r"|\[\?\(\s*@\.(?P<key>[^\s=!<>()]+)\s*(?P<operator>==|!=)\s*(?P<constant>\"[^\"]*\"|'[^']*'|[^\s)]+)\s*\)\]"
    r"|\[['\"](?P<quoted>[^'\"]+)['\"]\]"
    r"|\[(?P<index>-?\d+)\]"
    r"|\[(?P<all>\*)\]"
)


class PathError(ValueError):
    """The text is not a path that printer columns know."""


@lru_cache(maxsize=1024)
def compile_path(text: str) -> Path:
    """Read a path such as `.status.conditions[?(@.type=="Ready")].status`. Raises PathError."""
    steps, at = [], 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise PathError(f'"{text}": unrecognized at "{text[at:]}"')
        steps.append(_step(found))
        at = found.end()
    return tuple(steps)


def find(path: Path, value: Any) -> Any:
    """The first value that a path leads to; None when there is none."""
    found: Iterable[Any] = (value,)
    for step in path:
        found = [result for one in found for result in step(one)]
    return next(iter(found), None)


def _step(found: re.Match[str]) -> Step:
    if (name := found["field"] or found["quoted"]) is not None:
        return _field(re.sub(r"\\(.)", r"\1", name))
    if found["all"]:
        return lambda value: value if isinstance(value, list) else ()
    if found["index"]:
        return _index(int(found["index"]))
    constant = found["constant"].replace("'", '"')
    try:
        wanted = json.loads(constant)
    except ValueError:
        raise PathError(f'"{found.string}": unrecognized constant "{constant}"') from None
    return _filter(found["key"], found["operator"] == "==", wanted)


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _index(place: int) -> Step:
    def step(value: Any) -> Iterable[Any]:
        return value[place:][:1] if isinstance(value, list) else ()

    return step


def _filter(key: str, equal: bool, wanted: Any) -> Step:
    path = compile_path(f".{key}")

    def step(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else ():
            if (find(path, item) == wanted) is equal:
                yield item

    return step
