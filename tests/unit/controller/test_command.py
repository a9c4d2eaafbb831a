"""`pointsman operator` as a user starts it: bad input gets one line that says what to do, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
clusters: [{name: nowhere, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: nobody, user: {}}]
"""


def operator(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pointsman", "operator", *arguments]
    return subprocess.run(command, env={}, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            (),
            1,
            "pointsman operator: no API server to talk to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod",
        ),
        (("--kubeconfig", "/nowhere"), 1, "/nowhere"),
        (("--listen", "8080"), 2, "'8080' is not HOST:PORT"),
        (("--log-level", "Loud"), 2, "'Loud' is not one of"),
        (("extra",), 2, "unexpected extra argument"),
    ],
    ids=["no cluster", "no such file", "no host", "no such level", "an argument"],
)
def test_bad_input_is_told_in_words(arguments: tuple[str, ...], code: int, words: str) -> None:
    ended = operator(*arguments)
    assert ended.returncode == code
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_address_that_cannot_be_had_is_told_in_words(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(KUBECONFIG)
    ended = operator("--kubeconfig", str(file), "--listen", "192.0.2.1:1")
    assert ended.returncode == 1
    assert "pointsman operator: cannot serve on 192.0.2.1, port 1" in ended.stderr
    assert "Traceback" not in ended.stderr
