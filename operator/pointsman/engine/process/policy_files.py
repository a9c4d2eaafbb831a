"""The policies an engine starts with: read from the mounted ConfigMap, checked against the expected hash, built.

The hash is that of the mounted bytes, so an engine runs exactly what the operator compiled or nothing at all. Whatever
goes wrong ends in one `PolicyFileError` whose text fits on one line: it becomes the container's termination message and
from there the profile's status.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman.api.names import policy_file
from pointsman.policy.build import load
from pointsman.policy.document import content_hash
from pointsman.policy.errors import PolicyError
from pointsman.policy.policy import Policy

MAX_POLICY_BYTES = 1024 * 1024  # a ConfigMap holds no more
_EXPECTATION = re.compile(r"(?P<profile>[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)=(?P<hash>sha256:[0-9a-f]{64})", re.ASCII)


class PolicyFileError(Exception):
    """A policy that cannot be loaded; the text is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


@dataclass(frozen=True, slots=True)
class Expectation:
    """Which version of which profile's policy must be in the directory."""

    profile: str
    hash: str  # `sha256:…`, all 64 digits


def parse_expectation(text: str) -> Expectation:
    """Read `PROFILE=sha256:HEX`; ValueError says what is wrong with it."""
    match = _EXPECTATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not PROFILE=sha256:<64 hexadecimal digits>")
    return Expectation(match["profile"], match["hash"])


def load_policies(directory: Path, expected: Sequence[Expectation]) -> tuple[Policy, ...]:
    """Load every expected policy, in order. Raises PolicyFileError for the first that cannot be used."""
    policies = tuple(_load(directory / policy_file(one.profile), one) for one in expected)
    names: dict[str, str] = {}
    for policy in policies:
        other = names.setdefault(policy.scheduler_name, policy.profile)
        if other != policy.profile:
            raise PolicyFileError(f"profiles {other} and {policy.profile} both serve {policy.scheduler_name}")
    return policies


def _load(path: Path, expected: Expectation) -> Policy:
    content = _read(path)
    found = content_hash(content)
    if found != expected.hash:
        raise PolicyFileError(f"policy file {path}: its hash is {found}, expected {expected.hash}")
    try:
        policy = load(content)
    except PolicyError as error:
        raise PolicyFileError(f"policy file {path}: {error}") from error
    except Exception as error:  # a rule's factory may be a user's code
        raise PolicyFileError(f"policy file {path}: {type(error).__name__}: {error}") from error
    if policy.profile != expected.profile:
        raise PolicyFileError(f"policy file {path}: it is of profile {policy.profile!r}, not {expected.profile!r}")
    return policy


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise PolicyFileError(f"policy file {path}: {error.strerror or error}") from error
    if len(content) > MAX_POLICY_BYTES:
        raise PolicyFileError(f"policy file {path}: larger than {MAX_POLICY_BYTES} bytes")
    return content
