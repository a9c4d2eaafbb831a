"""Compiling in one line, for tests: specs as keyword arguments, problems as lines."""

from typing import Any

from pointsman.api.spec import parse_spec
from pointsman.policy.compile import Compiled, compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.errors import PolicyError

Entries = list[dict[str, Any]]


def compiled(**spec: Any) -> Compiled:
    """A spec that compiles, with the schedulerName `test`."""
    return compile_spec("test", parse_spec({"schedulerName": "test", **spec}))


def content(**spec: Any) -> bytes:
    """The bytes of its policy document."""
    return canonical_json(compiled(**spec).document)


def problems(**spec: Any) -> list[str]:
    """What is wrong with a spec whose form is right; empty when it compiles."""
    parsed = parse_spec({"schedulerName": "test", **spec})
    try:
        compile_spec("test", parsed)
    except PolicyError as error:
        return [str(problem) for problem in error.problems]
    return []


def off(*names: str) -> Entries:
    """Entries that disable."""
    return [{"name": name, "state": "Disabled"} for name in names]


def on(*names: str) -> Entries:
    """Entries that enable."""
    return [{"name": name} for name in names]
