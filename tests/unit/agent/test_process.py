"""Real processes: how they end, what they say, and that nothing of them is left."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.unit.kube.fake_api import until

from pointsman.sandbox.agent.environment import CommandLine
from pointsman.sandbox.agent.process import Exit, LocalProcess
from pointsman.testing.clock import VirtualClock

Start = Callable[..., Awaitable[LocalProcess]]

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(1e6)"
)
CHILD = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1).pid, flush=True)"


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts Python with some source; kills what is left at the end."""
    started: list[LocalProcess] = []

    async def make(source: str, *words: str, **environment: str) -> LocalProcess:
        argv = words or (sys.executable, "-c", source)
        command = CommandLine(argv, {"PATH": "/usr/bin:/bin", **environment}, str(tmp_path))
        started.append(await LocalProcess.start(command, tmp_path / "log"))
        return started[-1]

    yield make
    for process in started:
        process.signal(signal.SIGKILL)
        await process.wait()


def is_alive(pid: int) -> bool:
    """Running, and not merely waiting to be reaped."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("raise SystemExit(3)", Exit(3, 0), id="a code"),
        pytest.param("import os; os.kill(os.getpid(), 9)", Exit(137, 9), id="a signal"),
    ],
)
async def test_how_a_process_ended(start: Start, source: str, expected: Exit) -> None:
    assert await (await start(source)).wait() == expected


async def test_output_and_errors_go_to_the_log_and_only_what_is_given_is_in_the_environment(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_ONLY", "x")
    source = "import os, sys; print(os.getcwd(), sorted(os.environ), file=sys.stderr)"

    await (await start(source, GIVEN="1", LC_ALL="C.UTF-8")).wait()

    assert (tmp_path / "log").read_text() == f"{tmp_path} ['GIVEN', 'LC_ALL', 'PATH']\n"


async def test_a_program_that_does_not_exist_says_so_in_log_and_last_words(start: Start, tmp_path: Path) -> None:
    words = tmp_path / "words"

    process = await start("", "no-such-program", TERMINATION_MESSAGE_PATH=str(words))

    assert await process.wait() == Exit(127, 0)
    assert (tmp_path / "log").read_text() == words.read_text()
    assert words.read_text() == "cannot run no-such-program: No such file or directory\n"


async def test_a_folder_that_does_not_exist_is_the_machines_fault(tmp_path: Path) -> None:
    command = CommandLine((sys.executable,), {}, str(tmp_path / "none"))

    with pytest.raises(FileNotFoundError):
        await LocalProcess.start(command, tmp_path / "log")


async def test_a_process_that_ignores_the_request_is_killed_after_its_grace(start: Start, tmp_path: Path) -> None:
    clock = VirtualClock()
    process = await start(STUBBORN)
    await until(lambda: (tmp_path / "log").read_text() == "up\n")

    ending = asyncio.create_task(process.end(30.0, clock))
    await clock.advance(29)
    assert is_alive(process.pid)
    await clock.advance(1)

    assert await ending == Exit(137, 9)


async def test_a_second_shorter_grace_hastens_the_end(start: Start, tmp_path: Path) -> None:
    clock = VirtualClock()
    process = await start(STUBBORN)
    await until(lambda: (tmp_path / "log").read_text() == "up\n")

    patient = asyncio.create_task(process.end(30.0, clock))
    hasty = asyncio.create_task(process.end(1.0, clock))
    await clock.advance(1)

    assert await patient == await hasty == Exit(137, 9)


async def test_a_process_that_obeys_is_not_killed(start: Start) -> None:
    process = await start("import time; time.sleep(1e6)")

    assert await process.end(30.0, VirtualClock()) == Exit(143, 15)


async def test_what_a_process_started_ends_with_it(start: Start, tmp_path: Path) -> None:
    process = await start(CHILD)

    assert await process.wait() == Exit(0, 0)

    child = int((tmp_path / "log").read_text())
    await until(lambda: not is_alive(child))


async def test_a_process_is_leader_of_its_own_session(start: Start) -> None:
    process = await start("import time; time.sleep(1e6)")

    assert os.getsid(process.pid) == process.pid != os.getsid(0)
