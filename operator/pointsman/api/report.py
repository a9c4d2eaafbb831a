"""The engine's report: what rides as an annotation on its Lease and becomes `status.stats`.

The engine writes it, the operator reads it; both through these structs, so that a field cannot mean two things. All
numbers are integers (the API has no floats). `encode` keeps the annotation below its bound by dropping the longest
tail first (reasons beyond the top ones), never by cutting JSON.
"""

import msgspec

from pointsman.api.names import REPORT_MAX_BYTES

MAX_REASONS = 10
MAX_REASON_LENGTH = 256
MAX_NOTES = 12
MAX_NOTE_LENGTH = 512


class Pending(msgspec.Struct, frozen=True, rename="camel"):
    """Pods waiting in the queue, by place. total = active + backoff + unschedulable; gated ones are apart."""

    total: int = 0
    active: int = 0
    backoff: int = 0
    unschedulable: int = 0
    gated: int = 0


class Attempts(msgspec.Struct, frozen=True, rename="camel"):
    """Scheduling attempts since the profile's first engine, by result. They never fall."""

    scheduled: int = 0
    unschedulable: int = 0
    error: int = 0


class UnschedulableReason(msgspec.Struct, frozen=True, rename="camel"):
    """One reason why pods wait, in kube-scheduler's words, and how many pods have it."""

    reason: str
    pods: int


class ProfileReport(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Statistics of one profile. Latencies are whole milliseconds, rounded up; None until something was bound."""

    policy_hash: str  # the short hash: 10 hex digits
    pending: Pending = Pending()
    attempts: Attempts = Attempts()
    pods_per_second: str = "0"  # over the last 5 minutes with binds, one decimal
    p50_milliseconds: int | None = None
    p99_milliseconds: int | None = None
    preemptions: int = 0
    bind_conflicts: int = 0
    unschedulable_reasons: tuple[UnschedulableReason, ...] = ()
    notes: tuple[str, ...] = ()  # what the user of the policy should know, and only the engine can tell


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What the holder of a Lease says about every profile that it serves."""

    pod: str  # who wrote it
    updated_at: str  # RFC 3339, seconds; moves only with another field
    profiles: dict[str, ProfileReport] = {}
    version: int = 1


def encode(report: Report) -> str:
    """Render a report as JSON of at most REPORT_MAX_BYTES, dropping trailing reasons until it fits."""
    keep = MAX_REASONS
    while True:
        text = msgspec.json.encode(_trimmed(report, keep))
        if len(text) <= REPORT_MAX_BYTES or keep == 0:
            return text.decode()
        keep -= 1


def decode(text: str) -> Report | None:
    """Read a report; None when the annotation is absent or not one of ours (an engine of another version)."""
    try:
        report = msgspec.json.decode(text, type=Report)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return report if report.version == 1 else None


def _trimmed(report: Report, keep: int) -> Report:
    return msgspec.structs.replace(
        report,
        profiles={
            name: msgspec.structs.replace(
                profile,
                unschedulable_reasons=tuple(
                    msgspec.structs.replace(entry, reason=entry.reason[:MAX_REASON_LENGTH])
                    for entry in profile.unschedulable_reasons[:keep]
                ),
                notes=tuple(note[:MAX_NOTE_LENGTH] for note in profile.notes[:MAX_NOTES]),
            )
            for name, profile in report.profiles.items()
        },
    )
