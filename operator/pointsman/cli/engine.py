"""`pointsman engine`: the scheduler process of one or more profiles."""

import asyncio
import logging
import os
import random
import signal
import socket
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
import prometheus_client
import uvloop

from pointsman.api.logs import LEVELS, LogFormat, setup
from pointsman.api.names import ENGINE_PORT, EXIT_FAULT, EXIT_POLICY, POLICY_DIRECTORY
from pointsman.engine.process.http import ServeError
from pointsman.engine.process.identity import Identity, parse_lease
from pointsman.engine.process.listen import Listen, parse_listen
from pointsman.engine.process.policy_files import Expectation, PolicyFileError, load_policies, parse_expectation
from pointsman.engine.process.process import run
from pointsman.engine.process.termination import write_termination_message
from pointsman.kube.client import Client
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import ConnectionError_, connect
from pointsman.policy.policy import Policy

logger = logging.getLogger(__name__)
T = TypeVar("T")


def _default_listen() -> str:
    address = os.environ.get("POD_IP") or "127.0.0.1"
    return f"[{address}]:{ENGINE_PORT}" if ":" in address else f"{address}:{ENGINE_PORT}"


def _reading(read: Callable[[str], T]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A click callback from a function that raises ValueError with a message for the user."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...]) -> T | tuple[T, ...]:
        try:
            return read(value) if isinstance(value, str) else tuple(read(one) for one in value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


@click.command()
@click.option(
    "--policy", "directory", default=POLICY_DIRECTORY, show_default=True, metavar="DIR", help="Folder of the policies."
)
@click.option(
    "--expect",
    "expected",
    multiple=True,
    required=True,
    metavar="PROFILE=HASH",
    callback=_reading(parse_expectation),
    help="A profile to serve, and the sha256:… of its policy file; may be given several times.",
)
@click.option(
    "--lease",
    required=True,
    metavar="NAMESPACE/NAME",
    callback=_reading(parse_lease),
    help="The Lease that the scheduling engine holds.",
)
@click.option("--kubeconfig", metavar="FILE", help="How to reach the API server; else KUBECONFIG, else in-cluster.")
@click.option(
    "--listen",
    default=_default_listen,
    metavar="HOST:PORT",
    callback=_reading(parse_listen),
    help=f"Where /healthz, /readyz, /metrics and /configz are served; default $POD_IP:{ENGINE_PORT}.",
)
@click.option("--log-format", type=click.Choice([one.value for one in LogFormat]), default="auto", show_default=True)
@click.option("--log-level", type=click.Choice(list(LEVELS)), default="Info", show_default=True)
def command(
    directory: str,
    expected: tuple[Expectation, ...],
    lease: tuple[str, str],
    kubeconfig: str | None,
    listen: Listen,
    log_format: str,
    log_level: str,
) -> NoReturn:
    """Run a scheduler for one or more compiled policies."""
    context = {"profile": expected[0].profile} if len(expected) == 1 else {}
    setup(LogFormat(log_format), log_level, context=context)
    prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
    try:
        policies = load_policies(Path(directory), expected)
    except PolicyFileError as error:
        _last_words(str(error))
        raise SystemExit(EXIT_POLICY) from None
    who = Identity(os.environ.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}", *lease, version("pointsman"))
    raise SystemExit(uvloop.run(_main(policies, who, listen, kubeconfig)))


async def _main(policies: Sequence[Policy], who: Identity, listen: Listen, kubeconfig: str | None) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        connection = await connect(kubeconfig)
        async with Client(connection, user_agent=f"pointsman-engine/{who.version}") as client:
            return await run(client, policies, who, listen, stop, clock=SystemClock(), rng=random.Random())  # noqa: S311
    except (ConnectionError_, ServeError) as error:
        _last_words(str(error))
    except Exception as error:
        logger.exception("the engine failed")
        _last_words(f"the engine failed: {type(error).__name__}: {error}")
    return EXIT_FAULT


def _last_words(message: str) -> None:
    click.echo(f"pointsman engine: {message}", err=True)
    write_termination_message(message, os.environ)
