"""`status.stats`: from the leader's report, or counted."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.controller.scene import NOW, Scene, count, scene

from pointsman.api.report import Pending, UnschedulableReason
from pointsman.api.status import encode_status
from pointsman.controller.gather.gather import count_waiting
from pointsman.controller.plan.statistics import statistics
from pointsman.kube.objects import Metadata, Pod, PodCondition, PodSpec, PodStatus, SchedulingGate

WELL = scene().well()
HASH = WELL.revision.short_hash


def stats(made: Scene) -> dict[str, Any]:
    told: dict[str, Any] = encode_status(made.decide().status).get("stats", {})
    return told


def test_a_report_is_told_whole() -> None:
    reason = UnschedulableReason(reason="1 Insufficient cpu", pods=2)
    made = WELL.reported(
        scheduled=1204,
        pending=Pending(total=2, unschedulable=2),
        pods_per_second="12.5",
        p50_milliseconds=3,
        p99_milliseconds=14,
        preemptions=6,
        bind_conflicts=1,
        unschedulable_reasons=(reason,),
    )
    assert stats(made) == {
        "updatedAt": "2026-01-01T11:59:00Z",
        "policyHash": HASH,
        "pending": {"total": 2, "active": 0, "backoff": 0, "unschedulable": 2, "gated": 0},
        "attempts": {"scheduled": 1204, "unschedulable": 0, "error": 0},
        "podsPerSecond": "12.5",
        "p50Milliseconds": 3,
        "p99Milliseconds": 14,
        "preemptions": 6,
        "bindConflicts": 1,
        "unschedulableReasons": [{"reason": "1 Insufficient cpu", "pods": 2}],
    }


def test_without_a_fresh_report_pods_are_counted_counters_stay_and_latencies_go() -> None:
    before = WELL.reported(scheduled=1204, p99_milliseconds=14).settled()
    silent = before.reported(scheduled=1204, p99_milliseconds=14, age=16).around(waiting=count(5))
    assert stats(silent) == {
        "updatedAt": "2026-01-01T12:00:00Z",
        "pending": {"total": 5, "active": 5, "backoff": 0, "unschedulable": 0, "gated": 0},
        "attempts": {"scheduled": 1204, "unschedulable": 0, "error": 0},
        "preemptions": 0,
        "bindConflicts": 0,
    }


def test_counters_outlive_a_lease_that_was_lost() -> None:
    before = WELL.reported(scheduled=1204).settled()
    lost = before.around(report=None, waiting=count(1))
    assert stats(lost)["attempts"]["scheduled"] == 1204


def test_before_the_first_report_only_waiting_pods_are_known() -> None:
    assert stats(scene().around(waiting=count(3)))["pending"]["total"] == 3
    assert "attempts" not in stats(scene().around(waiting=count(3)))
    assert stats(scene()) == {}


def test_the_time_moves_only_with_another_number() -> None:
    counted = scene().around(waiting=count(3)).settled()
    later = counted.after(60)
    assert stats(later)["updatedAt"] == "2026-01-01T12:00:00Z"
    assert stats(later.around(waiting=count(4)))["updatedAt"] == "2026-01-01T12:01:00Z"


def test_an_idle_profile_is_not_written() -> None:
    first = WELL.reported(scheduled=7).settled()
    report = first.world.report
    assert report is not None
    again = first.around(report=replace(report, updated_at="2026-01-01T11:59:30Z", age_seconds=3)).after(600)
    assert again.decide().status == first.status


@pytest.mark.parametrize("known", [True, False])
def test_what_is_not_counted_stays_as_it_was(known: bool) -> None:
    before = scene().around(waiting=count(3)).decide().status.stats
    assert statistics(None, count(3) if known else None, before, NOW) == before


def pod(*, gates: int = 0, going: bool = False, unschedulable: bool = False) -> Pod:
    condition = PodCondition(type="PodScheduled", status="False", reason="Unschedulable")
    return Pod(
        metadata=Metadata(name="p", deletion_timestamp="2026-01-01T00:00:00Z" if going else None),
        spec=PodSpec(scheduling_gates=(SchedulingGate(name="g"),) * gates),
        status=PodStatus(phase="Pending", conditions=(condition,) if unschedulable else ()),
    )


def test_waiting_pods_are_sorted_by_what_they_wait_for() -> None:
    pods = [pod(), pod(), pod(unschedulable=True), pod(gates=1), pod(going=True), pod(gates=1, going=True)]
    assert count_waiting(pods) == Pending(total=3, active=2, unschedulable=1, gated=1)
