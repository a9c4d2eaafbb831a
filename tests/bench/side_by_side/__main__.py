"""`make bench`: every contestant on every workload, interleaved and repeated, on one machine in one run.

    python -m tests.bench.side_by_side [--nodes 5000] [--workload NAME] [--rounds 3] [--output bench.json]

Within a round each workload is run by all contestants in random order. The first round tells the rate of the steady
phase of the following ones: half of what the slower of the two schedulers managed. `BENCH_QUICK=1` runs basic and
spread at 1,000 nodes.
"""

import json
import os
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from tests.bench.side_by_side.contestants import CONTESTANTS, Contestant
from tests.bench.side_by_side.report import OURS, THEIRS, environment, summary, table
from tests.bench.side_by_side.run import Figures, Unfinished, run
from tests.bench.side_by_side.state import prepare
from tests.bench.side_by_side.workloads import Workload, preemption, workloads
from tests.controlplane.build import Binaries, provide

QUICK = ("basic", "spread-zone")
PREEMPTION_NODES = 1000
Results = dict[str, list[Figures]]


@click.command()
@click.option("--nodes", "sizes", multiple=True, type=int, help="Sizes of the cluster; default 500, 1000 and 5000.")
@click.option("--workload", "names", multiple=True, help="Only these workloads.")
@click.option("--contestant", "contestants", multiple=True, help="Only these contestants.")
@click.option("--rounds", default=3, show_default=True)
@click.option("--seed", default=1, show_default=True, help="Of the order of contestants.")
@click.option("--output", type=click.Path(path_type=Path), default=Path("bench.json"), show_default=True)
def main(
    sizes: tuple[int, ...], names: tuple[str, ...], contestants: tuple[str, ...], rounds: int, seed: int, output: Path
) -> None:
    """Measure, print the table, write bench.json."""
    quick = os.environ.get("BENCH_QUICK") == "1"
    sizes = sizes or ((PREEMPTION_NODES,) if quick else (500, 1000, 5000))
    names = names or (QUICK if quick else ())
    chosen = [one for one in CONTESTANTS if not contestants or one.name in contestants]
    binaries, rng = provide(say=click.echo), random.Random(seed)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for workload in _workloads(sizes, names):
            results = measure(workload, chosen, rounds, rng, Path(folder), binaries)
            found[workload.title] = summary(results)
            output.write_text(json.dumps({"environment": environment(rounds, seed), "workloads": found}, indent=2))
    Console(width=140).print(table(found))


def measure(
    workload: Workload, chosen: Sequence[Contestant], rounds: int, rng: random.Random, folder: Path, binaries: Binaries
) -> Results:
    """All rounds of one workload. A contestant that does not finish is told and left out of that round."""
    state = prepare(workload, folder, binaries)
    results: Results = {one.name: [] for one in chosen if one.decides or not workload.frees_room}
    for number in range(rounds):
        rate = _rate(results) if number else None
        for contestant in rng.sample(chosen, len(chosen)):
            if contestant.name not in results:
                continue
            place = folder / f"{workload.title}-{contestant.name}-{number}"
            try:
                figures = run(workload, contestant, state, place, binaries, rate if contestant.decides else None)
            except Unfinished as fault:
                click.echo(f"  unfinished: {fault}")
                continue
            finally:
                shutil.rmtree(place, ignore_errors=True)
            results[contestant.name].append(figures)
            click.echo(f"  {workload.title} {contestant.name} round {number + 1}: {figures}")
    shutil.rmtree(state)
    return {name: runs for name, runs in results.items() if runs}


def _rate(results: Results) -> float | None:
    """Half of what the slower scheduler managed in a burst, in pods a second."""
    speeds = [runs[0].pods_per_second for name, runs in results.items() if runs and name in (OURS, THEIRS)]
    return min(speeds) / 2 if speeds else None


def _workloads(sizes: Sequence[int], names: Sequence[str]) -> list[Workload]:
    every = [workload for size in sizes for workload in workloads(size)]
    if PREEMPTION_NODES in sizes:
        every.append(preemption(PREEMPTION_NODES))
    return [one for one in every if not names or one.name in names]


if __name__ == "__main__":
    main()
