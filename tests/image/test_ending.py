"""PID 1 has no default action for SIGTERM: in a container `pointsman` must end by itself, whatever it waits for."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from pointsman.policy.document import canonical_json, content_hash
from tests.controlplane.wait import eventually
from tests.unit.engine_process.policies import document

SECONDS = 30.0
NEW_PID_1 = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")
"""Runs a program as the first process of a namespace, as a container's is; the kernel must allow it to everybody."""

numbers = itertools.count(1)


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Path:
    """Of an API server that does not answer: nothing listens on port 1."""
    path = tmp_path / "kubeconfig"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "nowhere",
        "clusters": [{"name": "nowhere", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere", "user": "nobody"}}],
    }
    path.write_text(json.dumps(config))
    return path


@pytest.fixture
def policy(tmp_path: Path) -> tuple[str, str]:
    """Folder of a policy, and what an engine expects of it."""
    content = canonical_json(document("p"))
    (tmp_path / "p.json").write_bytes(content)
    return str(tmp_path), f"p={content_hash(content)}"


@contextmanager
def started(command: Sequence[str], address: str) -> Iterator[subprocess.Popen[str]]:
    """`pointsman` once it answers on its health page."""
    process = subprocess.Popen(
        [*command, "--listen", address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )

    def alive() -> bool:
        try:
            with urllib.request.urlopen(f"http://{address}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, process.communicate()[0]
            return False

    try:
        eventually(alive, what=f"{' '.join(command)} to be alive", within=SECONDS)
        yield process
    finally:
        process.kill()
        process.communicate()


def child_of(pid: int) -> int:
    [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def may_be_pid_1() -> bool:
    if shutil.which(NEW_PID_1[0]) is None:
        return False
    return subprocess.run([*NEW_PID_1, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("first", [False, True], ids=["as a process", "as PID 1"])
@pytest.mark.parametrize("subcommand", ["operator", "engine"])
def test_sigterm_ends_it_with_code_0(subcommand: str, first: bool, kubeconfig: Path, policy: tuple[str, str]) -> None:
    if first and not may_be_pid_1():
        pytest.skip("this machine lets nobody make a PID namespace")
    options = {
        "operator": (),
        "engine": ("--policy", policy[0], "--expect", policy[1], "--lease", "pointsman-engines/engine-p"),
    }
    command = (sys.executable, "-m", "pointsman", subcommand, "--kubeconfig", str(kubeconfig), *options[subcommand])
    address = f"127.63.{os.getpid() % 65536 // 256}.{os.getpid() % 256}:{8080 + next(numbers)}"

    with started((*NEW_PID_1, *command) if first else command, address) as process:
        os.kill(child_of(process.pid) if first else process.pid, signal.SIGTERM)
        said, _ = process.communicate(timeout=SECONDS)

    assert process.returncode == 0, said
    assert "Traceback" not in said
