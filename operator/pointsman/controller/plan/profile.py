"""A SchedulerProfile as one reconcile sees it: the object, its parsed spec, and what that compiles to.

Reading never fails: what is wrong with a spec is kept as problems, each with the path of its field, for the checks.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.api.fields import DNS_LABEL
from pointsman.api.spec import ProfileSpec, SpecError, parse_spec
from pointsman.api.status import ProfileStatus, decode_status
from pointsman.controller.plan.revision import Revision
from pointsman.policy.compile import compile_spec
from pointsman.policy.errors import PolicyError, Problem


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile. Either `candidate` is what its spec asks for, or `problems` say why there is none.

    `scheduler_name` is empty where the spec has none that can be used.
    """

    name: str
    uid: str
    generation: int
    created: str
    scheduler_name: str
    suspended: bool
    going: bool
    status: ProfileStatus
    candidate: Revision | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """What profiles need to know of each other: who was first to ask for a schedulerName."""

    name: str
    scheduler_name: str
    created: str

    def older_than(self, other: "Sibling") -> bool:
        """Creation times have whole seconds, so the name decides between equals."""
        return (self.created, self.name) < (other.created, other.name)


def read_profile(body: Mapping[str, Any]) -> Profile:
    """Read an object of the API."""
    metadata = body["metadata"]
    spec = body.get("spec")
    raw: Mapping[str, Any] = spec if isinstance(spec, Mapping) else {}
    candidate, problems = _compile(metadata["name"], metadata.get("generation", 0), raw)
    return Profile(
        name=metadata["name"],
        uid=metadata["uid"],
        generation=metadata.get("generation", 0),
        created=metadata.get("creationTimestamp", ""),
        scheduler_name=_scheduler_name(raw),
        suspended=raw.get("suspend") is True,
        going=bool(metadata.get("deletionTimestamp")),
        status=decode_status(body.get("status")),
        candidate=candidate,
        problems=problems,
    )


def sibling(body: Mapping[str, Any]) -> Sibling:
    """What other profiles need to know of this one."""
    metadata = body["metadata"]
    spec = body.get("spec") or {}
    return Sibling(metadata["name"], _scheduler_name(spec), metadata.get("creationTimestamp", ""))


def _scheduler_name(spec: Mapping[str, Any]) -> str:
    """The schedulerName; empty when it is none, so that it cannot become part of a query."""
    name = str(spec.get("schedulerName", ""))
    return name if re.fullmatch(DNS_LABEL, name) else ""


def _compile(name: str, generation: int, raw: Mapping[str, Any]) -> tuple[Revision | None, tuple[Problem, ...]]:
    try:
        spec: ProfileSpec = parse_spec(raw)
        return Revision.of(spec, compile_spec(name, spec), generation), ()
    except SpecError as error:
        return None, tuple(Problem(path, message) for path, message in error.problems)
    except PolicyError as error:
        return None, error.problems
