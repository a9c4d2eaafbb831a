"""The certificate is one that TLS libraries accept, also where they are strict."""

import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pointsman.sandbox.server.certificate import self_signed


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_a_client_that_trusts_it_reaches_the_server_by_either_name(tmp_path: Path, name: str) -> None:
    made = self_signed("127.0.0.1", "localhost", datetime.now(UTC))
    pair = tmp_path / "pair.pem"
    pair.write_bytes(made.certificate + made.key)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(pair)
    trusting = ssl.create_default_context(cadata=made.certificate.decode())
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0, ssl=serving)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting, server_hostname=name)
        assert await reader.readline() == b"hello\n"
        writer.close()
        await writer.wait_closed()


def test_two_certificates_have_nothing_in_common() -> None:
    now = datetime.now(UTC)
    one, other = self_signed("127.0.0.1", "localhost", now), self_signed("127.0.0.1", "localhost", now)
    assert one.key != other.key
    assert one.certificate != other.certificate
