"""`pointsman node-agent`: plays nodes on the cluster of a kubeconfig until it is told to end."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import click

from pointsman.api.logs import LEVELS, LogFormat, setup
from pointsman.api.names import EXIT_ENDED, EXIT_FAULT
from pointsman.cli.node_options import node_options
from pointsman.kube.connection import Connection, connect
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.agent import BackoffLimits, NodeAgent
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.shape import NodeShape
from pointsman.sandbox.agent.workdir import WorkDirTaken

log = logging.getLogger(__name__)

_WORK_DIR = Path("~/.cache/pointsman/node-agent")


@click.command("node-agent")
@click.option("--kubeconfig", help="The cluster to play nodes on; default: KUBECONFIG, then in-cluster.")
@node_options("", count=1)
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
    shapes: tuple[NodeShape, ...],
    images: dict[str, tuple[str, ...]],
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

    def agent(connection: Connection) -> NodeAgent:
        return NodeAgent(
            connection,
            shapes,
            images=images,
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
