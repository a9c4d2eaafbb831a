"""What an engine's pod tells: ready or not, and its last words."""

from typing import Any

import msgspec
import pytest

from pointsman.controller.plan.engines import EnginePod, engine


def pod(**status: Any) -> EnginePod:
    metadata = {"name": "engine-a-x", "annotations": {"pointsman.dev/policy": "3f9c1a7be2"}}
    return msgspec.convert({"metadata": metadata, "status": status}, EnginePod)


def container(**status: Any) -> dict[str, Any]:
    return {"phase": "Running", "containerStatuses": [{"name": "engine", "ready": False, **status}]}


def ended(message: str = "", *, code: int = 2, reason: str = "Error") -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "reason": reason, "message": message}}


WAITING: dict[str, Any] = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting"}}
IMPORT = "ModuleNotFoundError: No module named 'rack'"
LOGGED = '{"time": "2026-01-01T00:00:00Z", "level": "Error", "message": "policy gpu: hash differs"}'

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("starting", container(state={"waiting": {"reason": "ContainerCreating"}}), ""),
    ("running, not ready yet", container(state={"running": {}}), ""),
    ("pending", {"phase": "Pending"}, ""),
    ("ended", container(state=ended(IMPORT)), f'"{IMPORT}", exit code 2'),
    ("waits for its restart", container(state=WAITING, lastState=ended(IMPORT)), f'"{IMPORT}", exit code 2'),
    ("runs again", container(state={"running": {}}, lastState=ended(IMPORT)), f'"{IMPORT}", exit code 2'),
    ("said several lines", container(state=ended(f"first\n\n  {IMPORT}  \n")), f'"{IMPORT}", exit code 2'),
    ("said it in JSON", container(state=ended(f"start\n{LOGGED}\n")), '"policy gpu: hash differs", exit code 2'),
    ("was killed", container(state=ended(code=137, reason="OOMKilled")), '"OOMKilled", exit code 137'),
    ("said nothing at all", container(state=ended(reason="")), '"it said nothing", exit code 2'),
    ("said what a terminal obeys", container(state=ended("\x1b[31mred")), '"\\u001b[31mred", exit code 2'),
    (
        "has no image",
        container(state={"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "x"'}}),
        'ImagePullBackOff: Back-off pulling image "x"',
    ),
    (
        "finds no node",
        {
            "phase": "Pending",
            "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
            ],
        },
        "its pod is not scheduled: 0/3 nodes",
    ),
    ("was evicted", {"phase": "Failed", "reason": "Evicted", "message": "disk"}, "Evicted: disk"),
]


@pytest.mark.parametrize(("status", "failure"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_engine_that_is_not_ready_says_why(status: dict[str, Any], failure: str) -> None:
    told = engine(pod(**status))
    assert (told.ready, told.failure, told.policy_hash) == (False, failure, "3f9c1a7be2")


def test_an_engine_that_is_ready_has_no_failure_even_after_restarts() -> None:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    told = engine(pod(conditions=[ready], **container(lastState=ended(IMPORT))))
    assert told.ready
    assert told.failure == ""


def test_long_last_words_are_cut() -> None:
    assert len(engine(pod(**container(state=ended("x" * 5000)))).failure) < 250
