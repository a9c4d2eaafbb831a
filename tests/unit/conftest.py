"""Time that stands still, and an API server on the loopback device that says what a test tells it to."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.kube.fake_api import FakeApi

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
