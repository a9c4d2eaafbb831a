"""How a profile stands, as its status says: one row of the table. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from pointsman.api.reasons import ConditionType
from pointsman.api.status import ProfileStatus, Stats, decode_status, find_condition

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standing:
    """One profile at one moment. Latencies are milliseconds, None until something was placed."""

    profile: str
    scheduler: str
    ready: str = "Unknown"  # the condition's status
    reason: str = ""
    pending: int = 0
    scheduled: int = 0
    p50: int | None = None
    p99: int | None = None
    top_reason: str = ""
    top_pods: int = 0
    policy: str = ""  # short hash of the policy in force
    leader: str = ""  # pod of the engine that schedules

    @property
    def is_ready(self) -> bool:
        return self.ready == "True"


def standing(name: str, spec: Mapping[str, Any], status: Mapping[str, Any] | None, generation: int) -> Standing:
    """Read a SchedulerProfile. A status of an older generation tells nothing of readiness."""
    told = decode_status(status)
    ready = find_condition(told.conditions, ConditionType.READY)
    current = ready is not None and told.observed_generation == generation
    stats = _or(told.stats, Stats(updated_at=""))
    attempts, reasons = _or(stats.attempts, None), _or(stats.unschedulable_reasons, ())
    return Standing(
        name,
        spec.get("schedulerName", ""),
        ready=ready.status if ready is not None and current else "Unknown",
        reason=ready.reason if ready is not None else "",
        pending=stats.pending.total,
        scheduled=attempts.scheduled if attempts else 0,
        p50=_or(stats.p50_milliseconds, None),
        p99=_or(stats.p99_milliseconds, None),
        top_reason=reasons[0].reason if reasons else "",
        top_pods=reasons[0].pods if reasons else 0,
        policy=told.policy.hash if told.policy is not UNSET else "",
        leader=_leader(told),
    )


def _leader(status: ProfileStatus) -> str:
    engines = _or(status.engines, ())
    return next((engine.pod for engine in engines if engine.leader and engine.ready), "")


def _or(value: T | UnsetType, default: T) -> T:
    return default if isinstance(value, UnsetType) else value
