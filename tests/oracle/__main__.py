"""Compare decisions with the stock kube-scheduler's, from the command line.

    python -m tests.oracle --n 10000 --seed 1
    python -m tests.oracle --seed 1 --world 17     one world again

Disagreements go to standard error as they are found, the report to standard output. The exit code is 1 after any.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import click

from tests.controlplane.build import provide
from tests.oracle.run import Order, oracle


@click.command()
@click.option("--n", "decisions", default=1000, show_default=True, help="Decisions to compare.")
@click.option("--seed", default=1, show_default=True, help="Of worlds and profiles.")
@click.option("--world", type=int, default=None, help="Only this world of the seed.")
def main(decisions: int, seed: int, world: int | None) -> None:
    """Print one JSON object with what was equal."""

    def tell(line: str) -> None:
        click.echo(line, err=True)

    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(oracle(Path(folder), provide(say=tell), Order(seed, decisions, world), tell))
    click.echo(json.dumps({"seed": seed, **report.json()}))
    sys.exit(not report.agrees)


if __name__ == "__main__":
    main()
