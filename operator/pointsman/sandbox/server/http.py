"""The sockets: calls from aiohttp to the `Api` and answers back.

aiohttp's low-level server does without routes and middlewares, which would cost more than most answers here.
"""

import ssl
import tempfile

from aiohttp import ClientConnectionResetError, web

from pointsman.sandbox.server.answer import Answer, refusal
from pointsman.sandbox.server.api import Api, Lines
from pointsman.sandbox.server.certificate import Certificate
from pointsman.sandbox.server.request import Call
from pointsman.sandbox.store.errors import Refused

_STOP_SECONDS = 0.2


class ServeError(Exception):
    """The address cannot be listened on; the text names it and says why."""


async def serve(api: Api, certificate: Certificate, host: str, port: int) -> tuple[web.ServerRunner, int]:
    """Listen; returns what must be cleaned up, and the port. Raises ServeError."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        return await _respond(api, request)

    runner = web.ServerRunner(
        web.Server(handler, access_log=None, handler_cancellation=True),
        handle_signals=False,
        shutdown_timeout=_STOP_SECONDS,
    )
    await runner.setup()
    site = web.TCPSite(runner, host, port, ssl_context=_context(certificate))
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise ServeError(f"cannot serve on {host}:{port}: {error.strerror or error}") from None
    return runner, int(runner.addresses[0][1])


async def _respond(api: Api, request: web.BaseRequest) -> web.StreamResponse:
    body = await request.read() if request.body_exists else b""
    found = api.handle(Call(request.method, request.path, request.query, request.headers, body))
    if isinstance(found, Answer):
        return _whole(found)
    return await _stream(found, request)


async def _stream(pieces: Lines, request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.enable_chunked_encoding()
    try:
        first = await anext(pieces)
    except Refused as refused:
        return _whole(refusal(refused))
    await response.prepare(request)
    try:
        if first:
            await response.write(first)
        async for piece in pieces:
            await response.write(piece)
        await response.write_eof()
    except (ClientConnectionResetError, ConnectionResetError):
        pass  # the reader has left
    finally:
        await pieces.aclose()
    return response


def _whole(answer: Answer) -> web.Response:
    headers = {"Content-Type": answer.content_type}
    response = web.Response(body=answer.body, status=answer.status, headers=headers)
    for warning in answer.warnings:
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
    if answer.status == 429:
        response.headers["Retry-After"] = "1"
    return response


def _context(certificate: Certificate) -> ssl.SSLContext:
    """OpenSSL takes a key from a file only, so there is one, ours alone, for that moment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(prefix="pointsman-") as pair:  # mode 0600
        pair.write(certificate.certificate + certificate.key)
        pair.flush()
        context.load_cert_chain(pair.name)
    return context
