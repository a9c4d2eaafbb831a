"""A rule's args as a user wrote them, made into args as the policy document carries them: checked, with defaults."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from pointsman.api.messages import describe, quote
from pointsman.policy.args import API_VERSION, Args
from pointsman.policy.errors import PolicyError, Problem

MAX_ARGS_BYTES: Final = 8 * 1024


def read_args(model: type[Args], args: Mapping[str, Any] | None, path: str) -> dict[str, Any]:
    """The args of a rule with every default spelt out; raise PolicyError with every problem below `path`.

    `apiVersion` and `kind`, as pasted from a KubeSchedulerConfiguration, are taken when they match and dropped. A field
    that is null counts as absent.
    """
    size = _size(args, path)
    if size > MAX_ARGS_BYTES:
        raise PolicyError((Problem(path, f"must not be larger than {MAX_ARGS_BYTES} bytes of JSON, has {size}"),))
    given = _without_nulls(args or {})
    problems = [
        Problem(f"{path}.{field}", f"{quote(found)} is not {expected}")
        for field, expected in (("apiVersion", API_VERSION), ("kind", model.__name__))
        if (found := given.pop(field, expected)) != expected
    ]
    try:
        read = model.model_validate(given)
    except ValidationError as error:
        problems += [Problem(*found) for found in describe(error, model, given, path)]
    if problems:
        raise PolicyError(tuple(problems))
    spelt_out: dict[str, Any] = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    return spelt_out


def _size(args: Mapping[str, Any] | None, path: str) -> int:
    """Bytes of the args as compact JSON."""
    try:
        return len(json.dumps(args or {}, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise PolicyError((Problem(path, f"cannot be written as JSON: {error}"),)) from None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value
