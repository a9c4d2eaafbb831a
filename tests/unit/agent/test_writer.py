"""Statuses are written once each, newest first, to the pod that they are meant for, and through bad weather."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, status, until

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.sandbox.agent.writer import PodRef, StatusWriter
from pointsman.testing.clock import VirtualClock

POD = PodRef("ns", "web", "u1")
PATH = "/api/v1/namespaces/ns/pods/web"


@pytest.fixture
async def writer(api: FakeApi, clock: VirtualClock) -> AsyncIterator[StatusWriter]:
    async with Client(Connection(api.url, None, no_token, "ns"), user_agent="test", clock=clock) as client:
        writer = StatusWriter(client, clock=clock, rng=random.Random(0))
        task = asyncio.create_task(writer.run())
        yield writer
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def phase(name: str) -> dict[str, Any]:
    return {"phase": name}


def written(api: FakeApi) -> list[str]:
    """Methods, and the phases of patches."""
    return [call.json["status"]["phase"] if call.method == "PATCH" else call.method for call in api.requests]


async def test_a_status_is_a_strategic_patch_for_that_pod_only(api: FakeApi, writer: StatusWriter) -> None:
    api.calls.append(Reply(200, {}))

    writer.status(POD, lambda: phase("Running"))
    await writer.drained()

    [call] = api.requests
    assert (call.method, call.path) == ("PATCH", f"{PATH}/status")
    assert call.headers["Content-Type"] == "application/strategic-merge-patch+json"
    assert call.json == {"metadata": {"uid": "u1"}, "status": {"phase": "Running"}}


async def test_of_many_statuses_that_come_during_a_write_only_the_newest_is_sent(
    api: FakeApi, writer: StatusWriter
) -> None:
    answer = asyncio.Event()
    api.calls += [Reply(200, {}, hold=answer), Reply(200, {})]
    writer.status(POD, lambda: phase("1"))
    await until(lambda: len(api.requests) == 1)

    for number in range(2, 10):
        writer.status(POD, lambda number=number: phase(str(number)))  # type: ignore[misc]
    answer.set()
    await writer.drained()

    assert written(api) == ["1", "9"]


async def test_a_pod_is_removed_after_its_last_status(api: FakeApi, writer: StatusWriter) -> None:
    api.calls += [Reply(200, {}), Reply(200, {})]

    writer.status(POD, lambda: phase("Succeeded"))
    writer.remove(POD)
    await writer.drained()

    assert written(api) == ["Succeeded", "DELETE"]
    assert api.requests[1].path == PATH
    assert api.requests[1].json.items() >= {"gracePeriodSeconds": 0, "preconditions": {"uid": "u1"}}.items()


async def test_a_server_that_fails_is_asked_again_with_what_is_newest_then(
    api: FakeApi, writer: StatusWriter, clock: VirtualClock
) -> None:
    api.calls += [Reply(503, status(503, "ServiceUnavailable", "later"))] * 2 + [Reply(200, {})]
    writer.status(POD, lambda: phase("old"))
    await until(lambda: len(api.requests) == 1 and clock.sleepers == 1)
    writer.status(POD, lambda: phase("new"))

    clock.jump(1)  # the first wait is at most a second
    await until(lambda: len(api.requests) == 2 and clock.sleepers == 1)
    clock.jump(2)  # and the second two
    await writer.drained()

    assert written(api) == ["old", "new", "new"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param(404, "NotFound", id="the pod is gone"),
        pytest.param(409, "Conflict", id="a namesake stands in its place"),
        pytest.param(422, "Invalid", id="the server will never take it"),
        pytest.param(403, "Forbidden", id="nor from us"),
    ],
)
async def test_what_is_refused_is_given_up(api: FakeApi, writer: StatusWriter, code: int, reason: str) -> None:
    api.calls += [Reply(code, status(code, reason, "no"))] * 2

    writer.status(POD, lambda: phase("Running"))
    await writer.drained()

    assert written(api) == ["Running"]


async def test_pods_do_not_wait_for_each_other(api: FakeApi, writer: StatusWriter) -> None:
    never = asyncio.Event()
    api.calls += [Reply(200, {}, hold=never)] * 3 + [Reply(200, {})]
    for number in range(4):
        writer.status(PodRef("ns", f"pod-{number}", "u"), lambda: phase("Running"))

    await until(lambda: len(api.requests) == 4)

    never.set()
    await writer.drained()
