"""The client: what it sends, what it makes of answers, and how it waits."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, Watch, status, until

from pointsman.kube.access import Connection, no_token
from pointsman.kube.apply import apply
from pointsman.kube.client import Client, PatchKind
from pointsman.kube.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    NotSent,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from pointsman.kube.objects import Namespace
from pointsman.kube.resources import CONFIG_MAPS, DEPLOYMENTS
from pointsman.testing.clock import VirtualClock


class Tokens:
    """A token source whose token changes when it is told to forget."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = list(tokens)

    async def __call__(self) -> str:
        return self._tokens[0]

    def forget(self) -> None:
        if len(self._tokens) > 1:
            del self._tokens[0]


def refused(code: int, reason: str = "Reason", message: str = "no", **headers: str) -> Reply:
    return Reply(code, status(code, reason, message), headers)


async def test_an_object_is_read_as_its_struct(api: FakeApi, client: Client) -> None:
    api.calls.append(Reply(body={"metadata": {"name": "blue", "labels": {"a": "b"}}, "spec": {"finalizers": []}}))
    namespace = await client.get("/api/v1/namespaces/blue", Namespace)
    assert (namespace.metadata.name, namespace.metadata.labels) == ("blue", {"a": "b"})
    assert api.requests[0].headers["User-Agent"] == "pointsman-test"
    assert "Authorization" not in api.requests[0].headers


async def test_queries_are_encoded(api: FakeApi, client: Client) -> None:
    api.calls.append(Reply(body={"items": []}))
    assert await client.get_json("/api/v1/pods", labelSelector="a in (b, c)", limit="5") == {"items": []}
    assert api.requests[0].query == {"labelSelector": "a in (b, c)", "limit": "5"}


async def test_create_sends_the_object(api: FakeApi, client: Client) -> None:
    api.calls.append(Reply(201, {"kind": "Status"}))
    await client.create("/api/v1/namespaces/n/pods/p/binding", {"target": {"name": "ä"}})
    assert api.requests[0].method == "POST"
    assert api.requests[0].headers["Content-Type"] == "application/json"
    assert api.requests[0].json == {"target": {"name": "ä"}}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"uid": "u-1"}, {"preconditions": {"uid": "u-1"}}),
        ({"grace_seconds": 0}, {"gracePeriodSeconds": 0}),
        ({"propagation": "Background"}, {"propagationPolicy": "Background"}),
    ],
    ids=["plain", "only that object", "at once", "with dependents"],
)
async def test_delete_states_its_options(
    api: FakeApi, client: Client, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    api.calls.append(Reply(body={}))
    await client.delete("/api/v1/namespaces/n/configmaps/c", **options)
    assert api.requests[0].json == {"apiVersion": "v1", "kind": "DeleteOptions", **expected}


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [
        (PatchKind.MERGE, "application/merge-patch+json"),
        (PatchKind.JSON, "application/json-patch+json"),
        (PatchKind.STRATEGIC, "application/strategic-merge-patch+json"),
    ],
    ids=lambda value: str(value).split("/")[-1],
)
async def test_a_patch_says_what_kind_it_is(api: FakeApi, client: Client, kind: PatchKind, content_type: str) -> None:
    api.calls.append(Reply(body={"after": True}))
    assert json.loads(await client.patch("/x", [{"op": "test"}], kind=kind)) == {"after": True}
    assert api.requests[0].headers["Content-Type"] == content_type


@pytest.mark.parametrize(
    ("options", "subresource", "query"),
    [
        ({}, "", {"fieldManager": "pointsman", "force": "true"}),
        ({"dry_run": True}, "", {"fieldManager": "pointsman", "force": "true", "dryRun": "All"}),
        ({"subresource": "status"}, "/status", {"fieldManager": "pointsman", "force": "true"}),
    ],
    ids=["plain", "dry run", "status"],
)
async def test_apply_is_a_forced_server_side_apply(
    api: FakeApi, client: Client, options: dict[str, Any], subresource: str, query: dict[str, str]
) -> None:
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"}}
    api.calls.append(Reply(body=obj | {"status": {}}))
    assert await apply(client, DEPLOYMENTS, obj, **options) == obj | {"status": {}}
    call = api.requests[0]
    assert (call.method, call.path) == ("PATCH", f"/apis/apps/v1/namespaces/n/deployments/d{subresource}")
    assert (call.query, call.json) == (query, obj)
    assert call.headers["Content-Type"] == "application/apply-patch+yaml"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (410, Gone),
        (422, Invalid),
        (400, ApiError),
        (500, ApiError),
        (503, ApiError),
    ],
    ids=str,
)
async def test_a_refusal_is_an_error_of_its_kind(
    api: FakeApi, client: Client, code: int, error: type[ApiError]
) -> None:
    api.calls.extend([refused(code, "SomeReason", "configmaps is not for you")] * 2)
    with pytest.raises(error) as refusal:
        await client.get_json(CONFIG_MAPS.path("n", "c"))
    assert (refusal.value.status, refusal.value.reason) == (code, "SomeReason")
    assert str(refusal.value) == "configmaps is not for you"


