"""JSON patch (RFC 6902), refused as the API server refuses it: 422 when an operation does not fit the object."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from pointsman.sandbox.patching.errors import PatchError

MAX_OPERATIONS: Final = 10_000  # maxJSONPatchOperations, apiserver 1.36, endpoints/handlers/patch.go

_OPERATIONS: Final = frozenset(("add", "remove", "replace", "move", "copy", "test"))


def json_patch(target: Any, operations: Any) -> Any:
    """The patched value, `target` untouched. Raises PatchError: 422 when a test fails or a path is missing."""
    if not isinstance(operations, Sequence) or isinstance(operations, str):
        raise PatchError("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    if len(operations) > MAX_OPERATIONS:
        message = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        raise PatchError(message, 413, "RequestEntityTooLarge")
    document = deepcopy(target)
    for operation in operations:
        document = _done(document, operation)
    return document


def _done(document: Any, operation: Mapping[str, Any]) -> Any:
    name, path = operation.get("op"), operation.get("path")
    if name not in _OPERATIONS or not isinstance(path, str):
        raise _unfit(f"Unexpected kind: {name}" if isinstance(path, str) else "missing path")
    if name == "test":
        _test(document, path, operation.get("value"))
        return document
    if name in ("move", "copy"):
        source = str(operation.get("from", ""))
        value = deepcopy(_value(document, source, name))
        if name == "move":
            document = _remove(document, source, name)
        return _put(document, path, value, "add")
    if name == "remove":
        return _remove(document, path, name)
    return _put(document, path, deepcopy(operation.get("value")), name)


def _test(document: Any, path: str, expected: Any) -> None:
    try:
        actual = _value(document, path, "test")
    except PatchError:
        if expected is None:
            return
        raise
    if not _equal(actual, expected):
        raise _unfit(f"testing value {path} failed: test failed")


def _equal(left: Any, right: Any) -> bool:
    """Equality of JSON, where true is not 1."""
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)


def _value(document: Any, path: str, operation: str) -> Any:
    value = document
    for part in _parts(path):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list):
            value = value[_index(part, len(value) - 1, path, operation)]
        else:
            raise _missing(operation, path)
    return value


def _put(document: Any, path: str, value: Any, operation: str) -> Any:
    parts = _parts(path)
    if not parts:
        return value
    parent, last = _value(document, path[: path.rindex("/")], operation), parts[-1]
    if isinstance(parent, dict):
        if operation == "replace" and last not in parent:
            raise _missing(operation, path)
        parent[last] = value
    elif isinstance(parent, list) and operation == "add":
        parent.insert(len(parent) if last == "-" else _index(last, len(parent), path, operation), value)
    elif isinstance(parent, list):
        parent[_index(last, len(parent) - 1, path, operation)] = value
    else:
        raise _missing(operation, path)
    return document


def _remove(document: Any, path: str, operation: str) -> Any:
    parts = _parts(path)
    if not parts:
        return None
    parent, last = _value(document, path[: path.rindex("/")], operation), parts[-1]
    if isinstance(parent, list):
        del parent[_index(last, len(parent) - 1, path, operation)]
    elif isinstance(parent, dict) and last in parent:
        del parent[last]
    else:
        raise _missing(operation, path)
    return document


def _parts(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _index(part: str, highest: int, path: str, operation: str) -> int:
    if not part.isdecimal() or int(part) > highest:
        raise _missing(operation, path)
    return int(part)


def _missing(operation: str, path: str) -> PatchError:
    return _unfit(f"{operation} operation does not apply: doc is missing path: {path}: missing value")


def _unfit(why: str) -> PatchError:
    """The API server keeps the reason to itself; it stays at hand as the error's note."""
    error = PatchError("the server rejected our request due to an error in our request", 422, "Invalid")
    error.add_note(why)
    return error
