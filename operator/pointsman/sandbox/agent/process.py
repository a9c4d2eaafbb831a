"""One process on this machine: started in a session of its own, signalled, ended, waited for.

The process leads a process group that it shares with what it starts. A polite end signals the process alone, as a
container runtime signals only the first process of a container; whatever is left of the group when it has ended is
killed, as the end of a PID namespace would.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pointsman.kube.clock import Clock
from pointsman.sandbox.agent.environment import CommandLine
from pointsman.sandbox.agent.race import until_first

_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended; `signal` is 0 unless one ended it, and `code` is then 128 + signal."""

    code: int
    signal: int


class Process(Protocol):
    """A running process, as far as the rest of the agent is concerned."""

    @property
    def pid(self) -> int: ...

    async def wait(self) -> Exit:
        """Returns when the process has ended and nothing of its group is left."""
        ...

    def signal(self, number: int) -> None:
        """Signals the process and all that it started; nothing once it has ended."""
        ...

    async def end(self, grace_seconds: float, clock: Clock) -> Exit:
        """SIGTERM, and SIGKILL when it is still there after the grace. A second, shorter call hastens the first."""
        ...


class LocalProcess:
    """A process of this machine. Make one with `start`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._gone = asyncio.create_task(self._reap())

    @classmethod
    async def start(cls, command: CommandLine, log: Path) -> "LocalProcess":
        """Starts a process that writes to `log`. Raises OSError when this machine cannot have one more.

        A program that does not exist is no fault here: the process ends with code 127 and says so in its log.
        """
        descriptor = _open_log(log)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", _LAUNCHER, str(os.getpid()), *command.argv),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                env=dict(command.environment),
                cwd=command.directory,
                start_new_session=True,
            )
        finally:
            os.close(descriptor)
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self) -> Exit:
        return await asyncio.shield(self._gone)

    def signal(self, number: int) -> None:
        if not self._gone.done():
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    async def end(self, grace_seconds: float, clock: Clock) -> Exit:
        if not self._gone.done():
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
        await until_first(clock.sleep(grace_seconds), self.wait())
        self.signal(signal.SIGKILL)
        return await self.wait()

    async def _reap(self) -> Exit:
        code = await self._process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        return Exit(128 - code, -code) if code < 0 else Exit(code, 0)


def _open_log(log: Path) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
