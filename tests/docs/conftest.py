"""A demo that the documents' commands are run against, as the tutorial tells the reader to start it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.controlplane.build import Binaries
from tests.controlplane.wait import eventually
from tests.crd.conftest import profiles
from tests.docs.pages import ROOT

__all__ = ["profiles"]

START_SECONDS = 120
STOP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs command lines as a reader's second terminal would."""

    kubeconfig: str
    kubectl: Path

    def run(self, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a command line with bash in a folder; stdout and stderr apart."""
        path = os.pathsep.join([str(self.kubectl.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", words],
            cwd=folder,
            env={"PATH": path, "HOME": str(folder), "KUBECONFIG": self.kubeconfig},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="session")
def shell(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell on a running demo, whose three profiles are ready."""
    log = tmp_path_factory.mktemp("demo") / "output"
    with log.open("w") as output:
        command = [sys.executable, "-m", "pointsman", "demo", "--keep"]
        demo = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)

    def ready() -> str:
        text = log.read_text()
        assert demo.poll() is None, text
        found = re.search(r"export KUBECONFIG=(\S+)", text)
        names = set(re.findall(r"(\S+) +ready=True", text))
        return found[1] if found and len(names) == 3 and "scheduled=120" in text else ""

    try:
        yield Shell(
            eventually(ready, what="the demo to have placed its pods", within=START_SECONDS),
            controlplane_binaries.kubectl,
        )
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(STOP_SECONDS)
