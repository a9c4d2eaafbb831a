"""`pointsman node-agent`: plays nodes on the cluster of a kubeconfig until it is told to end."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import click

from pointsman.api.logs import LEVELS, LogFormat, setup
from pointsman.api.names import EXIT_ENDED, EXIT_FAULT
from pointsman.kube.connection import Connection, connect
from pointsman.kube.errors import KubeError
from pointsman.kube.quantity import parse
from pointsman.sandbox.agent.agent import BackoffLimits, NodeAgent
from pointsman.sandbox.agent.images import parse_image
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.shape import NodeShape, NodeTaint, numbered, parse_taint
from pointsman.sandbox.agent.workdir import WorkDirTaken

T = TypeVar("T")

log = logging.getLogger(__name__)

_WORK_DIR = Path("~/.cache/pointsman/node-agent")


def reading(read: Callable[[str], T]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[T, ...]]:
    """A callback for a repeatable option whose values are read by a function that raises ValueError with the reason."""

    def read_all(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[T, ...]:
        try:
            return tuple(map(read, values))
        except ValueError as fault:
            raise click.BadParameter(str(fault), param=parameter) from None

    return read_all


def quantity(_: click.Context, parameter: click.Parameter, text: str) -> str:
    """A callback for an option that is a quantity: checked, and left as it is written."""
    try:
        parse(text)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param=parameter) from None
    return text


def read_pair(text: str) -> tuple[str, str]:
    """`key=value`. Raises ValueError."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f'"{text}": expected KEY=VALUE')
    return key, value


def read_extended(text: str) -> tuple[str, str]:
    """`resource=quantity`. Raises ValueError."""
    name, amount = read_pair(text)
    parse(amount)
    return name, amount


@click.command("node-agent")
@click.option("--kubeconfig", help="The cluster to play nodes on; default: KUBECONFIG, then in-cluster.")
@click.option("--nodes", type=click.IntRange(0, 10_000), default=1, show_default=True, help="How many nodes.")
@click.option("--name-prefix", default="hollow-", show_default=True, help="Nodes are called PREFIX0, PREFIX1, …")
@click.option("--cpu", callback=quantity, metavar="QUANTITY", default="4", show_default=True, help="CPUs of each node.")
@click.option(
    "--memory", callback=quantity, metavar="QUANTITY", default="32Gi", show_default=True, help="Memory of each node."
)
@click.option("--pods", type=click.IntRange(0), default=110, show_default=True, help="Pods that each node takes.")
@click.option(
    "--label", "labels", metavar="KEY=VALUE", callback=reading(read_pair), multiple=True, help="A label of each node."
)
@click.option(
    "--taint",
    "taints",
    metavar="KEY=VALUE:EFFECT",
    callback=reading(parse_taint),
    multiple=True,
    help="A taint of each node.",
)
@click.option(
    "--extended",
    metavar="RESOURCE=QUANTITY",
    callback=reading(read_extended),
    multiple=True,
    help="An extended resource of each node, such as nvidia.com/gpu=8.",
)
@click.option(
    "--image",
    "images",
    metavar="IMAGE=COMMAND",
    callback=reading(parse_image),
    multiple=True,
    help="Run pods of this image as processes; the command stands for its entrypoint.",
)
@click.option(
    "--work-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=_WORK_DIR,
    show_default=True,
    help="Folder for pods' files and logs; it must belong to this agent alone.",
)
@click.option(
    "--backoff-base",
    type=click.FloatRange(0),
    default=10.0,
    show_default=True,
    help="Seconds before a crashed container's second restart; doubles with each.",
)
@click.option(
    "--backoff-cap", type=click.FloatRange(0), default=300.0, show_default=True, help="Seconds it is doubled up to."
)
@click.option(
    "--heartbeat",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Seconds between renewals of each node's Lease; 0: none, for clusters without the node lifecycle controller.",
)
@click.option("--remove-nodes-on-exit", is_flag=True, help="Delete the nodes when the agent is told to end.")
@click.option("--log-format", type=click.Choice([form.value for form in LogFormat]), default="auto", show_default=True)
@click.option("--log-level", type=click.Choice(list(LEVELS)), default="Info", show_default=True)
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    kubeconfig: str | None,
    nodes: int,
    name_prefix: str,
    cpu: str,
    memory: str,
    pods: int,
    labels: Iterable[tuple[str, str]],
    taints: Iterable[NodeTaint],
    extended: Iterable[tuple[str, str]],
    images: Iterable[tuple[str, tuple[str, ...]]],
    work_dir: Path,
    backoff_base: float,
    backoff_cap: float,
    heartbeat: float,
    remove_nodes_on_exit: bool,
    log_format: str,
    log_level: str,
) -> None:
    """Play nodes: register them, and run the pods that are bound to them.

    A pod with a mapped image runs as a local process per container; any other pod just becomes Running. Resource
    limits and isolation are not enforced: run only what you would run yourself.
    """
    setup(LogFormat(log_format), log_level)
    shape = NodeShape(
        name="",
        cpu=cpu,
        memory=memory,
        pods=pods,
        labels=dict(labels),
        taints=tuple(taints),
        extended=dict(extended),
    )

    def agent(connection: Connection) -> NodeAgent:
        return NodeAgent(
            connection,
            numbered(shape, name_prefix, nodes),
            images=dict(images),
            work_dir=work_dir.expanduser(),
            backoff=BackoffLimits(backoff_base, backoff_cap),
            heartbeat_seconds=heartbeat,
            remove_nodes_on_exit=remove_nodes_on_exit,
        )

    sys.exit(asyncio.run(_run(kubeconfig, agent)))


async def _run(kubeconfig: str | None, make: Callable[[Connection], NodeAgent]) -> int:
    """Runs the agent until a signal; returns the exit code."""
    told_to_end = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_end.set)
    try:
        async with make(await connect(kubeconfig)) as agent:
            await until_first(agent.wait(), told_to_end.wait())
            if not told_to_end.is_set():
                await agent.wait()
    except (KubeError, WorkDirTaken, OSError) as fault:
        log.error("the node agent ends: %s", fault)  # noqa: TRY400 - a sentence for a person, no trace
        return EXIT_FAULT
    return EXIT_ENDED
