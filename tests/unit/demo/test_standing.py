"""Reading a profile's status into a row of the table."""

from typing import Any

from pointsman.sandbox.demo.standing import Standing, standing

SPEC = {"schedulerName": "binpack"}
STATUS: dict[str, Any] = {
    "observedGeneration": 2,
    "conditions": [
        {
            "type": "Ready",
            "status": "True",
            "reason": "EngineReady",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ],
    "policy": {"hash": "3f9c1a7be2"},
    "engines": [
        {"pod": "engine-binpack-old", "policyHash": "0000000000", "ready": True, "leader": False},
        {"pod": "engine-binpack-new", "policyHash": "3f9c1a7be2", "ready": True, "leader": True},
    ],
    "stats": {
        "updatedAt": "2026-01-01T00:00:10Z",
        "pending": {"total": 3, "active": 1, "backoff": 0, "unschedulable": 2, "gated": 0},
        "attempts": {"scheduled": 40, "unschedulable": 5, "error": 0},
        "p50Milliseconds": 9,
        "p99Milliseconds": 41,
        "unschedulableReasons": [{"reason": "Insufficient cpu", "pods": 2}, {"reason": "other", "pods": 1}],
    },
}


def test_everything_that_a_status_tells_is_in_the_row() -> None:
    assert standing("binpack", SPEC, STATUS, generation=2) == Standing(
        "binpack",
        "binpack",
        ready="True",
        reason="EngineReady",
        pending=3,
        scheduled=40,
        p50=9,
        p99=41,
        top_reason="Insufficient cpu",
        top_pods=2,
        policy="3f9c1a7be2",
        leader="engine-binpack-new",
    )


def test_a_new_profile_has_no_status_yet() -> None:
    assert standing("binpack", SPEC, {"observedGeneration": -1}, generation=1) == Standing("binpack", "binpack")
    assert standing("binpack", SPEC, None, generation=1) == Standing("binpack", "binpack")


def test_readiness_of_an_older_generation_does_not_count() -> None:
    told = standing("binpack", SPEC, STATUS, generation=3)

    assert (told.ready, told.is_ready) == ("Unknown", False)


def test_statistics_without_latencies_have_none() -> None:
    told = standing("binpack", SPEC, {"stats": {"updatedAt": "2026-01-01T00:00:10Z"}}, generation=1)

    assert (told.p50, told.p99, told.scheduled, told.top_reason) == (None, None, 0, "")
