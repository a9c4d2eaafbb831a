"""A client of the scripted API server, and a Lease server in memory."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.kube.fake_api import FakeApi
from tests.unit.kube.lease_server import LeaseServer

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.testing.clock import VirtualClock


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
