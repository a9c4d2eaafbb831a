"""How fast the sandbox is: bindings per second with one watcher, and the time of a list of 20,000 pods.

    python -m tests.bench.sandbox [--pods 20000] [--binds 10000]

Server and client are two processes, as in any use of a sandbox; the watcher reads every event and counts them.
"""

import argparse
import asyncio
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from pointsman.kube.client import Client
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import connect
from pointsman.kube.known import EventType, WatchEvent
from pointsman.kube.objects import Pod
from pointsman.kube.reflector import Reflector
from pointsman.kube.resources import PODS

AT_ONCE = 64
NODES = 100


def pod(number: int) -> dict[str, Any]:
    """A pod as a Deployment would make it."""
    resources = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}
    container = {
        "name": "main",
        "image": "example.com/app:1",
        "resources": resources,
        "ports": [{"containerPort": 8080}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{number:05}", "labels": {"app": "bench", "number": str(number)}},
        "spec": {"schedulerName": "bench", "containers": [container]},
    }


def binding(number: int) -> bytes:
    """A binding to one of a hundred nodes."""
    target = {"apiVersion": "v1", "kind": "Node", "name": f"node-{number % NODES}"}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": f"pod-{number:05}"}, "target": target}
    return msgspec.json.encode(body)


@asynccontextmanager
async def sandbox(folder: Path) -> AsyncIterator[Path]:
    """`pointsman sandbox` in a process of its own; yields its kubeconfig."""
    kubeconfig = folder / "kubeconfig"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pointsman", "sandbox", "--nodes", "0", "--kubeconfig", str(kubeconfig)),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        yield kubeconfig
    finally:
        process.terminate()
        await process.wait()


async def create(client: Client, count: int) -> float:
    """Create pods; returns pods per second."""
    return await _each(range(count), lambda number: client.create(PODS.path("default"), pod(number)))


async def bind(client: Client, count: int) -> float:
    """Bind pods while one watcher hears of each; returns bindings per second, the last event included."""
    seen = 0
    done = asyncio.Event()

    def on_events(events: Sequence[WatchEvent[Pod]]) -> None:
        nonlocal seen
        seen += sum(event.type is EventType.MODIFIED for event in events)
        if seen >= count:
            done.set()

    reflector = Reflector(client, PODS, Pod, on_events, clock=SystemClock(), rng=random.Random())
    watcher = asyncio.create_task(reflector.run())
    await reflector.synced.wait()

    async def one(number: int) -> None:
        path = PODS.path("default", f"pod-{number:05}", "binding")
        await client.request("POST", path, body=binding(number))

    start = time.perf_counter()
    await _each(range(count), one)
    await done.wait()
    seconds = time.perf_counter() - start
    watcher.cancel()
    return count / seconds


async def list_all(client: Client) -> tuple[float, int]:
    """List all pods in one answer; returns seconds and bytes."""
    start = time.perf_counter()
    content = await client.request("GET", PODS.path("default"))
    return time.perf_counter() - start, len(content)


async def _each(numbers: range, call: Any) -> float:
    """Make a call for each number, some at once; returns calls per second."""
    pending = iter(numbers)
    start = time.perf_counter()

    async def work() -> None:
        for number in pending:
            await call(number)

    await asyncio.gather(*itertools.starmap(work, [()] * AT_ONCE))
    return len(numbers) / (time.perf_counter() - start)


async def main(pods: int, binds: int) -> None:
    """Measure, and print one line of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        async with sandbox(Path(folder)) as kubeconfig:
            connection = await connect(str(kubeconfig))
            async with Client(connection, user_agent="bench", max_connections=AT_ONCE) as client:
                created = await create(client, pods)
                bound = await bind(client, binds)
                seconds, size = await list_all(client)
    result = {
        "pods": pods,
        "createsPerSecond": round(created),
        "bindsPerSecond": round(bound),
        "listSeconds": round(seconds, 2),
        "listMegabytes": round(size / 1e6, 1),
    }
    print(json.dumps(result))  # noqa: T201 - the result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=20_000)
    parser.add_argument("--binds", type=int, default=10_000)
    arguments = parser.parse_args()
    uvloop.run(main(arguments.pods, arguments.binds))
