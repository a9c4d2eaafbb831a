"""Probes over real connections: what counts as an answer, and what does not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.unit.agent.pods import make_container
from tests.unit.kube.fake_api import FakeApi, Reply

from pointsman.sandbox.agent.checks import Prober
from pointsman.sandbox.agent.podspec import Probe


@pytest.fixture
async def server() -> AsyncIterator[FakeApi]:
    server = FakeApi()
    await server.start()
    yield server
    await server.stop()


async def ask(port: int, **fields: Any) -> bool:
    container = make_container(ports=[{"name": "http", "containerPort": port}])
    async with Prober() as prober:
        return await prober.check(container, "127.0.0.1")(msgspec.convert(fields, Probe))


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (302, True), (399, True), (404, False), (503, False)])
async def test_a_status_below_400_is_healthy_and_redirects_are_not_followed(
    server: FakeApi, status: int, healthy: bool
) -> None:
    server.calls.append(Reply(status, {}, {"Location": "/elsewhere"} if status == 302 else {}))

    headers = [{"name": "X-Probe", "value": "1"}]
    answer = await ask(server.port, httpGet={"path": "/healthz?full=1", "port": "http", "httpHeaders": headers})

    assert answer is healthy
    [call] = server.requests
    assert (call.path, call.query, call.headers["X-Probe"]) == ("/healthz", {"full": "1"}, "1")


async def test_no_answer_in_time_is_unhealthy(server: FakeApi) -> None:
    never = asyncio.Event()
    server.calls.append(Reply(200, {}, hold=never))

    assert not await ask(server.port, httpGet={"port": "http"}, timeoutSeconds=0)

    never.set()


async def test_a_port_on_which_nobody_listens_is_unhealthy(server: FakeApi) -> None:
    port = server.port
    await server.stop()

    assert not await ask(port, httpGet={"port": "http"})
    assert not await ask(port, tcpSocket={"port": "http"})


async def test_a_connection_is_enough_for_a_tcp_probe(server: FakeApi) -> None:
    assert await ask(server.port, tcpSocket={"port": "http"})
    assert server.requests == []
