"""Which pods are alike: those that agree in every field that the rules whose answers are kept look at."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from pointsman.policy.pod import PodInfo

_encode = msgspec.msgpack.Encoder().encode


def class_key(fields: Iterable[str]) -> Callable[[PodInfo], bytes]:
    """A function that gives alike pods one key. `fields` are attribute paths from PodInfo, as rules declare them."""
    paths = [tuple(field.split(".")) for field in sorted(set(fields))]
    return lambda pod: _encode([_read(pod, path) for path in paths])


def _read(pod: PodInfo, path: tuple[str, ...]) -> Any:
    """The value at the end of the path, None where something on the way is absent."""
    value: Any = pod
    for name in path:
        value = getattr(value, name)
        if value is None:
            return None
    return value
