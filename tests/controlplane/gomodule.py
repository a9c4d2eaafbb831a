"""Building one program of a Go module of the tests; go.sum pins every source that goes into it."""

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PROGRESS_SECONDS = 60
TAIL_LINES = 20
STAMP = "k8s.io/component-base/version"

Say = Callable[[str], None]


class Unavailable(Exception):
    """A program is missing and cannot be built; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Module:
    """A Go module of the tests and the programs that it builds, each with its package.

    `stamps` are Go variables that the linker sets; {version}, {major} and {minor} in their values are the dependency's.
    """

    folder: Path
    dependency: str
    packages: Mapping[str, str]
    minutes: str
    stamps: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Version of the dependency in go.mod, for example `v1.36.3`."""
        found = re.search(rf"^require {re.escape(self.dependency)} (v\S+)$", (self.folder / "go.mod").read_text(), re.M)
        if found is None:
            raise Unavailable(f"{self.folder / 'go.mod'} does not require {self.dependency}")
        return found[1]


KUBERNETES = Module(
    HERE / "kubernetes",
    "k8s.io/kubernetes",
    {
        name: f"k8s.io/kubernetes/cmd/{name}"
        for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
    },
    "6 minutes",
    # kubectl refuses to work without them.
    {
        f"{STAMP}.gitVersion": "{version}",
        f"{STAMP}.gitMajor": "{major}",
        f"{STAMP}.gitMinor": "{minor}",
        f"{STAMP}.gitTreeState": "clean",
        f"{STAMP}.gitCommit": "0" * 40,
        f"{STAMP}.buildDate": "1970-01-01T00:00:00Z",
    },
)
ETCD = Module(HERE / "etcd", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"}, "1 minute")


def build(go: str, module: Module, name: str, output: Path, environ: Mapping[str, str], say: Say) -> None:
    """Build one program into `output`. Raises Unavailable with the end of the compiler's words."""
    package = module.packages[name]
    command = [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", _ldflags(module), "-o", str(output), package]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, cwd=module.folder, env={**environ, "CGO_ENABLED": "0"}, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            status = _wait(process, name, say)
        finally:
            process.kill()
            process.wait()
        if status != 0:
            log.seek(0)
            tail = "".join(log.readlines()[-TAIL_LINES:]).strip()
            raise Unavailable(f"building {package} failed; Go 1.26 or newer and the Go modules are needed:\n{tail}")


def _wait(process: subprocess.Popen[bytes], name: str, say: Say) -> int:
    """Wait for the end of a build, with a sign of life each minute."""
    minutes = 0
    while True:
        try:
            return process.wait(PROGRESS_SECONDS)
        except subprocess.TimeoutExpired:
            minutes += 1
            say(f"{name}: still building after {minutes} min")


def _ldflags(module: Module) -> str:
    """Flags of the linker: no debug tables, and the module's stamps."""
    major, minor, _ = module.version.removeprefix("v").split(".", 2)
    values = {"version": module.version, "major": major, "minor": minor}
    return " ".join(["-s", "-w", *(f"-X {name}={value.format(**values)}" for name, value in module.stamps.items())])
