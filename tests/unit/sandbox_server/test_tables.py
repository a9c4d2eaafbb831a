"""What people see of pods and times; expected words are kubectl's on a real cluster."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pointsman.sandbox.tables.builtin import format_selector
from pointsman.sandbox.tables.duration import human
from pointsman.sandbox.tables.pods import PODS

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def state(**fields: Any) -> dict[str, Any]:
    return {"name": "c", "ready": False, "restartCount": 0, **fields}


def row(status: dict[str, Any], spec: dict[str, Any] | None = None, **metadata: Any) -> list[Any]:
    """Ready, status and restarts of a pod."""
    pod = {
        "metadata": {"name": "p", "creationTimestamp": "2026-01-01T11:00:00Z", **metadata},
        "spec": {"containers": [{"name": "c"}], **(spec or {})},
        "status": {"phase": "Running", **status},
    }
    return PODS.cells(pod, NOW)[1:4]


UP = state(ready=True, state={"running": {"startedAt": "2026-01-01T11:00:00Z"}})
CRASHED = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-01-01T11:59:00Z"}}
LOOPING = state(restartCount=3, state={"waiting": {"reason": "CrashLoopBackOff"}}, lastState=CRASHED)
COMPLETED = state(state={"terminated": {"exitCode": 0, "reason": "Completed"}})
KILLED = state(state={"terminated": {"exitCode": 137, "signal": 9}})
FAILED = state(state=CRASHED, restartCount=1)
GATED = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
TWO_INITIAL = {"initContainers": [{"name": "c"}, {"name": "d"}]}
SIDECAR = {"initContainers": [{"name": "s", "restartPolicy": "Always"}]}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (row({"phase": "Pending"}), ["0/1", "Pending", "0"]),
        (row({"containerStatuses": [UP]}), ["1/1", "Running", "0"]),
        (row({"phase": "Pending", "conditions": [GATED]}), ["0/1", "SchedulingGated", "0"]),
        (row({"containerStatuses": [LOOPING]}), ["0/1", "CrashLoopBackOff", "3 (60s ago)"]),
        (row({"phase": "Succeeded", "containerStatuses": [COMPLETED]}), ["0/1", "Completed", "0"]),
        (row({"phase": "Failed", "containerStatuses": [KILLED]}), ["0/1", "Signal:9", "0"]),
        (row({"containerStatuses": [UP]}, deletionTimestamp="2026-01-01T12:00:00Z"), ["1/1", "Terminating", "0"]),
        (row({"initContainerStatuses": [{**UP, "ready": False}]}, TWO_INITIAL), ["0/1", "Init:0/2", "0"]),
        (
            row({"initContainerStatuses": [FAILED]}, TWO_INITIAL),
            ["0/1", "Init:Error", "1"],
        ),
        (
            row({"initContainerStatuses": [{**UP, "name": "s", "started": True}], "containerStatuses": [UP]}, SIDECAR),
            ["2/2", "Running", "0"],
        ),
        (row({"reason": "Evicted", "phase": "Failed"}), ["0/1", "Evicted", "0"]),
    ],
    ids=[
        *("pending", "running", "gated", "crash loop", "completed", "killed", "terminating", "initialising"),
        *("init failed", "sidecar", "evicted"),
    ],
)
def test_a_pod_is_described_in_one_row(found: list[Any], expected: list[Any]) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "<invalid>"),
        (-1, "0s"),
        (0.9, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (599, "9m59s"),
        (601, "10m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 60, "3h1m"),
        (9 * 3600, "9h"),
        (49 * 3600, "2d1h"),
        (9 * 86400, "9d"),
        (800 * 86400, "2y70d"),
        (9 * 365 * 86400, "9y"),
    ],
)
def test_a_span_is_shown_in_its_biggest_units(seconds: float, expected: str) -> None:
    assert human(seconds) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, "<none>"),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        (
            {
                "matchLabels": {"z": "1"},
                "matchExpressions": [
                    {"key": "k", "operator": "In", "values": ["y", "x"]},
                    {"key": "n", "operator": "NotIn", "values": ["q"]},
                    {"key": "e", "operator": "Exists"},
                    {"key": "d", "operator": "DoesNotExist"},
                ],
            },
            "!d,e,k in (x,y),n notin (q),z=1",
        ),
    ],
)
def test_a_selector_is_written_as_in_a_url(selector: dict[str, Any], expected: str) -> None:
    assert format_selector(selector) == expected
