"""One child process of a control plane: where its output goes, and that it ends with us.

A test run may be killed without a chance to clean up. Where `setpriv` exists (Linux) the kernel then kills the child
too; elsewhere only an orderly end does. Start processes from a thread that lives as long as they shall: the kernel
takes the end of that thread for the end of the parent.
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_LINES = 20
END_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Process:
    """A running program of the control plane."""

    name: str
    command: tuple[str, ...]
    popen: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def running(self) -> bool:
        return self.popen.poll() is None

    def tail(self) -> str:
        """The last lines of its log, for the message of a failed start."""
        lines = self.log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        return "\n".join([f"--- {self.name} ({self.log})", *lines])

    def kill(self) -> None:
        """End it at once: nothing of a test's control plane is worth the minute that kube-apiserver takes to stop."""
        if self.running():
            self.popen.kill()
        self.popen.wait(END_SECONDS)


def start(command: Sequence[str], log: Path) -> Process:
    """Start a program in the background, its output in `log`."""
    guard = [setpriv, "--pdeathsig", "KILL", "--"] if (setpriv := shutil.which("setpriv")) else []
    with log.open("wb") as output:
        popen = subprocess.Popen(
            [*guard, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=log.parent
        )
    return Process(Path(command[0]).name, tuple(command), popen, log)
