"""Keys that stand twice in a JSON object: a decoder takes the last one and says nothing, `fieldValidation` tells."""

import json
from typing import Any


class _Repeating(dict[str, Any]):
    """An object and those of its keys that stood in it more than once."""

    repeated: tuple[str, ...] = ()


def duplicate_fields(body: bytes) -> tuple[str, ...]:
    """What to say of a JSON body's repeated keys, in the API server's words; nothing of a body that is no JSON."""
    try:
        document = json.loads(body, object_pairs_hook=_object)
    except ValueError:
        return ()
    found: list[str] = []
    _collect(document, "", found)
    return tuple(f'duplicate field "{path}"' for path in found)


def _object(pairs: list[tuple[str, Any]]) -> _Repeating:
    made = _Repeating(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        made.repeated = tuple(name for name in made if names.count(name) > 1)
    return made


def _collect(value: Any, path: str, found: list[str]) -> None:
    if isinstance(value, _Repeating):
        found.extend(f"{path}.{name}" if path else name for name in value.repeated)
        for name, entry in value.items():
            _collect(entry, f"{path}.{name}" if path else name, found)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _collect(item, f"{path}[{place}]", found)