@pytest.mark.parametrize("body", [b"<html>" + b"x" * 5000, b"", b"\xff\xfe"], ids=["page", "nothing", "not text"])
async def test_a_refusal_without_a_status_object_is_told_in_short(api: FakeApi, client: Client, body: bytes) -> None:
    api.calls.append(Reply(502, body))
    with pytest.raises(ApiError) as refusal:
        await client.get_json("/x")
    assert refusal.value.status == 502
    assert 0 < len(str(refusal.value)) <= 512


async def test_an_answer_that_is_not_what_was_asked_for_is_an_error(api: FakeApi, client: Client) -> None:
    api.calls.append(Reply(body=b"<html>log in first</html>"))
    with pytest.raises(ApiError, match="not what was asked for"):
        await client.get_json("/x")


async def test_a_redirect_is_not_followed(api: FakeApi, client: Client) -> None:
    api.calls.append(Reply(307, b"", {"Location": f"{api.url}/elsewhere"}))
    with pytest.raises(ApiError) as refusal:
        await client.get_json("/x")
    assert refusal.value.status == 307
    assert len(api.requests) == 1


async def test_no_answer_is_unreachable(api: FakeApi, client: Client) -> None:
    await api.stop()
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
        await client.get_json("/x")


async def test_an_answer_that_does_not_come_in_time_is_unreachable(api: FakeApi, client: Client) -> None:
    never = asyncio.Event()
    api.calls.append(Reply(hold=never))
    with pytest.raises(Unreachable, match="timed out"):
        await client.request("GET", "/x", timeout=0.01)


# --- 429


