"""From the figures of all runs to bench.json and a table: medians with the least and the greatest, and ratios."""

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from tests.bench.side_by_side.run import Figures

OURS: Final = "pointsman"
THEIRS: Final = "kube-scheduler"
BIND_ONLY: Final = "bind-only"
RAW: Final = "raw"

Runs = Mapping[str, Sequence[Figures]]
"""By contestant, its runs on one workload."""

_FIGURES: Final[Mapping[str, Callable[[Figures], float | None]]] = {
    "podsPerSecond": lambda figures: figures.pods_per_second,
    "cpuMsPerPod": lambda figures: figures.cpu_ms_per_pod,
    "rssMB": lambda figures: figures.peak_mib,
    "firstBindSeconds": lambda figures: figures.first_bind,
    "startCpuSeconds": lambda figures: figures.start_cpu_seconds,
    "p50Seconds": lambda figures: figures.p50,
    "p99Seconds": lambda figures: figures.p99,
}


def environment(rounds: int, seed: int) -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "processor": _processor(),
        "python": platform.python_version(),
        "kubernetes": "1.36.3",
        "rounds": rounds,
        "seed": seed,
    }


def summary(runs: Runs) -> dict[str, Any]:
    """One workload's part of bench.json."""
    found: dict[str, Any] = {name: _spread(figures) for name, figures in runs.items()}
    found["ratio"] = _ratios(found)
    return found


def table(workloads: Mapping[str, Mapping[str, Any]]) -> Table:
    """The same for people."""
    columns = ("workload", "scheduler", "pods/s", "min..max", "ms CPU/pod", "MiB", "first bind s", "p99 s", "x pods/s")
    shown = Table(*columns, title=f"{os.cpu_count()} cores, shared with etcd and kube-apiserver")
    for title, found in workloads.items():
        for name in (name for name in found if name != "ratio"):
            one = found[name]
            rate = one["podsPerSecond"]
            times = found["ratio"].get("podsPerSecond", "") if name == OURS else ""
            cells = (
                f"{rate['median']:.0f}",
                f"{rate['min']:.0f}..{rate['max']:.0f}",
                *(_cell(one.get(figure), form) for figure, form in _SHOWN),
                str(times),
            )
            shown.add_row(title, name, *cells)
    return shown


_SHOWN: Final = (("cpuMsPerPod", ".2f"), ("rssMB", ".0f"), ("firstBindSeconds", ".1f"), ("p99Seconds", ".3f"))


def _cell(found: Mapping[str, float] | None, form: str) -> str:
    return format(found["median"], form) if found else ""


def _spread(figures: Sequence[Figures]) -> dict[str, dict[str, float]]:
    found = {}
    for name, read in _FIGURES.items():
        values = [value for one in figures if (value := read(one)) is not None]
        if values:
            spread = {"median": statistics.median(values), "min": min(values), "max": max(values)}
            found[name] = {key: round(value, 4) for key, value in spread.items()}
    return found


def _ratios(found: Mapping[str, Any]) -> dict[str, float]:
    """Ours against theirs, and against what the API server allows."""

    def median(name: str, figure: str) -> float | None:
        value = found.get(name, {}).get(figure, {}).get("median")
        return float(value) if value else None

    pairs: Iterable[tuple[str, str, str]] = (
        ("podsPerSecond", "podsPerSecond", THEIRS),
        ("cpuMsPerPod", "cpuMsPerPod", THEIRS),
        ("rssMB", "rssMB", THEIRS),
        ("firstBindSeconds", "firstBindSeconds", THEIRS),
        ("p99Seconds", "p99Seconds", THEIRS),
        ("ofBindOnly", "podsPerSecond", BIND_ONLY),
        ("ofRaw", "podsPerSecond", RAW),
    )
    ratios = {}
    for name, figure, other in pairs:
        ours, theirs = median(OURS, figure), median(other, figure)
        if ours is not None and theirs is not None:
            ratios[name] = round(ours / theirs, 3)
    return ratios


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open() as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
