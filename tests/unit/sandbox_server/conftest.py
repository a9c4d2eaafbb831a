"""A server for each test."""

import pytest
from tests.unit.sandbox_server.calls import Server


@pytest.fixture
def server() -> Server:
    """A new server, with a `default` ServiceAccount in `default` as the namespace controller would make it."""
    made = Server()
    made.done("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    return made
