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
from pointsman.cli.node_agent import quantity, read_extended, read_pair, reading
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.agent import NodeAgent
from pointsman.sandbox.agent.images import parse_image
from pointsman.sandbox.agent.race import until_first
from pointsman.sandbox.agent.shape import NodeShape, NodeTaint, numbered, parse_taint
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
@click.option("--nodes", type=click.IntRange(0, 10_000), default=3, show_default=True, help="How many hollow nodes.")
@click.option("--node-prefix", default="hollow-", show_default=True, help="Nodes are called PREFIX0, PREFIX1, …")
@click.option(
    "--node-cpu", metavar="QUANTITY", callback=quantity, default="4", show_default=True, help="CPUs of each node."
)
@click.option(
    "--node-memory",
    metavar="QUANTITY",
    callback=quantity,
    default="32Gi",
    show_default=True,
    help="Memory of each node.",
)
@click.option("--node-pods", type=click.IntRange(0), default=110, show_default=True, help="Pods that each node takes.")
@click.option(
    "--node-label",
    "labels",
    metavar="KEY=VALUE",
    callback=reading(read_pair),
    multiple=True,
    help="A label of each node.",
)
@click.option(
    "--node-taint",
    "taints",
    metavar="KEY=VALUE:EFFECT",
    callback=reading(parse_taint),
    multiple=True,
    help="A taint of each node.",
)
@click.option(
    "--node-extended",
    "extended",
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
@click.option("--log-format", type=click.Choice([form.value for form in LogFormat]), default="auto", show_default=True)
@click.option("--log-level", type=click.Choice(list(LEVELS)), default="Warning", show_default=True)
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    port: int,
    kubeconfig: Path | None,
    nodes: int,
    node_prefix: str,
    node_cpu: str,
    node_memory: str,
    node_pods: int,
    labels: tuple[tuple[str, str], ...],
    taints: tuple[NodeTaint, ...],
    extended: tuple[tuple[str, str], ...],
    images: tuple[tuple[str, tuple[str, ...]], ...],
    log_format: str,
    log_level: str,
) -> None:
    """Run a small Kubernetes on this machine.

    An API server in memory that kubectl talks to, the controllers of Deployments, a default scheduler, and hollow
    nodes whose pods just become Running. Pods of Pointsman's own image run as processes.
    """
    setup(LogFormat(log_format), log_level)
    shape = NodeShape(
        "",
        cpu=node_cpu,
        memory=node_memory,
        pods=node_pods,
        labels=dict(labels),
        taints=taints,
        extended=dict(extended),
    )
    sys.exit(uvloop.run(_run(port, kubeconfig, list(numbered(shape, node_prefix, nodes)), dict(images))))


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
