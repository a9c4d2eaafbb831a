"""One kubectl command on two servers, and what of its output must be equal.

Names that servers make up, uids, versions and times differ between any two clusters; they are replaced by their kind
before outputs are compared. Nothing else is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.controlplane.plane import ControlPlane

_UID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_REPLACED: Final = (
    (re.compile(_UID), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "<date>"),
    (re.compile(r"https://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}"), "<time>"),
    (re.compile(r"(resourceVersion|Resource Version): +\S+"), r"\1: <version>"),
    # kube-scheduler also says what its preemption thinks; the sandbox's has none, as its documentation says
    (re.compile(r"\. no new claims to deallocate, preemption: .*$", re.M), "."),
    (re.compile(r"kube-api-access-[a-z0-9]{5}"), "kube-api-access-<random>"),
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"/tmp/\1-<random>"),
    (re.compile(r"(?<=\s)(\d+[smhd])+(?=\s|$)"), "<age>"),
    (re.compile(r"<invalid>(?=\s|$)"), "<age>"),
    (re.compile(r" +"), " "),
    (re.compile(r" $", re.M), ""),
)


@dataclass(frozen=True, slots=True)
class Result:
    """Exit code and comparable output of one command."""

    code: int
    output: str
    errors: str


def run(plane: ControlPlane, arguments: Sequence[str], manifest: str = "") -> Result:
    """Run a command on one server."""
    done = plane.kubectl(*arguments, input=manifest or None, check=False)
    return Result(done.returncode, normal(done.stdout), normal(done.stderr))


def normal(text: str) -> str:
    """A text without what differs between clusters."""
    for pattern, kind in _REPLACED:
        text = pattern.sub(kind, text)
    return _sorted_faults(text)


def _sorted_faults(text: str) -> str:
    """Faults of one object in order: a real API server walks maps in any order."""
    lines = text.split("\n")
    faults = iter(sorted(line for line in lines if line.startswith("* ")))
    return "\n".join(next(faults) if line.startswith("* ") else line for line in lines)
