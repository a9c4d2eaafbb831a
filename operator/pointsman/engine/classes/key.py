"""Which pods are alike: those that agree in every field that the rules whose answers are kept look at."""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

import msgspec

from pointsman.policy.pod import PodInfo

_MAY_BE_ABSENT: Final = 3  # dots in a path from which on something on the way may be: pod.spec.affinity.node_affinity
_encode = msgspec.msgpack.Encoder().encode


def class_key(fields: Iterable[str]) -> Callable[[PodInfo], bytes]:
    """A function that gives alike pods one key. `fields` are attribute paths from PodInfo, as rules declare them."""
    ordered = sorted(set(fields))
    near = [field for field in ordered if field.count(".") < _MAY_BE_ABSENT]
    deep = [tuple(field.split(".")) for field in ordered if field not in near]
    read: Callable[[PodInfo], Any] = attrgetter(*near) if near else lambda _: ()
    return lambda pod: _encode((read(pod), [_read(pod, path) for path in deep]))


def _read(pod: PodInfo, path: tuple[str, ...]) -> Any:
    """The value at the end of the path, None where something on the way is absent."""
    value: Any = pod
    for name in path:
        value = getattr(value, name)
        if value is None:
            return None
    return value
