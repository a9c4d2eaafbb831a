"""`status.stats`: the leader's report, or what the operator can tell without one.

Counters outlive a silent engine, since they never fall; what only the engine knows (latencies, rates, reasons) is
dropped. `updatedAt` moves only with another field, so that an idle profile is not written.
"""

from datetime import datetime

from msgspec import UNSET, UnsetType, structs

from pointsman.api.report import Pending
from pointsman.api.status import Stats, timestamp
from pointsman.controller.plan.world import HeldReport


def statistics(
    report: HeldReport | None, waiting: Pending | None, before: Stats | UnsetType, now: datetime
) -> Stats | UnsetType:
    """The statistics of a profile; UNSET when nothing at all is known."""
    if report is not None and report.fresh:
        return _dated(_from_report(report), before, report.updated_at)
    if waiting is None:
        return before
    known = _from_report(report) if report is not None else before
    counted = Stats(
        updated_at="",
        pending=waiting,
        attempts=known.attempts if known is not UNSET else UNSET,
        preemptions=known.preemptions if known is not UNSET else UNSET,
        bind_conflicts=known.bind_conflicts if known is not UNSET else UNSET,
    )
    return _dated(counted, before, timestamp(now))


def _from_report(report: HeldReport) -> Stats:
    told = report.profile
    return Stats(
        updated_at=report.updated_at,
        policy_hash=told.policy_hash,
        pending=told.pending,
        attempts=told.attempts,
        pods_per_second=told.pods_per_second,
        p50_milliseconds=UNSET if told.p50_milliseconds is None else told.p50_milliseconds,
        p99_milliseconds=UNSET if told.p99_milliseconds is None else told.p99_milliseconds,
        preemptions=told.preemptions,
        bind_conflicts=told.bind_conflicts,
        unschedulable_reasons=told.unschedulable_reasons or UNSET,
    )


def _dated(stats: Stats, before: Stats | UnsetType, moment: str) -> Stats:
    if before is not UNSET and structs.replace(stats, updated_at=before.updated_at) == before:
        return before
    return structs.replace(stats, updated_at=moment)