async def test_429_is_asked_again_after_the_time_that_it_names(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.calls.extend([refused(429, **{"Retry-After": "7"}), Reply(body={"fine": True})])
    call = asyncio.create_task(client.get_json("/x"))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(6.9)
    assert len(api.requests) == 1
    await clock.advance(0.1)
    assert await call == {"fine": True}


async def test_429_without_a_header_is_asked_again_after_what_its_status_says(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    body = status(429, "TooManyRequests", "slow down", retryAfterSeconds=3)
    api.calls.extend([Reply(429, body), Reply(body={})])
    call = asyncio.create_task(client.get_json("/x"))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(2.9)
    assert len(api.requests) == 1
    await clock.advance(0.1)
    assert await call == {}


async def test_429_again_and_again_ends(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    api.calls.extend([refused(429)] * 20)
    call = asyncio.create_task(client.request("GET", "/x", timeout=1000))
    while not call.done():
        await clock.advance(1)
    with pytest.raises(TooManyRequests):
        await call
    assert len(api.requests) == 6


async def test_a_wait_that_does_not_fit_the_time_of_the_call_is_left_to_the_caller(
    api: FakeApi, client: Client
) -> None:
    api.calls.append(refused(429, **{"Retry-After": "60"}))
    with pytest.raises(TooManyRequests) as refusal:
        await client.request("GET", "/x", timeout=30)
    assert refusal.value.retry_after == 60


# --- credentials


async def test_a_refused_token_is_read_again_once(api: FakeApi, clock: VirtualClock) -> None:
    tokens = Tokens("old", "new")
    api.calls.extend([refused(401), Reply(body={})])
    connection = Connection(api.url, None, tokens, "default", tokens.forget)
    async with Client(connection, user_agent="test", clock=clock) as client:
        await client.get_json("/x")
    assert [call.headers["Authorization"] for call in api.requests] == ["Bearer old", "Bearer new"]


async def test_a_token_that_stays_refused_is_an_error_that_does_not_show_it(api: FakeApi, clock: VirtualClock) -> None:
    tokens = Tokens("secret-1", "secret-2", "secret-3")
    api.calls.extend([refused(401), refused(401)])
    connection = Connection(api.url, None, tokens, "default", tokens.forget)
    async with Client(connection, user_agent="test", clock=clock) as client:
        with pytest.raises(Unauthorized) as refusal:
            await client.get_json("/x")
    assert "secret" not in repr(refusal.value)
    assert len(api.requests) == 2


async def test_a_refused_token_of_a_stream_is_read_again_once(api: FakeApi, clock: VirtualClock) -> None:
    tokens = Tokens("old", "new")
    watch = Watch()
    api.watches.extend([refused(401), watch])
    connection = Connection(api.url, None, tokens, "default", tokens.forget)
    async with (
        Client(connection, user_agent="test", clock=clock) as client,
        aclosing(client.stream("/x", query={"watch": "true"})) as stream,
    ):
        assert await anext(stream) == b""
    assert api.watched[-1].headers["Authorization"] == "Bearer new"


# --- turns and the fence


@pytest.fixture
async def narrow(api: FakeApi, clock: VirtualClock) -> AsyncIterator[Client]:
    """A client that makes one call at a time."""
    connection = Connection(api.url, None, no_token, "default")
    async with Client(connection, user_agent="test", clock=clock, max_connections=1) as client:
        yield client


async def test_a_call_that_its_fence_holds_back_is_not_sent(api: FakeApi, client: Client) -> None:
    with pytest.raises(NotSent, match="POST /x"):
        await client.request("POST", "/x", body=b"{}", may_send=lambda: False)
    assert api.requests == []


async def test_a_fence_that_falls_while_the_call_is_made_holds_the_body_back(api: FakeApi, client: Client) -> None:
    answers = iter((True, False))
    with pytest.raises(NotSent, match="POST /x"):
        await client.request("POST", "/x", body=b"{}", may_send=lambda: next(answers))
    assert api.requests == []
    api.calls.append(Reply(body={}))
    await client.request("POST", "/y", body=b"{}", may_send=lambda: True)
    assert [request.path for request in api.requests] == ["/y"]


async def test_the_fence_is_asked_after_the_wait_for_a_turn(api: FakeApi, narrow: Client) -> None:
    leading = True
    held = asyncio.Event()
    api.calls.append(Reply(body={}, hold=held))
    first = asyncio.create_task(narrow.get_json("/first"))
    await until(lambda: len(api.requests) == 1)
    second = asyncio.create_task(narrow.request("POST", "/second", body=b"{}", may_send=lambda: leading))
    await asyncio.sleep(0)
    leading = False
    held.set()
    await first
    with pytest.raises(NotSent):
        await second
    assert [call.path for call in api.requests] == ["/first"]


async def test_the_fence_is_asked_again_after_429(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    api.calls.append(refused(429, **{"Retry-After": "7"}))
    leading = True
    call = asyncio.create_task(client.request("POST", "/x", body=b"{}", may_send=lambda: leading))
    await until(lambda: clock.sleepers == 1)
    leading = False
    await clock.advance(7)
    with pytest.raises(NotSent):
        await call
    assert len(api.requests) == 1


async def test_an_urgent_call_does_not_wait_for_its_turn(api: FakeApi, narrow: Client) -> None:
    held = asyncio.Event()
    api.calls.extend([Reply(body={}, hold=held), Reply(body={"fine": True})])
    first = asyncio.create_task(narrow.get_json("/first"))
    await until(lambda: len(api.requests) == 1)
    assert await narrow.request("GET", "/urgent", urgent=True) == b'{"fine": true}'
    held.set()
    await first


async def test_the_wait_for_a_turn_is_part_of_the_time_of_a_call(api: FakeApi, narrow: Client) -> None:
    held = asyncio.Event()
    api.calls.append(Reply(body={}, hold=held))
    first = asyncio.create_task(narrow.get_json("/first"))
    await until(lambda: len(api.requests) == 1)
    with pytest.raises(Unreachable, match="timed out"):
        await narrow.request("GET", "/second", timeout=0.01)
    held.set()
    await first
    assert len(api.requests) == 1


# --- streams


async def test_streams_take_nobodys_turn(api: FakeApi, narrow: Client) -> None:
    api.calls.append(Reply(body={"fine": True}))
    streams = [narrow.stream(f"/{number}", query={"watch": "true"}) for number in range(3)]
    for stream in streams:
        assert await anext(stream) == b""
    assert await narrow.get_json("/x") == {"fine": True}
    for stream in streams:
        await stream.aclose()


async def test_a_stream_that_breaks_is_unreachable(api: FakeApi, client: Client) -> None:
    watch = Watch()
    api.watches.append(watch)
    async with aclosing(client.stream("/x", query={"watch": "true"})) as stream:
        await anext(stream)
        await watch.write(b"half a li")
        assert await anext(stream) == b"half a li"
        watch.reset()
        with pytest.raises(Unreachable):
            await anext(stream)


async def test_a_client_that_is_not_open_says_so(api: FakeApi) -> None:
    client = Client(Connection(api.url, None, no_token, "default"), user_agent="test")
    with pytest.raises(RuntimeError, match="async with"):
        await client.get_json("/x")


async def test_a_struct_can_be_created(api: FakeApi, client: Client) -> None:
    class Target(msgspec.Struct):
        name: str

    api.calls.append(Reply(201, {}))
    await client.create("/x", Target("n1"))
    assert api.requests[0].json == {"name": "n1"}
