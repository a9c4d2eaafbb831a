"""A pod's status from its containers' states, in the kubelet's terms (kubelet_pods.go, status/generate.go, 1.36)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.unit.agent.pods import make_pod

from pointsman.sandbox.agent.hollow import hollow_report
from pointsman.sandbox.agent.states import ContainerState, Running, Terminated, Waiting
from pointsman.sandbox.agent.status import PodReport, pod_phase, pod_status

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
BEFORE = datetime(2026, 1, 1, 11, 0, tzinfo=UTC)

WAITING = ContainerState()
RUNNING = ContainerState(Running(BEFORE), ready=True, started=True)
UNREADY = ContainerState(Running(BEFORE), started=True)
DONE = ContainerState(Terminated(0, "Completed", BEFORE, NOW))
FAILED = ContainerState(Terminated(1, "Error", BEFORE, NOW))
CRASHING = ContainerState(Waiting("CrashLoopBackOff", "back-off"), last=Terminated(1, "Error", BEFORE, NOW), restarts=2)
INIT_DONE = ContainerState(Terminated(0, "Completed", BEFORE, NOW), ready=True)

A, B = ({"name": name, "image": "app:1"} for name in "ab")
INIT = {"name": "init", "image": "app:1"}
SIDECAR = {**INIT, "restartPolicy": "Always"}


def report(ending: bool = False, **states: ContainerState) -> PodReport:
    return PodReport(states, "127.64.0.9", "127.127.0.1", BEFORE, ending=ending)


@pytest.mark.parametrize(
    ("policy", "a", "b", "ending", "phase"),
    [
        pytest.param("Always", WAITING, RUNNING, False, "Pending", id="one has not started yet"),
        pytest.param("Always", RUNNING, RUNNING, False, "Running", id="both run"),
        pytest.param("Always", CRASHING, RUNNING, False, "Running", id="one backs off"),
        pytest.param("Always", CRASHING, CRASHING, False, "Running", id="both back off"),
        pytest.param("Always", DONE, DONE, False, "Running", id="both will be started again"),
        pytest.param("OnFailure", DONE, DONE, False, "Succeeded", id="both done"),
        pytest.param("OnFailure", DONE, FAILED, False, "Running", id="the failed one will be started again"),
        pytest.param("Never", DONE, FAILED, False, "Failed", id="the failed one will not"),
        pytest.param("Never", DONE, RUNNING, False, "Running", id="one is still at work"),
        pytest.param("Always", DONE, DONE, True, "Succeeded", id="ended on request, well"),
        pytest.param("Always", DONE, FAILED, True, "Failed", id="ended on request, by force"),
        pytest.param("Always", WAITING, WAITING, True, "Failed", id="ended before it began"),
    ],
)
def test_the_phase(policy: str, a: ContainerState, b: ContainerState, ending: bool, phase: str) -> None:
    pod = make_pod(A, B, spec={"restartPolicy": policy})

    assert pod_phase(pod, report(a=a, b=b, ending=ending)) == phase


@pytest.mark.parametrize(
    ("policy", "init", "phase"),
    [
        pytest.param("Always", RUNNING, "Pending", id="it runs"),
        pytest.param("Always", FAILED, "Pending", id="it failed and is tried again"),
        pytest.param("Never", FAILED, "Failed", id="it failed for good"),
    ],
)
def test_the_phase_while_an_init_container_is_at_work(policy: str, init: ContainerState, phase: str) -> None:
    pod = make_pod(A, spec={"restartPolicy": policy, "initContainers": [INIT]})

    assert pod_phase(pod, report(init=init)) == phase


def conditions(pod: Any, given: PodReport) -> dict[str, tuple[str, str | None]]:
    """Status and reason of each condition."""
    status = pod_status(pod, given, NOW)
    return {condition["type"]: (condition["status"], condition["reason"]) for condition in status["conditions"]}


@pytest.mark.parametrize(
    ("states", "initialized", "ready"),
    [
        pytest.param({}, ("False", "ContainersNotInitialized"), ("False", "ContainersNotReady"), id="not started"),
        pytest.param({"init": UNREADY}, ("True", None), ("False", "ContainersNotReady"), id="not ready"),
        pytest.param(
            {"init": UNREADY, "a": RUNNING}, ("True", None), ("False", "ContainersNotReady"), id="unready again"
        ),
        pytest.param({"init": RUNNING, "a": RUNNING}, ("True", None), ("True", None), id="ready"),
    ],
)
def test_conditions_with_a_sidecar(
    states: dict[str, ContainerState], initialized: tuple[str, str | None], ready: tuple[str, str | None]
) -> None:
    pod = make_pod(A, spec={"initContainers": [SIDECAR]})

    found = conditions(pod, PodReport(states, "127.64.0.9", "127.127.0.1", BEFORE))

    assert found["Initialized"] == initialized
    assert found["Ready"] == found["ContainersReady"] == ready


@pytest.mark.parametrize(
    ("a", "reason"), [pytest.param(DONE, "PodCompleted", id="done"), pytest.param(FAILED, "PodFailed", id="failed")]
)
def test_a_pod_that_has_ended_is_not_ready(a: ContainerState, reason: str) -> None:
    pod = make_pod(A, spec={"restartPolicy": "Never"})

    assert conditions(pod, report(a=a))["Ready"] == ("False", reason)


def test_the_condition_of_the_scheduler_is_never_written() -> None:
    assert "PodScheduled" not in conditions(make_pod(A), report(a=RUNNING))


def test_a_condition_keeps_its_time_until_it_changes() -> None:
    known = [
        {"type": type_, "status": "True", "lastTransitionTime": "2026-01-01T10:00:00Z"}
        for type_ in ("Initialized", "Ready")
    ]
    pod = make_pod(A, status={"conditions": known})

    status = pod_status(pod, report(a=UNREADY), NOW)

    times = {condition["type"]: condition["lastTransitionTime"] for condition in status["conditions"]}
    assert (times["Initialized"], times["Ready"]) == ("2026-01-01T10:00:00Z", "2026-01-01T12:00:00Z")


def test_a_reason_that_is_over_is_taken_away() -> None:
    status = pod_status(make_pod(A), report(a=RUNNING), NOW)

    ready = next(condition for condition in status["conditions"] if condition["type"] == "Ready")
    assert ready.items() >= {"status": "True", "reason": None, "message": None}.items()


def test_a_crashed_container_tells_how_often_and_how_it_ended() -> None:
    status = pod_status(make_pod(A), report(a=CRASHING), NOW)

    assert status["containerStatuses"] == [
        {
            "name": "a",
            "image": "app:1",
            "imageID": "app:1",
            "containerID": "pointsman://u1/a/2",
            "ready": False,
            "started": False,
            "restartCount": 2,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
            "lastState": {
                "terminated": {
                    "exitCode": 1,
                    "signal": 0,
                    "reason": "Error",
                    "startedAt": "2026-01-01T11:00:00Z",
                    "finishedAt": "2026-01-01T12:00:00Z",
                }
            },
        }
    ]


def test_a_hollow_pod_is_up_with_all_that_belongs_to_it() -> None:
    pod = make_pod(A, B, spec={"initContainers": [INIT, {**SIDECAR, "name": "proxy"}]})

    status = pod_status(pod, hollow_report(pod, "127.64.0.9", "127.127.0.1", NOW), NOW)

    assert (status["phase"], status["podIP"], status["hostIP"]) == ("Running", "127.64.0.9", "127.127.0.1")
    assert status["podIPs"] == [{"ip": "127.64.0.9"}]
    assert {condition["status"] for condition in status["conditions"]} == {"True"}
    assert [one["ready"] for one in status["containerStatuses"] + status["initContainerStatuses"]] == [True] * 4
    assert [list(one["state"]) for one in status["initContainerStatuses"]] == [["terminated"], ["running"]]
