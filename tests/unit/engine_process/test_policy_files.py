"""Policies that can and cannot be loaded: exit code 2 and one line that says why, in both places, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.engine_process.policies import document

from pointsman.engine.process.policy_files import Expectation, PolicyFileError, load_policies, parse_expectation
from pointsman.policy.document import canonical_json, content_hash

GOOD = canonical_json(document())
HASH = content_hash(GOOD)


def _broken(**changes: Any) -> bytes:
    return msgspec.json.encode({**msgspec.to_builtins(document()), **changes})


BAD_RULE = _broken(predicates=[{"name": "x", "rule": "Nope"}])


def _file(directory: Path, content: bytes | None) -> str:
    """Write the policy of profile p; returns its hash."""
    if content is None:
        return HASH
    (directory / "p.json").write_bytes(content)
    return content_hash(content)


def test_the_policy_of_each_expected_profile_is_loaded(tmp_path: Path) -> None:
    expected = []
    for profile in ("p", "q"):
        content = canonical_json(document(profile, f"{profile}-scheduler"))
        (tmp_path / f"{profile}.json").write_bytes(content)
        expected.append(Expectation(profile, content_hash(content)))
    policies = load_policies(tmp_path, expected)
    assert [(policy.profile, policy.hash) for policy in policies] == [(one.profile, one.hash) for one in expected]


def test_other_bytes_than_the_expected_ones_are_refused(tmp_path: Path) -> None:
    _file(tmp_path, GOOD + b" ")
    with pytest.raises(PolicyFileError) as caught:
        load_policies(tmp_path, [Expectation("p", HASH)])
    assert str(caught.value) == (
        f"policy file {tmp_path}/p.json: its hash is {content_hash(GOOD + b' ')}, expected {HASH}"
    )


def test_two_profiles_cannot_serve_one_scheduler_name(tmp_path: Path) -> None:
    expected = []
    for profile in ("p", "q"):
        content = canonical_json(document(profile, "same"))
        (tmp_path / f"{profile}.json").write_bytes(content)
        expected.append(Expectation(profile, content_hash(content)))
    with pytest.raises(PolicyFileError, match="profiles p and q both serve same"):
        load_policies(tmp_path, expected)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(None, "No such file", id="there is no file"),
        pytest.param(b"", "cannot be read", id="empty"),
        pytest.param(b"\xff\xfe{", "cannot be read", id="not text"),
        pytest.param(b"[" * 5000, "cannot be read", id="nested too deep"),
        pytest.param(b"{}", "missing required field", id="nothing in it"),
        pytest.param(b" " * (1024 * 1024 + 1), "larger than", id="too large"),
        pytest.param(_broken(profile="other"), "is of profile 'other', not 'p'", id="another profile's"),
        pytest.param(_broken(apiVersion="pointsman.dev/policy-v9"), "apiVersion", id="another format"),
        pytest.param(_broken(surprise=1), "surprise", id="an unknown field"),
        pytest.param(BAD_RULE, "Nope", id="an unknown rule"),
        pytest.param(
            _broken(predicates=[{"name": "NodeResourcesFit", "rule": "NodeResourcesFit", "args": {"bad\nkey": 1}}]),
            "NodeResourcesFit",
            id="args of a rule, with a newline",
        ),
        pytest.param(_broken(queue={"podInitialBackoffSeconds": "soon"}), "soon|int", id="a field of the wrong type"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(tmp_path: Path, content: bytes | None, words: str) -> None:
    expected = _file(tmp_path, content)
    with pytest.raises(PolicyFileError, match=words) as caught:
        load_policies(tmp_path, [Expectation("p", expected)])
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"policy file {tmp_path}/p.json: ")


ZEROS = "0" * 64


@pytest.mark.parametrize(
    "text",
    ["", "p", "p=", f"=sha256:{ZEROS}", "p=sha256:abc", f"p={ZEROS}", f"P=sha256:{ZEROS}", f"../p=sha256:{ZEROS}"],
)
def test_an_expectation_needs_a_profile_and_a_whole_hash(text: str) -> None:
    with pytest.raises(ValueError, match="is not PROFILE=sha256:"):
        parse_expectation(text)


class TestCommand:
    """The real command, as a process."""

    @staticmethod
    def _run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "TERMINATION_MESSAGE_PATH": str(directory / "termination-log"),
            "POD_NAME": "engine-p-1",
        }
        return subprocess.run(
            [sys.executable, "-m", "pointsman", "engine", "--policy", str(directory), *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=directory,
            timeout=50,
            check=False,
        )

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            pytest.param(None, HASH, id="no file"),
            pytest.param(GOOD, f"sha256:{ZEROS}", id="another hash"),
            pytest.param(BAD_RULE, content_hash(BAD_RULE), id="no such rule"),
        ],
    )
    def test_a_policy_that_cannot_be_loaded_ends_it_with_code_2_and_one_line(
        self, tmp_path: Path, content: bytes | None, expected: str
    ) -> None:
        _file(tmp_path, content)
        ended = self._run(tmp_path, "--expect", f"p={expected}", "--lease", "fleet/engine-p")
        assert ended.returncode == 2
        (line,) = ended.stderr.splitlines()
        assert line.startswith(f"pointsman engine: policy file {tmp_path}/p.json: ")
        assert (tmp_path / "termination-log").read_text() == line.removeprefix("pointsman engine: ") + "\n"
        assert ended.stdout == ""

    def test_without_an_api_server_to_talk_to_it_ends_with_code_1_and_says_what_to_do(self, tmp_path: Path) -> None:
        ended = self._run(tmp_path, "--expect", f"p={_file(tmp_path, GOOD)}", "--lease", "fleet/engine-p")
        assert ended.returncode == 1
        (line,) = ended.stderr.splitlines()
        assert "--kubeconfig" in line
        assert (tmp_path / "termination-log").read_text() == line.removeprefix("pointsman engine: ") + "\n"
