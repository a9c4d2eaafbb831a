"""`pointsman operator`: turns SchedulerProfiles into running schedulers, in a cluster or from a workstation."""

import asyncio
import logging
import os
import random
import signal
import socket
from importlib.metadata import version
from typing import Any, NoReturn

import click
import prometheus_client

from pointsman.api import names
from pointsman.api.logs import LEVELS, LogFormat, setup
from pointsman.controller.http import ServeError
from pointsman.controller.process import Options, run
from pointsman.controller.render.children import Fleet
from pointsman.engine.process.listen import Listen, parse_listen
from pointsman.kube.client import Client
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import ConnectionError_, connect

logger = logging.getLogger(__name__)


def _default_listen() -> str:
    return str(Listen(os.environ.get("POD_IP") or "127.0.0.1", names.ENGINE_PORT))


def _own_image() -> str:
    """What engines run when their profile names no image."""
    return os.environ.get("POINTSMAN_ENGINE_IMAGE") or f"pointsman/pointsman:{version('pointsman')}"


def _listen(ctx: click.Context, param: click.Parameter, value: str) -> Listen:
    try:
        return parse_listen(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


@click.command()
@click.option("--kubeconfig", metavar="FILE", help="How to reach the API server; else KUBECONFIG, else in-cluster.")
@click.option(
    "--fleet-namespace",
    envvar="POINTSMAN_FLEET_NAMESPACE",
    default=names.FLEET_NAMESPACE,
    show_default=True,
    show_envvar=True,
    metavar="NAME",
    help="Where engines run.",
)
@click.option(
    "--namespace",
    envvar="POD_NAMESPACE",
    default=names.OPERATOR_NAMESPACE,
    show_default=True,
    show_envvar=True,
    metavar="NAME",
    help="Where the operator's own Lease and the list of allowed images are.",
)
@click.option("--allow-any-image", is_flag=True, help="Ignore the list of allowed images. For a workstation only.")
@click.option(
    "--listen",
    default=_default_listen,
    metavar="HOST:PORT",
    callback=_listen,
    help=f"Where /healthz, /readyz and /metrics are served; default $POD_IP:{names.ENGINE_PORT}.",
)
@click.option("--log-format", type=click.Choice([one.value for one in LogFormat]), default="auto", show_default=True)
@click.option("--log-level", type=click.Choice(list(LEVELS)), default="Info", show_default=True)
def command(
    kubeconfig: str | None,
    fleet_namespace: str,
    namespace: str,
    allow_any_image: bool,
    listen: Listen,
    log_format: str,
    log_level: str,
) -> NoReturn:
    """Run the operator, in a cluster or from a workstation."""
    setup(LogFormat(log_format), log_level)
    _quieten_kopf(log_level)
    prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
    options = Options(
        identity=os.environ.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}",
        namespace=namespace,
        fleet=Fleet(fleet_namespace, _own_image()),
        listen=(listen.host, listen.port),
        allow_any_image=allow_any_image,
    )
    raise SystemExit(asyncio.run(_main(options, kubeconfig)))


async def _main(options: Options, kubeconfig: str | None) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        connection = await connect(kubeconfig)
        agent = f"pointsman-operator/{version('pointsman')}"
        async with Client(connection, user_agent=agent) as client:
            made: dict[str, Any] = {"clock": SystemClock(), "rng": random.Random()}  # noqa: S311
            return await run(client, connection, options, stop, **made)
    except (ConnectionError_, ServeError) as error:
        click.echo(f"pointsman operator: {error}", err=True)
    except Exception:
        logger.exception("the operator failed")
    return names.EXIT_FAULT


def _quieten_kopf(log_level: str) -> None:
    """kopf tells at Info of every event that it hands on, and warns that it leaves signals to us."""
    if log_level != "Debug":
        logging.getLogger("kopf").setLevel(logging.WARNING)
        logging.getLogger("kopf._core.reactor.running").setLevel(logging.ERROR)
