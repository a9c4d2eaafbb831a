"""What people see of profiles through kubectl: columns, explanations, scale, selection by field."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from pointsman.api.report import Attempts, Pending, UnschedulableReason
from pointsman.api.status import (
    Condition,
    EngineStatus,
    LastGood,
    PolicyStatus,
    PriorityStatus,
    ProfileStatus,
    Stats,
    encode_status,
    set_condition,
)
from tests.controlplane.plane import ControlPlane
from tests.crd.conftest import COLLECTION
from tests.crd.schema import fields, root

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MESSAGE = "1/1 engines ready, leader engine-shown-6c9f7d5b4-x2k8p, policy 3f9c1a7be2 in force"
STATUS = ProfileStatus(
    observed_generation=1,
    conditions=set_condition(
        (), Condition(type="Ready", status="True", reason="EngineReady", message=MESSAGE, observed_generation=1), NOW
    ),
    replicas=1,
    ready_replicas=1,
    replicas_summary="1/1",
    selector="pointsman.dev/profile=shown",
    image="pointsman/pointsman:0.1.0",
    policy=PolicyStatus(
        hash="3f9c1a7be2",
        predicates=("NodeName",),
        priorities=(PriorityStatus(name="ImageLocality", weight=1),),
        notes=("a note",),
    ),
    engines=(EngineStatus(pod="engine-shown-6c9f7d5b4-x2k8p", policy_hash="3f9c1a7be2", ready=True, leader=True),),
    last_good=LastGood(hash="3f9c1a7be2", generation=1),
    stats=Stats(
        updated_at="2026-01-01T00:00:00Z",
        policy_hash="3f9c1a7be2",
        pending=Pending(total=2, unschedulable=2),
        attempts=Attempts(scheduled=1204, unschedulable=3),
        pods_per_second="0.2",
        p50_milliseconds=5,
        p99_milliseconds=14,
        preemptions=0,
        bind_conflicts=0,
        unschedulable_reasons=(UnschedulableReason(reason="Insufficient cpu", pods=2),),
    ),
)


def profile(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "pointsman.dev/v1alpha1",
        "kind": "SchedulerProfile",
        "metadata": {"name": name},
        "spec": {"schedulerName": f"{name}-scheduler"},
    }


@pytest.fixture
def shown(profiles: ControlPlane) -> Iterator[ControlPlane]:
    """A profile with the whole of a status."""
    profiles.apply(profile("shown"))
    patch = json.dumps({"status": encode_status(STATUS)})
    profiles.kubectl("patch", "sprof", "shown", "--subresource=status", "--type=merge", "-p", patch)
    yield profiles
    profiles.kubectl("delete", "sprof", "shown")


def table(text: str) -> list[list[str]]:
    """Words of each line, without the age, which the clock writes."""
    return [line.split() for line in text.splitlines()]


def test_the_table_has_the_columns_of_the_design(shown: ControlPlane) -> None:
    head, row = table(shown.kubectl("get", "sprof", "shown").stdout)
    assert head == ["NAME", "SCHEDULER", "READY", "REASON", "REPLICAS", "PENDING", "SCHEDULED", "P99-MS", "AGE"]
    assert row[:-1] == ["shown", "shown-scheduler", "True", "EngineReady", "1/1", "2", "1204", "14"]


def test_the_wide_table_adds_policy_image_and_message(shown: ControlPlane) -> None:
    head, row = shown.kubectl("get", "sprof", "shown", "-o", "wide").stdout.splitlines()
    assert head.split()[-4:] == ["AGE", "POLICY", "IMAGE", "MESSAGE"]
    assert row.endswith(MESSAGE)
    assert row.removesuffix(MESSAGE).split()[-2:] == ["3f9c1a7be2", "pointsman/pointsman:0.1.0"]


def test_a_status_is_stored_as_it_was_written(shown: ControlPlane) -> None:
    assert shown.get("sprof", "shown")["status"] == encode_status(STATUS)


def test_kubectl_waits_for_ready(shown: ControlPlane) -> None:
    shown.kubectl("wait", "--for=condition=Ready", "sprof/shown", "--timeout=5s")


def test_profiles_are_in_the_category_of_schedulers(shown: ControlPlane) -> None:
    assert "shown" in shown.kubectl("get", "schedulers", "-o", "name").stdout


def test_a_profile_is_found_by_its_scheduler_name(shown: ControlPlane) -> None:
    found = shown.kubectl("get", "sprof", "--field-selector=spec.schedulerName=shown-scheduler", "-o", "name").stdout
    none = shown.kubectl("get", "sprof", "--field-selector=spec.schedulerName=other", "-o", "name").stdout
    assert (found.split(), none.split()) == (["schedulerprofile.pointsman.dev/shown"], [])


def test_a_profile_is_scaled(shown: ControlPlane) -> None:
    shown.kubectl("scale", "sprof", "shown", "--replicas=3")
    scale = json.loads(shown.kubectl("get", "--raw", f"{COLLECTION}/shown/scale").stdout)
    assert scale["spec"]["replicas"] == 3
    assert scale["status"] == {"replicas": 1, "selector": "pointsman.dev/profile=shown"}


def test_scaling_beyond_the_bound_is_refused(shown: ControlPlane) -> None:
    done = shown.kubectl("scale", "sprof", "shown", "--replicas=10", check=False)
    assert "spec.replicas" in done.stderr


@pytest.mark.parametrize(
    "path", [path for path, _ in fields(root()) if path and "[]" not in path[-2:] and "*" not in path]
)
def test_kubectl_explains_every_field(path: str, profiles: ControlPlane) -> None:
    text = profiles.kubectl("explain", f"sprof.{path.replace('[]', '')}").stdout
    assert "<empty>" not in text
    assert text.partition("DESCRIPTION:")[2].strip()
