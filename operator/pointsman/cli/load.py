"""`pointsman load`: test pods at a steady rate, to see a scheduler at work."""

import asyncio
import signal
from collections.abc import Mapping
from typing import Any, Final

import click

from pointsman.api.names import EXIT_FAULT
from pointsman.cli.documents import DocumentError, read_documents
from pointsman.cli.podload import Plan, Tally, delete_pods, pod_of, run_load
from pointsman.kube.client import Client
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import ConnectionError_, connect
from pointsman.kube.errors import KubeError

_DEFAULT_POD: Final[dict[str, Any]] = {
    "metadata": {"generateName": "load-"},
    "spec": {
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "main",
                "image": "registry.k8s.io/pause:3.10",
                "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
            }
        ],
    },
}


def _read_template(filename: str | None) -> Mapping[str, Any]:
    if filename is None:
        return _DEFAULT_POD
    try:
        bodies = list(read_documents(filename))
    except DocumentError as error:
        raise click.UsageError(f"{filename}: {error}") from None
    if len(bodies) != 1 or bodies[0].get("kind") != "Pod":
        raise click.UsageError(f"{filename}: must hold one Pod, and nothing else")
    return bodies[0]


async def _main(kubeconfig: str | None, plan: Plan | None, namespace: str, scheduler_name: str) -> int:
    """Create as planned, or clean up where there is no plan; returns the exit code."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        async with Client(await connect(kubeconfig), user_agent="pointsman-load") as client:
            if plan is None:
                await delete_pods(client, namespace, scheduler_name)
                click.echo(f"deleted the load pods in namespace {namespace}")
                return 0
            tally = await run_load(client, plan, stop, SystemClock(), lambda line: click.echo(line, err=True))
    except (ConnectionError_, KubeError) as error:
        click.echo(f"pointsman load: {error}", err=True)
        return EXIT_FAULT
    pods = "pod" if tally.created == 1 else "pods"
    click.echo(f"created {tally.created} {pods} in namespace {namespace}{_failures(tally)}")
    return EXIT_FAULT if tally.hopeless is not None else 0


def _failures(tally: Tally) -> str:
    if not tally.failed:
        return ""
    reason, _ = tally.failures.most_common(1)[0]
    return f", {tally.failed} failed: {reason}"


@click.command(short_help="Create test pods at a steady rate.")
@click.option("--scheduler-name", default="", help="schedulerName of the pods; else the template's.")
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the pods.")
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), default=0.2, show_default=True, help="Pods per second."
)
@click.option(
    "--burst", type=click.IntRange(1), default=1, show_default=True, help="Pods made at once; the rate stays."
)
@click.option("--count", type=click.IntRange(1), help="Stop after so many pods.")
@click.option("--duration", type=click.FloatRange(0, min_open=True), help="Stop after so many seconds.")
@click.option("--template", metavar="FILE", help="A Pod to copy, in YAML or JSON; else a small pause container.")
@click.option("--cleanup", is_flag=True, help="Delete pods that earlier runs left in the namespace, and end.")
@click.option("--kubeconfig", metavar="FILE", help="Else KUBECONFIG, else the pod's own credentials.")
@click.pass_context
def command(  # noqa: PLR0913 - one argument for each option
    ctx: click.Context,
    *,
    scheduler_name: str,
    namespace: str,
    rate: float,
    burst: int,
    count: int | None,
    duration: float | None,
    template: str | None,
    cleanup: bool,
    kubeconfig: str | None,
) -> None:
    """Create test pods for a scheduler: by default one every 5 seconds, until Ctrl-C.

    The pods stay; --cleanup deletes them, all of them or those of one --scheduler-name.
    """
    plan = None
    if not cleanup:
        try:
            pod = pod_of(_read_template(template), scheduler_name)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        plan = Plan(pod, namespace, rate, burst, count, duration)
    ctx.exit(asyncio.run(_main(kubeconfig, plan, namespace, scheduler_name)))
