"""How fast the road is: pods a second and CPU a pod of one engine, from hollow nodes and a burst of pods.

    python -m tests.bench.road [--nodes 1000] [--pods 3000]

The cluster is that of the end-to-end tests: real control plane, operator and engine as pods. Pods are created while the
profile is suspended from nothing: they wait for an engine that is scaled to zero, so that time runs from the first
binding to the last, by the audit log, and client and server share the machine's cores as they would in a small cluster.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from pointsman.kube.client import Client
from pointsman.kube.connection import connect
from pointsman.kube.resources import PODS
from tests.bench.process import cpu_seconds, peak_mib
from tests.controlplane.build import provide
from tests.controlplane.wait import eventually
from tests.e2e.fleet import FLEET, Fleet, hollow, installed
from tests.e2e.witness import ENGINE_USER, bindings
from tests.e2e.workloads import in_pool, pod, profile

NAME = "road"


@click.command()
@click.option("--nodes", default=1000, show_default=True, help="Hollow nodes.")
@click.option("--pods", "count", default=3000, show_default=True, help="Pods to place.")
def main(nodes: int, count: int) -> None:
    """Print one JSON object with the figures of one run."""
    with tempfile.TemporaryDirectory() as folder:
        shapes = hollow(nodes, pool="bench", cpu="16", memory="64Gi")
        with installed(provide(say=click.echo), Path(folder), shapes) as fleet:
            click.echo(json.dumps(measure(fleet, count)))


def measure(fleet: Fleet, count: int) -> dict[str, Any]:
    """Create the pods while no engine runs, start one, wait until all are bound."""
    fleet.apply(profile(NAME, replicas=0))
    fleet.agent.call(create(fleet, count), seconds=600)
    fleet.plane.kubectl("scale", f"sprof/{NAME}", "--replicas=1")
    engine = eventually(lambda: process_of(fleet), what="the engine's process", within=60)
    eventually(lambda: bound(fleet) >= count, what=f"{count} pods to be bound", within=900)
    placed = [entry for entry in bindings(fleet.plane.audit()) if entry.user == ENGINE_USER + NAME]
    seconds = (placed[-1].at - placed[0].at).total_seconds()
    return {
        "nodes": len(fleet.plane.get("nodes")["items"]) - 1,
        "pods": len(placed),
        "seconds": round(seconds, 2),
        "podsPerSecond": round(len(placed) / seconds, 1),
        "engineCpuMsPerPod": round(1000 * cpu_seconds(engine) / len(placed), 2),
        "enginePeakMiB": int(peak_mib(engine)),
        "cores": os.cpu_count(),
        "stats": fleet.profile(NAME)["status"].get("stats"),
    }


async def create(fleet: Fleet, count: int) -> None:
    """Create the pods one after another: the API server's speed at that is not what is measured."""
    async with Client(await connect(str(fleet.plane.kubeconfig)), user_agent="pointsman-bench") as client:
        for number in range(count):
            await client.create(PODS.path("default"), pod(f"bench-{number}", NAME, **in_pool("bench")))


def process_of(fleet: Fleet) -> int:
    """Process id of the one engine, 0 while there is none."""
    engines = fleet.engines(NAME)
    return fleet.agent.process_of(FLEET, engines[0]["metadata"]["name"]) if engines else 0


def bound(fleet: Fleet) -> int:
    """Pods bound so far, by the audit log: cheaper than asking the API server again and again."""
    return sum(entry.user == ENGINE_USER + NAME for entry in bindings(fleet.plane.audit()))


if __name__ == "__main__":
    main()
