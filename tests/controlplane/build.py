"""The programs of the control plane; `python -m tests.controlplane.build` makes what is missing of them.

Where they come from, and what is built how, is the business of `programs`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from tests.controlplane.gomodule import ETCD, KUBERNETES, Say, Unavailable
from tests.controlplane.programs import Programs

# The folder's name carries the versions, so an upgrade never meets an old program.
CONTROL_PLANE = Programs(
    "the control plane",
    Path("controlplane", f"{KUBERNETES.version}-etcd{ETCD.version.removeprefix('v')}"),
    (KUBERNETES, ETCD),
)
PROGRAMS = CONTROL_PLANE.names


@dataclass(frozen=True, slots=True)
class Binaries:
    """Paths of the programs, each of which exists."""

    etcd: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kube_scheduler: Path
    kubectl: Path


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Folder of the built programs."""
    return CONTROL_PLANE.cache_folder(environ)


def find(environ: Mapping[str, str]) -> dict[str, Path]:
    """Programs that exist already, by name. Those of KUBEBUILDER_ASSETS win over the cache."""
    return CONTROL_PLANE.find(environ)


def provide(environ: Mapping[str, str] = os.environ, say: Say = lambda _line: None) -> Binaries:
    """All programs, built where they are missing. Raises Unavailable with one clear sentence."""
    found = CONTROL_PLANE.provide(environ, say)
    return Binaries(**{name.replace("-", "_"): found[name] for name in PROGRAMS})


def report(label: str, programs: Programs) -> None:
    """Build what is missing, and print where each program is; ends the process with code 1 where that fails."""
    try:
        found = programs.provide(os.environ, lambda line: click.echo(f"{label}: {line}"))
    except Unavailable as error:
        click.echo(f"{label}: {error}", err=True)
        sys.exit(1)
    for name, path in found.items():
        click.echo(f"{name}: {path}")


@click.command()
def main() -> None:
    """Build what is missing of the control plane, and say where its programs are."""
    report("controlplane", CONTROL_PLANE)


if __name__ == "__main__":
    main()
