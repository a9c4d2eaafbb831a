"""A child process does not outlive the test run, however that ends."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controlplane.process import start
from tests.controlplane.wait import eventually

ROOT = Path(__file__).parents[2]
STARTER = """
import sys, time
from pathlib import Path
from tests.controlplane.process import start
print(start(["sleep", "600"], Path(sys.argv[1])).pid, flush=True)
time.sleep(600)
"""


def ended(pid: int) -> bool:
    """Whether no such process runs; one that nobody has reaped yet does not run."""
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "State:\tZ" in status.read_text()


def test_kill_ends_it_and_the_tail_has_its_last_words(tmp_path: Path) -> None:
    process = start(["sh", "-c", "echo going; exec sleep 600"], tmp_path / "log")
    eventually(lambda: "going" in process.tail(), what="the first word")
    assert process.running()

    process.kill()

    assert not process.running()
    assert process.tail() == f"--- sh ({tmp_path / 'log'})\ngoing"
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="the kernel is asked through setpriv (Linux)")
def test_it_ends_when_the_test_run_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path / "log")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout
        pid = int(run.stdout.readline())
        eventually(lambda: Path(f"/proc/{pid}/comm").read_text() == "sleep\n", what="the child to run")

        run.send_signal(signal.SIGKILL)

    eventually(lambda: ended(pid), what="the kernel to end the child")
