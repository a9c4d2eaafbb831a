"""Events: their shape, their limits, and that nobody waits for them."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, status, until

from pointsman.kube.client import Client
from pointsman.kube.events import EventWriter, cut, event_name
from pointsman.testing.clock import VirtualClock

POD = {"apiVersion": "v1", "kind": "Pod", "namespace": "team-a", "name": "web-1", "uid": "u-1"}
NODE = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u-2"}


def a_writer(client: Client, clock: VirtualClock, **options: int) -> EventWriter:
    return EventWriter(
        client, reporting_controller="gpu-binpack", reporting_instance="engine-1", clock=clock, **options
    )


@asynccontextmanager
async def writing(writer: EventWriter) -> AsyncIterator[None]:
    task = asyncio.create_task(writer.run())
    try:
        yield
        assert not task.done(), "run() must not end by itself"
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def tell(writer: EventWriter, note: str = "hello", regarding: dict[str, Any] | None = None, **more: Any) -> None:
    writer.post(regarding=regarding or POD, reason="Scheduled", note=note, type="Normal", action="Binding", **more)


async def test_an_event_has_the_shape_that_kubectl_and_tools_know(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.calls.append(Reply(201, {}))
    writer = a_writer(client, clock)
    tell(writer, "Successfully assigned team-a/web-1 to n1", related=NODE)
    async with writing(writer):
        await until(lambda: writer.written == 1)
    call = api.requests[0]
    assert (call.method, call.path) == ("POST", "/apis/events.k8s.io/v1/namespaces/team-a/events")
    event = call.json
    assert re.fullmatch(r"web-1\.[0-9a-f]{16}", event["metadata"].pop("name"))
    assert event == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "team-a"},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "gpu-binpack",
        "reportingInstance": "engine-1",
        "action": "Binding",
        "reason": "Scheduled",
        "regarding": POD,
        "related": NODE,
        "note": "Successfully assigned team-a/web-1 to n1",
        "type": "Normal",
    }


async def test_events_of_cluster_scoped_objects_lie_in_default(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.calls.append(Reply(201, {}))
    writer = a_writer(client, clock)
    tell(writer, regarding=NODE)
    async with writing(writer):
        await until(lambda: writer.written == 1)
    assert api.requests[0].path == "/apis/events.k8s.io/v1/namespaces/default/events"
    assert api.requests[0].json["metadata"]["namespace"] == "default"


async def test_a_full_queue_drops_the_oldest_and_counts(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    api.calls.extend([Reply(201, {})] * 3)
    writer = a_writer(client, clock, capacity=3, workers=1)
    for number in range(10):
        tell(writer, str(number))
    assert writer.dropped == 7
    async with writing(writer):
        await until(lambda: writer.written == 3)
    assert [call.json["note"] for call in api.requests] == ["7", "8", "9"]


async def test_refused_events_are_counted_and_told_once(
    api: FakeApi, client: Client, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    api.calls.extend([Reply(403, status(403, "Forbidden", "not for you"))] * 3 + [Reply(201, {})])
    writer = a_writer(client, clock, workers=1)
    async with writing(writer):
        for _ in range(4):
            tell(writer)
        await until(lambda: writer.written == 1)
    assert writer.failed == 3
    assert writer.last_error == "forbidden: cannot create events in namespace team-a: not for you"
    assert len(caplog.records) == 1


async def test_an_event_without_an_answer_is_sent_again_and_counts_once(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    writer = a_writer(client, clock, workers=1)
    held = asyncio.Event()
    api.calls.extend([Reply(201, {}, hold=held), Reply(409, status(409, "AlreadyExists", "it is there"))])
    async with writing(writer):
        tell(writer)
        await until(lambda: len(api.requests) == 1)
        api.drop_connections()
        await until(lambda: clock.sleepers == 1)
        await clock.advance(1)
        await until(lambda: writer.written == 1)
    assert writer.failed == 0
    assert api.requests[0].json["metadata"]["name"] == api.requests[1].json["metadata"]["name"]


async def test_an_event_that_never_gets_an_answer_is_given_up(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    await api.stop()
    writer = a_writer(client, clock, workers=1)
    async with writing(writer):
        tell(writer)
        for _ in range(2):
            await until(lambda: clock.sleepers == 1)
            await clock.advance(1)
        await until(lambda: writer.failed == 1)
    assert writer.written == 0


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("short", "short"),
        ("x" * 1024, "x" * 1024),
        ("x" * 1025, "x" * 1020 + " ..."),
        ("駅" * 400, "駅" * 340 + " ..."),  # 3 bytes each: 340 fill the 1020 before the end
        ("\udc80", "?"),
    ],
    ids=["short", "just fits", "one too long", "three bytes a character", "no character"],
)
def test_a_note_is_cut_where_kube_scheduler_cuts_it(note: str, expected: str) -> None:
    assert cut(note) == expected
    assert len(cut(note).encode()) <= 1024


@pytest.mark.parametrize(
    "name", ["web-1", "pointsman:engine:gpu", "Übung", "x" * 253, "a." * 120, ""], ids=lambda name: name[:8] or "none"
)
def test_a_name_is_one_that_the_server_takes(name: str, clock: VirtualClock) -> None:
    made = event_name(name, clock.now(), 1)
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", made)
    assert len(made) <= 253


def test_names_of_one_moment_differ(clock: VirtualClock) -> None:
    assert len({event_name("web-1", clock.now(), count) for count in range(1000)}) == 1000
