"""The status of a SchedulerProfile: what the operator, its one writer, tells about a scheduler.

The structs mirror the schema in `crds/` field by field (a test compares them) and take the engine's numbers as the
report has them. A field that is not known is UNSET and absent from the object; zero is a number and stays. Texts and
lists are cut to the schema's bounds, so that a status can always be written.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from pointsman.api.report import Attempts, Pending, UnschedulableReason

MAX_MESSAGE_BYTES: Final = 1024
MAX_NOTES: Final = 32
MAX_ENGINES: Final = 16
MAX_RULES: Final = 128


class _Part(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    pass


class Condition(_Part, frozen=True, kw_only=True):
    """One condition. `status` is True, False or Unknown; times are RFC 3339 with whole seconds, UTC."""

    type: str
    status: str
    reason: str
    message: str = ""
    observed_generation: int = 0
    last_transition_time: str = ""


class PriorityStatus(_Part, frozen=True, kw_only=True):
    """A priority in force."""

    name: str
    weight: int


class PolicyStatus(_Part, frozen=True, kw_only=True):
    """The policy in force: the short hash of its document, its rules in their order, and what deserves a word."""

    hash: str
    predicates: tuple[str, ...] = ()
    priorities: tuple[PriorityStatus, ...] = ()
    notes: tuple[str, ...] = ()


class EngineStatus(_Part, frozen=True, kw_only=True):
    """One engine pod; `policy_hash` is the short hash that it is to load, by its pod template."""

    pod: str
    policy_hash: str = ""
    ready: bool = False
    leader: bool = False


class LastGood(_Part, frozen=True, kw_only=True):
    """The last policy that an engine became ready with."""

    hash: str
    generation: int


class Stats(_Part, frozen=True, kw_only=True):
    """How scheduling goes, from the leader's report. Latencies are whole milliseconds, rounded up."""

    updated_at: str
    policy_hash: str | UnsetType = UNSET
    pending: Pending = Pending()
    attempts: Attempts | UnsetType = UNSET
    pods_per_second: str | UnsetType = UNSET
    p50_milliseconds: int | UnsetType = UNSET
    p99_milliseconds: int | UnsetType = UNSET
    preemptions: int | UnsetType = UNSET
    bind_conflicts: int | UnsetType = UNSET
    unschedulable_reasons: tuple[UnschedulableReason, ...] | UnsetType = UNSET


class ProfileStatus(_Part, frozen=True, kw_only=True):
    """The whole status. `selector` is the label selector of the engine's pods as text, for the scale subresource."""

    observed_generation: int = -1
    conditions: tuple[Condition, ...] = ()
    replicas: int | UnsetType = UNSET
    ready_replicas: int | UnsetType = UNSET
    replicas_summary: str | UnsetType = UNSET
    selector: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    policy: PolicyStatus | UnsetType = UNSET
    engines: tuple[EngineStatus, ...] | UnsetType = UNSET
    last_good: LastGood | UnsetType = UNSET
    stats: Stats | UnsetType = UNSET


def decode_status(status: Mapping[str, Any] | None) -> ProfileStatus:
    """The status that an object carries; an empty one when it has none or one of another shape."""
    try:
        return msgspec.convert(status or {}, ProfileStatus)
    except msgspec.ValidationError:
        return ProfileStatus()


def encode_status(status: ProfileStatus) -> dict[str, Any]:
    """The status as the API server takes and returns it: lists, not tuples, so that the two compare."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(status))
    return plain


def find_condition(conditions: tuple[Condition, ...], type_: str) -> Condition | None:
    """The condition of a type, None when it is not there."""
    return next((condition for condition in conditions if condition.type == type_), None)


def set_condition(conditions: tuple[Condition, ...], wanted: Condition, now: datetime) -> tuple[Condition, ...]:
    """The conditions with `wanted` in the place of its type, or at the end.

    `last_transition_time` moves to `now` only when the status differs; the message is cut to MAX_MESSAGE_BYTES.
    """
    before = find_condition(conditions, wanted.type)
    since = before.last_transition_time if before is not None and before.status == wanted.status else ""
    condition = msgspec.structs.replace(
        wanted, message=cut(wanted.message), last_transition_time=since or timestamp(now)
    )
    if before is None:
        return (*conditions, condition)
    return tuple(condition if other.type == wanted.type else other for other in conditions)


def cut(text: str, limit: int = MAX_MESSAGE_BYTES) -> str:
    """A text of at most `limit` bytes of UTF-8, with an ellipsis where something is missing."""
    encoded = text.encode(errors="replace")
    if len(encoded) <= limit:
        return encoded.decode()
    ellipsis = "…"
    return encoded[: limit - len(ellipsis.encode())].decode(errors="ignore") + ellipsis


def timestamp(now: datetime) -> str:
    """RFC 3339 in UTC with whole seconds, as metav1.Time is written."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
