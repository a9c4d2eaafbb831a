"""The engine's pages: probes, metrics, and the policy in force.

/healthz   the loops turn and no watch hangs; 503 makes the kubelet restart the container
/readyz    caches are complete and the policy is loaded; a standby is ready too
/metrics   Prometheus
/configz   the policy documents in force with their full hashes
"""

from collections.abc import Callable, Sequence

import msgspec
from aiohttp import web

from pointsman.engine.process.listen import Listen
from pointsman.engine.report.metrics import Metrics
from pointsman.policy.policy import Policy

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def pages(
    policies: Sequence[Policy],
    metrics: Metrics,
    troubles: Callable[[], Sequence[str]],
    missing: Callable[[], Sequence[str]],
) -> web.Application:
    """The pages of one process. `troubles` are why it is not healthy, `missing` what it still waits for to be ready."""
    in_force = {
        "policies": [
            {"profile": one.profile, "hash": one.hash, "policy": msgspec.to_builtins(one.document)} for one in policies
        ]
    }
    config = msgspec.json.encode(in_force)

    async def healthz(_request: web.Request) -> web.Response:
        return _probe(troubles())

    async def readyz(_request: web.Request) -> web.Response:
        return _probe(missing())

    async def metrics_page(_request: web.Request) -> web.Response:
        return web.Response(body=metrics.text(), headers={"Content-Type": METRICS_TYPE})

    async def configz(_request: web.Request) -> web.Response:
        return web.Response(body=config, content_type="application/json")

    application = web.Application()
    application.router.add_get("/healthz", healthz)
    application.router.add_get("/readyz", readyz)
    application.router.add_get("/metrics", metrics_page)
    application.router.add_get("/configz", configz)
    return application


class ServeError(Exception):
    """The pages cannot be served at the address; the text names it and says why."""


async def serve(application: web.Application, listen: Listen) -> web.AppRunner:
    """Listen; the runner that is returned must be cleaned up. Raises ServeError."""
    runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, listen.host, listen.port).start()
    except OSError as error:
        await runner.cleanup()
        raise ServeError(f"cannot serve on {listen}: {error.strerror or error}") from None
    return runner


def _probe(problems: Sequence[str]) -> web.Response:
    if not problems:
        return web.Response(text="ok\n")
    return web.Response(text="\n".join(problems) + "\n", status=503)
