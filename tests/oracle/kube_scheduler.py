"""The stock kube-scheduler beside a control plane, configured so that its decisions can be compared.

One process serves several profiles. It looks at every node (percentageOfNodesToScore 100), one after another
(parallelism 1), and its log goes through a pipe that is read without waiting: what it has written before a call to the
API server has been read once the call's effect is seen.
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from tests.controlplane.build import Binaries
from tests.controlplane.files import SCHEDULER, Files
from tests.controlplane.plane import ControlPlane
from tests.oracle.log import Log

_FILES: Final = "schedule_one=10,eventhandlers=3,executor=2"  # whose lines `log` reads, with their verbosity
# Without default spread constraints it hands a pod the second best node of an equal one that came within half a second
# before: such a decision depends on the clock.
_NO_BATCHING: Final = "OpportunisticBatching=false"
_CHUNK: Final = 1 << 20
_TAIL: Final = 40
_END_SECONDS: Final = 10


class SchedulerEnded(Exception):
    """kube-scheduler is gone; the message has its last lines."""


class KubeScheduler:
    """A running kube-scheduler and what its log has told so far."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is None:
            raise ValueError("kube-scheduler must write into a pipe")
        self._process = process
        self._pipe = process.stdout.fileno()
        self._rest = b""
        self._tail: deque[bytes] = deque(maxlen=_TAIL)
        self._read = asyncio.Event()
        self.log = Log()
        os.set_blocking(self._pipe, False)
        asyncio.get_running_loop().add_reader(self._pipe, self.read)

    def read(self) -> None:
        """Take in all that is in the pipe now."""
        while True:
            try:
                chunk = os.read(self._pipe, _CHUNK)
            except BlockingIOError:
                break
            if not chunk:
                self._stop_reading()
                break
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._tail.extend(lines[-_TAIL:])
            self.log.feed(lines)
        self._read.set()

    async def more(self) -> None:
        """Wait until the log has grown. Raises SchedulerEnded."""
        if self._process.poll() is not None:
            raise SchedulerEnded(b"\n".join(self._tail).decode(errors="replace"))
        self._read.clear()
        await self._read.wait()

    def tail(self) -> str:
        """The last lines of the log."""
        return b"\n".join(self._tail).decode(errors="replace")

    def stop(self) -> None:
        self._stop_reading()
        self._process.kill()
        self._process.wait(_END_SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _stop_reading(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pipe)


@asynccontextmanager
async def kube_scheduler(
    plane: ControlPlane, binaries: Binaries, profiles: Sequence[Mapping[str, Any]], folder: Path
) -> AsyncIterator[KubeScheduler]:
    """Run kube-scheduler with these profiles (of a KubeSchedulerConfiguration) while the block lasts."""
    config = folder / "kube-scheduler.json"
    config.write_text(json.dumps(configuration(Files(plane.folder, plane.url, {}), profiles)))
    running = KubeScheduler(_start(binaries, config))
    try:
        yield running
    finally:
        running.stop()


def _start(binaries: Binaries, config: Path) -> subprocess.Popen[bytes]:
    guard = [setpriv, "--pdeathsig", "KILL", "--"] if (setpriv := shutil.which("setpriv")) else []
    command = [
        str(binaries.kube_scheduler),
        f"--config={config}",
        "--secure-port=0",
        f"--feature-gates={_NO_BATCHING}",
        "-v=2",
        f"--vmodule={_FILES}",
    ]
    return subprocess.Popen(
        [*guard, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=config.parent,
    )


def configuration(files: Files, profiles: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The KubeSchedulerConfiguration. A pod that fits nowhere shall not be tried again before it is taken away."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(files.kubeconfig(SCHEDULER[0])), "qps": 5000, "burst": 5000},
        "leaderElection": {"leaderElect": False},
        "parallelism": 1,
        "percentageOfNodesToScore": 100,
        "podInitialBackoffSeconds": 60,
        "podMaxBackoffSeconds": 600,
        "profiles": list(profiles),
    }
