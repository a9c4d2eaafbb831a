"""When a container is started again, and what the next agent makes of what the last one wrote."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.unit.agent.pods import make_pod

from pointsman.sandbox.agent.podspec import ContainerStatus
from pointsman.sandbox.agent.states import (
    ContainerState,
    Terminated,
    adopted,
    restart_policy,
    restarts,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EARLIER = datetime(2025, 12, 31, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("policy", "exit_code", "again"),
    [
        ("Always", 0, True),
        ("Always", 1, True),
        ("OnFailure", 0, False),
        ("OnFailure", 1, True),
        ("Never", 0, False),
        ("Never", 1, False),
    ],
)
def test_the_restart_policy(policy: str, exit_code: int, again: bool) -> None:
    assert restarts(policy, exit_code) is again


@pytest.mark.parametrize(
    ("pod_policy", "own", "init", "expected"),
    [
        pytest.param("Always", None, False, "Always", id="a container has its pod's"),
        pytest.param("Always", None, True, "OnFailure", id="an init container need not run twice"),
        pytest.param("Never", None, True, "Never", id="an init container of a pod that is never restarted"),
        pytest.param("Never", "Always", True, "Always", id="a container's own wins"),
    ],
)
def test_the_policy_that_holds_for_a_container(pod_policy: str, own: str | None, init: bool, expected: str) -> None:
    special = {"name": "it", "image": "app:1", **({"restartPolicy": own} if own else {})}
    spec = {"restartPolicy": pod_policy, "initContainers": [special] if init else []}
    pod = make_pod({"name": "main", "image": "app:1"} if init else special, spec=spec)
    container = (pod.spec.init_containers or pod.spec.containers)[0]

    assert restart_policy(pod, container) == expected


ENDED = {"exitCode": 2, "reason": "Error", "message": "gone", "startedAt": "2025-12-31T23:00:00Z"}
TERMINATED = Terminated(2, "Error", EARLIER, message="gone")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        pytest.param(None, ContainerState(), id="a container that nobody has seen"),
        pytest.param({"restartCount": 3}, ContainerState(restarts=3), id="one that waited"),
        pytest.param(
            {"restartCount": 3, "state": {"running": {"startedAt": "2025-12-31T23:00:00Z"}}},
            ContainerState(Terminated(137, "Error", EARLIER, NOW, 9, "the node agent ended"), restarts=3),
            id="one that ran was killed with its agent",
        ),
        pytest.param(
            {"restartCount": 3, "state": {"terminated": ENDED}},
            ContainerState(TERMINATED, restarts=3),
            id="one that had ended",
        ),
        pytest.param(
            {
                "restartCount": 3,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": ENDED},
            },
            ContainerState(TERMINATED, restarts=3),
            id="one that waited for its restart",
        ),
    ],
)
def test_what_the_next_agent_takes_up(status: dict[str, Any] | None, expected: ContainerState) -> None:
    given = None if status is None else msgspec.convert(status, ContainerStatus)

    assert adopted(given, NOW) == expected
