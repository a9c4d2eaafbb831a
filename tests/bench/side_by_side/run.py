"""One contestant on one workload: from the start of its process to the last event that it writes, and the figures.

A burst is what waits when the process starts. After it, where asked for, pods arrive at a steady rate and the time from
creation to binding is taken.
"""

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.process import cpu_seconds, peak_mib
from tests.bench.side_by_side.contestants import Contestant
from tests.bench.side_by_side.state import PODS, Door, server
from tests.bench.side_by_side.watcher import Watcher
from tests.bench.side_by_side.workloads import Manifest, Workload, measured, node, pod
from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane

BURST_SECONDS: Final = 300.0
STEADY_SECONDS: Final = 10.0
CHURN_SECONDS: Final = 1.0
_MS: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run showed. `first_bind` in seconds from the start of the process, latencies in seconds."""

    pods_per_second: float
    first_bind: float
    cpu_ms_per_pod: float
    start_cpu_seconds: float
    peak_mib: float
    bound: int
    p50: float | None = None
    p99: float | None = None


class Unfinished(Exception):
    """A contestant did not bind every pod in time."""


def run(
    workload: Workload, contestant: Contestant, state: Path, folder: Path, binaries: Binaries, rate: float | None
) -> Figures:
    """One run on a fresh copy of the state. `rate` in pods a second adds the steady phase. Raises Unfinished."""
    with server(folder, binaries, state) as plane:
        return asyncio.run(_run(workload, contestant, plane, binaries, rate))


async def _run(
    workload: Workload, contestant: Contestant, plane: ControlPlane, binaries: Binaries, rate: float | None
) -> Figures:
    async with Door(plane) as door:
        watcher = Watcher(door)
        await watcher.start()
        churn = asyncio.create_task(_churn(door)) if workload.churn else None
        started = time.monotonic()
        process = contestant.start(plane, binaries)
        try:
            await watcher.until(lambda: bool(watcher.bound) or not process.running(), BURST_SECONDS)
            if not watcher.bound:
                raise Unfinished(f"{contestant.name} bound nothing on {workload.title}\n{process.tail()}")
            start_cpu = cpu_seconds(process.pid)
            count = workload.measured
            await watcher.until(lambda: len(watcher.bound) >= count or not process.running(), BURST_SECONDS)
            if len(watcher.bound) < count:
                words = f"{contestant.name} bound {len(watcher.bound)} of {count} pods on {workload.title}"
                raise Unfinished(f"{words}\n{process.tail()}")
            await watcher.until(lambda: len(watcher.told) >= count, BURST_SECONDS)
            cpu, peak = (cpu_seconds(process.pid), peak_mib(process.pid)) if process.running() else (start_cpu, 0.0)
            first, last = min(watcher.bound.values()), max(*watcher.bound.values(), *watcher.told.values())
            latencies = await _steady(door, watcher, rate) if rate else []
        finally:
            process.kill()
            if churn is not None:
                churn.cancel()
            await watcher.stop()
    return Figures(
        pods_per_second=count / (last - first),
        first_bind=first - started,
        cpu_ms_per_pod=_MS * (cpu - start_cpu) / count,
        start_cpu_seconds=start_cpu,
        peak_mib=peak,
        bound=count,
        p50=quantile(latencies, 0.5),
        p99=quantile(latencies, 0.99),
    )


async def _steady(door: Door, watcher: Watcher, rate: float) -> list[float]:
    """Seconds from the answer to a pod's creation, or before it, to its binding; each pod at its own time."""
    created: dict[str, float] = {}
    begin = time.monotonic()

    async def create(number: int) -> None:
        await asyncio.sleep(max(0.0, begin + number / rate - time.monotonic()))
        name = f"steady-{number:05}"
        created[name] = time.monotonic()
        await door.send("POST", PODS, measured(pod(name)))

    await asyncio.gather(*(create(number) for number in range(int(rate * STEADY_SECONDS))))
    await watcher.until(lambda: all(name in watcher.bound for name in created), BURST_SECONDS)
    return [watcher.bound[name] - at for name, at in created.items() if name in watcher.bound]


async def _churn(door: Door) -> None:
    """A node, a pod that fits nowhere and a Service come and go, each second, until cancelled."""
    rng = random.Random(1)
    while True:
        number = 90000 + rng.randrange(10000)
        huge: Manifest = pod(f"churn-{number}", cpu="9")
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"churn-{number}"}}
        service["spec"] = {"selector": {"app": f"churn-{number}"}, "ports": [{"port": 80}]}
        made = (
            ("/api/v1/nodes", node(number)),
            (PODS, huge),
            (PODS.replace("/pods", "/services"), service),
        )
        for path, body in made:
            await door.send("POST", path, body)
        await asyncio.sleep(CHURN_SECONDS)
        for path, body in reversed(made[1:]):
            await door.send("DELETE", f"{path}/{body['metadata']['name']}")
        await door.send("DELETE", f"/api/v1/nodes/{node(number)['metadata']['name']}")


def quantile(values: list[float], part: float) -> float | None:
    """The nearest-rank quantile, None of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None
