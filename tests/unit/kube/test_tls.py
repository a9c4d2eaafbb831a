"""Connections over TLS that end in the middle: nothing of them may be left behind."""

import asyncio
import gc
import socket
import ssl
import threading
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.sandbox.server.certificate import self_signed

HELLO = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"


class MuteServer:
    """Takes connections, says what it has to say to each, and then neither speaks nor closes."""

    def __init__(self, context: ssl.SSLContext, said: bytes) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.heard = threading.Event()
        self.connections: list[socket.socket] = []
        self._context = context
        self._said = said
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        accepted, _ = self.listener.accept()
        connection = self._context.wrap_socket(accepted, server_side=True)
        self.connections.append(connection)
        connection.recv(4096)
        connection.sendall(self._said)
        self.heard.set()

    def close(self) -> None:
        self._thread.join(5)
        for connection in (*self.connections, self.listener):
            connection.close()


@pytest.fixture
def contexts(tmp_path: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's and a client's, of one certificate."""
    made = self_signed("127.0.0.1", "localhost", datetime.now(UTC))
    (tmp_path / "tls.crt").write_bytes(made.certificate)
    (tmp_path / "tls.key").write_bytes(made.key)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    return server, ssl.create_default_context(cafile=str(tmp_path / "tls.crt"))


@pytest.fixture(params=[b"", HELLO], ids=["before the answer", "in the middle of the answer"])
def server(request: pytest.FixtureRequest, contexts: tuple[ssl.SSLContext, ssl.SSLContext]) -> Iterator[MuteServer]:
    mute = MuteServer(contexts[0], request.param)
    yield mute
    mute.close()


def test_a_watch_that_is_cancelled_leaves_no_connection_open(
    server: MuteServer, contexts: tuple[ssl.SSLContext, ssl.SSLContext]
) -> None:
    url = f"https://127.0.0.1:{server.listener.getsockname()[1]}"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(_cancel_a_watch(Connection(url, contexts[1], no_token, "default"), server.heard))
        gc.collect()
    assert [str(warning.message) for warning in told if warning.category is ResourceWarning] == []


async def _cancel_a_watch(connection: Connection, heard: threading.Event) -> None:
    async with Client(connection, user_agent="test") as client:

        async def watch() -> None:
            async for _ in client.stream("/x", query={"watch": "true"}):
                pass

        task = asyncio.create_task(watch())
        assert await asyncio.to_thread(heard.wait, 5)
        task.cancel()
        await asyncio.wait([task])
