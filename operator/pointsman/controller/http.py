"""The operator's pages: /healthz, /readyz and /metrics."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

from pointsman.controller.metrics import Metrics

_METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Troubles = Callable[[], list[str]]
"""Says what is wrong, in words; nothing when all is well."""


class ServeError(Exception):
    """The pages cannot be served at the address; the text names it and says why."""


@asynccontextmanager
async def serving(host: str, port: int, alive: Troubles, ready: Troubles, metrics: Metrics) -> AsyncIterator[None]:
    """Serve while the block lasts. Raises ServeError."""
    runner = web.AppRunner(_application(alive, ready, metrics), access_log=None, handle_signals=False)
    await runner.setup()
    try:
        await _listen(runner, host, port)
        yield
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise ServeError(f"cannot serve on {host}, port {port}: {error.strerror or error}") from None


def _application(alive: Troubles, ready: Troubles, metrics: Metrics) -> web.Application:
    async def page(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=metrics.page(), headers={"Content-Type": _METRICS_TYPE})

    application = web.Application()
    application.router.add_get("/healthz", _probe(alive))
    application.router.add_get("/readyz", _probe(ready))
    application.router.add_get("/metrics", page)
    return application


def _probe(troubles: Troubles) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(_request: web.Request) -> web.StreamResponse:
        found = troubles()
        return web.Response(status=503 if found else 200, text="\n".join(found or ["ok"]) + "\n")

    return answer
