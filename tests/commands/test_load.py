"""`pointsman load` on a real API server: pods are made, marked, and cleaned up; Ctrl-C ends it in order."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pointsman.cli.podload import LOAD_LABEL
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

SCHEDULER = "load-test"


def command(plane: ControlPlane, namespace: str, *args: str) -> list[str]:
    connection = ["--kubeconfig", str(plane.kubeconfig), "--namespace", namespace]
    return [sys.executable, "-c", "from pointsman.cli.main import main; main()", "load", *connection, *args]


def run(plane: ControlPlane, namespace: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(plane, namespace, *args), capture_output=True, text=True, timeout=30, check=False)


def pods(plane: ControlPlane, namespace: str) -> list[tuple[str, str]]:
    """schedulerName and label of every pod that is not being deleted."""
    return [
        (item["spec"]["schedulerName"], item["metadata"]["labels"].get(LOAD_LABEL, ""))
        for item in plane.get("pods", "-n", namespace)["items"]
        if "deletionTimestamp" not in item["metadata"]
    ]


def test_pods_are_made_for_the_scheduler_and_cleaned_up_by_their_label(
    control_plane: ControlPlane, namespace: str
) -> None:
    made = run(control_plane, namespace, "--scheduler-name", SCHEDULER, "--count", "3", "--burst", "3")
    assert (made.returncode, made.stdout) == (0, f"created 3 pods in namespace {namespace}\n")
    assert pods(control_plane, namespace) == [(SCHEDULER, SCHEDULER)] * 3

    run(control_plane, namespace, "--scheduler-name", "other", "--count", "1")
    run(control_plane, namespace, "--scheduler-name", "other", "--cleanup")
    assert pods(control_plane, namespace) == [(SCHEDULER, SCHEDULER)] * 3

    cleaned = run(control_plane, namespace, "--cleanup")
    assert (cleaned.returncode, cleaned.stdout) == (0, f"deleted the load pods in namespace {namespace}\n")
    assert pods(control_plane, namespace) == []


def test_a_template_is_followed(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> None:
    template = tmp_path / "pod.yaml"
    template.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\n"
        f"spec: {{schedulerName: {SCHEDULER}, containers: [{{name: a, image: b}}]}}\n"
    )
    made = run(control_plane, namespace, "--template", str(template), "--count", "1")
    assert made.returncode == 0, made.stderr
    (item,) = control_plane.get("pods", "-n", namespace)["items"]
    assert item["metadata"]["name"].startswith("mine-")
    assert item["spec"]["containers"][0]["image"] == "b"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_it_in_order(control_plane: ControlPlane, namespace: str, number: signal.Signals) -> None:
    args = command(control_plane, namespace, "--scheduler-name", SCHEDULER, "--rate", "0.01")
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        eventually(lambda: pods(control_plane, namespace), what="the first pod")
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (0, f"created 1 pod in namespace {namespace}\n", "")


def test_what_the_api_server_refuses_is_told_in_one_line(control_plane: ControlPlane, tmp_path: Path) -> None:
    refused = run(control_plane, "no-such-namespace", "--scheduler-name", SCHEDULER)
    assert refused.returncode == 1
    reason = 'namespaces "no-such-namespace" not found'
    assert refused.stdout == f"created 0 pods in namespace no-such-namespace, 1 failed: {reason}\n"
    assert refused.stderr == ""
