"""`pointsman demo`: the whole of Pointsman on this machine, for a minute or until Ctrl-C."""

import asyncio
import signal
import tempfile
from pathlib import Path

import click
from rich.console import Console

from pointsman.api.logs import LogFormat, setup
from pointsman.api.names import EXIT_FAULT
from pointsman.kube.clock import SystemClock
from pointsman.kube.errors import KubeError
from pointsman.sandbox.agent.workdir import WorkDirTaken
from pointsman.sandbox.demo.demo import Demo, Options
from pointsman.sandbox.demo.display import display
from pointsman.sandbox.demo.summary import Summary, as_json
from pointsman.sandbox.sandbox import Sandbox, ServeError


@click.command(short_help="Show all of it at work on this machine, without a cluster.")
@click.option(
    "--duration",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds of arriving pods, once all profiles are ready.",
)
@click.option("--keep", is_flag=True, help="Go on until Ctrl-C instead.")
@click.option("--json", "as_line", is_flag=True, help="Print a summary as one line of JSON; the rest goes to stderr.")
@click.option("--nodes", type=click.IntRange(15, 5000), default=200, show_default=True, help="How many hollow nodes.")
@click.pass_context
def command(ctx: click.Context, duration: float, keep: bool, as_line: bool, nodes: int) -> None:
    """Run an API server in memory, hollow nodes, the operator and three schedulers, and let pods arrive.

    Ends by itself, and leaves nothing behind. The exit code is 0 when all profiles became ready.
    """
    setup(LogFormat.AUTO, "Error")
    console = Console(stderr=as_line)
    done = asyncio.run(_main(Options(nodes, None if keep else duration), console))
    if done is not None and as_line:
        click.echo(as_json(done))
    ctx.exit(0 if done is not None and done.all_ready else EXIT_FAULT)


async def _main(options: Options, console: Console) -> Summary | None:
    """Run it; None when it failed, which is told."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        with tempfile.TemporaryDirectory(prefix="pointsman-demo-") as name, display(console) as shown:
            folder = Path(name)
            async with Sandbox(folder) as sandbox:
                return await Demo(sandbox.kubeconfig, folder, options, shown, SystemClock(), stop).run()
    except (KubeError, WorkDirTaken, ServeError, OSError) as fault:
        click.echo(f"pointsman demo: {fault}", err=True)
        return None
