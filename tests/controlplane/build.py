"""Where the programs of the control plane come from; `python -m tests.controlplane.build` makes them all.

A program is taken from the folder that KUBEBUILDER_ASSETS names, else from the cache outside the work tree, else it
is built from the Go modules beside this file. What is built goes into the cache by an atomic rename and under a file
lock, so that two test runs neither build twice nor see half a program.
"""

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from tests.controlplane.gomodule import ETCD, KUBERNETES, Module, Say, Unavailable, build

MODULES = (KUBERNETES, ETCD)
PROGRAMS = tuple(name for module in MODULES for name in module.packages)


@dataclass(frozen=True, slots=True)
class Binaries:
    """Paths of the programs, each of which exists."""

    etcd: Path
    kube_apiserver: Path
    kube_controller_manager: Path
    kube_scheduler: Path
    kubectl: Path


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Folder of the built programs; its name carries their versions, so an upgrade never meets an old program."""
    base = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "pointsman" / "controlplane" / f"{KUBERNETES.version}-etcd{ETCD.version.removeprefix('v')}"


def find(environ: Mapping[str, str]) -> dict[str, Path]:
    """Programs that exist already, by name. Those of KUBEBUILDER_ASSETS win over the cache."""
    folders = [cache_folder(environ)]
    if assets := environ.get("KUBEBUILDER_ASSETS"):
        folders.append(Path(assets))
    return {
        name: path for folder in folders for name in PROGRAMS if os.access(path := (folder / name).absolute(), os.X_OK)
    }


def provide(environ: Mapping[str, str] = os.environ, say: Say = lambda _line: None) -> Binaries:
    """All programs, built where they are missing. Raises Unavailable with one clear sentence."""
    if missing := [name for name in PROGRAMS if name not in find(environ)]:
        go = shutil.which("go", path=environ.get("PATH"))
        if go is None:
            raise Unavailable(
                f"no {', '.join(missing)}: install Go 1.26 or newer and run `make controlplane`,"
                " or set KUBEBUILDER_ASSETS to a folder that has them"
            )
        _build_missing(go, environ, say)
    found = find(environ)
    return Binaries(**{name.replace("-", "_"): found[name] for name in PROGRAMS})


def _build_missing(go: str, environ: Mapping[str, str], say: Say) -> None:
    folder = cache_folder(environ)
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / ".lock", say):
        for module in MODULES:
            names = [name for name in module.packages if name not in find(environ)]
            if names:
                _build_from(module, names, go, environ, say)


def _build_from(module: Module, names: list[str], go: str, environ: Mapping[str, str], say: Say) -> None:
    say(f"building {', '.join(names)} from {module.dependency} {module.version}: {module.minutes} on two cores")
    folder = cache_folder(environ)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for name in names:
            made = Path(scratch, name)
            build(go, module, name, made, environ, say)
            made.replace(folder / name)
            say(f"built {folder / name}")


@contextmanager
def _locked(path: Path, say: Say) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is building the control plane: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@click.command()
def main() -> None:
    """Build what is missing of the control plane, and say where its programs are."""
    try:
        provide(say=lambda line: click.echo(f"controlplane: {line}"))
    except Unavailable as error:
        click.echo(f"controlplane: {error}", err=True)
        sys.exit(1)
    for name, path in find(os.environ).items():
        click.echo(f"{name}: {path}")


if __name__ == "__main__":
    main()
