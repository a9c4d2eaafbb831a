"""A server on the loopback device, a client that talks to it, and time that stands still."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.kube.fake_api import FakeApi
from tests.unit.kube.lease_server import LeaseServer

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.testing.clock import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    server = FakeApi()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def client(api: FakeApi, clock: VirtualClock) -> AsyncIterator[Client]:
    connection = Connection(api.url, None, no_token, "default")
    async with Client(connection, user_agent="pointsman-test", clock=clock) as client:
        yield client


@pytest.fixture
def server() -> LeaseServer:
    server = LeaseServer()
    server.make()
    return server
