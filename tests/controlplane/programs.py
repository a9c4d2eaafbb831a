"""Programs that tests need and that are built from Go modules: found where they are, else built once.

A program is taken from the folder that KUBEBUILDER_ASSETS names, else from a cache outside the work tree, else it is
built. What is built goes into the cache by an atomic rename and under a file lock, so that two test runs neither build
twice nor see half a program.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.controlplane.gomodule import Module, Say, Unavailable, build


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of some modules. `what` names them all in a message; `folder` lies in the cache of Pointsman."""

    what: str
    folder: Path
    modules: tuple[Module, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Name of every program."""
        return tuple(name for module in self.modules for name in module.packages)

    def cache_folder(self, environ: Mapping[str, str]) -> Path:
        """Folder of what is built."""
        base = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return base / "pointsman" / self.folder

    def find(self, environ: Mapping[str, str]) -> dict[str, Path]:
        """Programs that exist already, by name. Those of KUBEBUILDER_ASSETS win over the cache."""
        folders = [self.cache_folder(environ)]
        if assets := environ.get("KUBEBUILDER_ASSETS"):
            folders.append(Path(assets))
        return {
            name: path
            for folder in folders
            for name in self.names
            if os.access(path := (folder / name).absolute(), os.X_OK)
        }

    def provide(self, environ: Mapping[str, str], say: Say) -> dict[str, Path]:
        """All programs by name, built where they are missing. Raises Unavailable with one clear sentence."""
        if missing := [name for name in self.names if name not in self.find(environ)]:
            go = shutil.which("go", path=environ.get("PATH"))
            if go is None:
                raise Unavailable(
                    f"no {', '.join(missing)}: install Go 1.26 or newer and run `make controlplane`,"
                    " or set KUBEBUILDER_ASSETS to a folder that has them"
                )
            self._build_missing(go, environ, say)
        return self.find(environ)

    def _build_missing(self, go: str, environ: Mapping[str, str], say: Say) -> None:
        folder = self.cache_folder(environ)
        folder.mkdir(parents=True, exist_ok=True)
        with self._locked(folder / ".lock", say):
            for module in self.modules:
                names = [name for name in module.packages if name not in self.find(environ)]
                if names:
                    self._build_from(module, names, go, environ, say)

    def _build_from(self, module: Module, names: list[str], go: str, environ: Mapping[str, str], say: Say) -> None:
        say(f"building {', '.join(names)} from {module.dependency} {module.version}: {module.minutes} on two cores")
        folder = self.cache_folder(environ)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            for name in names:
                made = Path(scratch, name)
                build(go, module, name, made, environ, say)
                made.replace(folder / name)
                say(f"built {folder / name}")

    @contextmanager
    def _locked(self, path: Path, say: Say) -> Iterator[None]:
        with path.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"another run is building {self.what}: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
