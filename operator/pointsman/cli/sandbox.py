"""`pointsman sandbox`: a small Kubernetes on this machine, for trying things out, until Ctrl-C."""

import asyncio
import logging
import signal
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import click
import uvloop

from pointsman import __version__
from pointsman.api.logs import LEVELS, LogFormat, setup
from pointsman.api.names import EXIT_ENDED, EXIT_FAULT
from pointsman.cli.node_options import node_options
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.agent import NodeAgent
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.shape import NodeShape
from pointsman.sandbox.sandbox import Sandbox, ServeError

log = logging.getLogger(__name__)

_OWN_IMAGE: Final = {f"pointsman/pointsman:{__version__}": (sys.executable, "-m", "pointsman")}
_LISTENING: Final = """\
A Kubernetes API server with {nodes} hollow nodes is at {url}
In another terminal:
  export KUBECONFIG={kubeconfig}
  kubectl get nodes
Ctrl-C ends it; nothing of it is kept."""


@click.command("sandbox")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1; default: any free one.")
@click.option(
    "--kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the administrator's kubeconfig; default: a temporary folder.",
)
@node_options("node-", count=3)
@click.option("--log-format", type=click.Choice([form.value for form in LogFormat]), default="auto", show_default=True)
@click.option("--log-level", type=click.Choice(list(LEVELS)), default="Warning", show_default=True)
def command(
    port: int,
    kubeconfig: Path | None,
    shapes: tuple[NodeShape, ...],
    images: dict[str, tuple[str, ...]],
    log_format: str,
    log_level: str,
) -> None:
    """Run a small Kubernetes on this machine.

    An API server in memory that kubectl talks to, the controllers of Deployments, a default scheduler, and hollow
    nodes whose pods just become Running. Pods of Pointsman's own image run as processes.
    """
    setup(LogFormat(log_format), log_level)
    sys.exit(uvloop.run(_run(port, kubeconfig, list(shapes), images)))


async def _run(port: int, kubeconfig: Path | None, nodes: list[NodeShape], images: dict[str, tuple[str, ...]]) -> int:
    """Runs until a signal; returns the exit code."""
    told_to_end = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_end.set)
    try:
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pointsman-sandbox-")))
            sandbox = await stack.enter_async_context(Sandbox(folder, port=port, kubeconfig=kubeconfig))
            agent = NodeAgent(
                await sandbox.connection(),
                nodes,
                images={**_OWN_IMAGE, **images},
                work_dir=folder / "nodes",
            )
            await stack.enter_async_context(agent)
            click.echo(_LISTENING.format(nodes=len(nodes), url=sandbox.url, kubeconfig=sandbox.kubeconfig))
            await until_first(agent.wait(), told_to_end.wait())
            if not told_to_end.is_set():
                await agent.wait()
    except (KubeError, ServeError, OSError) as fault:
        log.error("the sandbox ends: %s", fault)  # noqa: TRY400 - a sentence for a person, no trace
        return EXIT_FAULT
    return EXIT_ENDED
