"""`pointsman demo` from its start to its end: three schedulers at work within seconds, and nothing left of them."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.demo.running import SECONDS, demo, processes_of, read_until

pytestmark = pytest.mark.timeout(SECONDS + 30)

HASH = r"[0-9a-f]{10}"


def test_it_ends_by_itself_with_three_profiles_ready_and_their_pods_placed(tmp_path: Path) -> None:
    with demo(tmp_path, "--duration", "15", "--json") as process:
        output, said = process.communicate(timeout=SECONDS)

    assert process.returncode == 0, said
    assert output.count("\n") == 1
    told = json.loads(output)
    assert set(told) == {"profiles", "bound", "seconds"}
    assert [(profile["name"], profile["ready"]) for profile in told["profiles"]] == [
        ("binpack", True),
        ("gpu", True),
        ("team-payments", True),
    ]
    assert told["bound"] > 300
    assert 15 <= told["seconds"] < 30
    for profile in told["profiles"]:
        assert set(profile) == {"name", "ready", "scheduled", "pending", "policyHash", "loadedHash"}
        assert re.fullmatch(HASH, profile["policyHash"])
        assert profile["loadedHash"] == profile["policyHash"]
    # 96 cpus on nodes of 16, 16 GPUs on nodes of 8, a pod from a namespace that is not the team's
    assert [profile["pending"] for profile in told["profiles"]] == [2, 3, 1]
    assert "3 of 3 profiles ready" in said
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_it_in_order_while_engines_run(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path, "--keep", "--nodes", "30") as process:
        said = read_until(process, "ready=True")
        assert f"export KUBECONFIG={tmp_path}" in said
        assert [line for line in processes_of(tmp_path) if "pointsman engine" in line]
        process.send_signal(number)
        _, complaints = process.communicate(timeout=SECONDS)

    assert process.returncode in (0, 1)  # whether all three were ready by then
    assert complaints == ""
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []


def test_a_signal_ends_it_while_it_starts(tmp_path: Path) -> None:
    with demo(tmp_path, "--keep", "--nodes", "15") as process:
        read_until(process, "15 nodes")
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=SECONDS)

    assert process.returncode == 1
    assert complaints == ""
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []
