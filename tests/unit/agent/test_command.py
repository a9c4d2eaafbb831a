"""The command line: bad values are named, and a cluster that cannot be reached is told in a sentence."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pointsman.cli.node_agent import command


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The command sets up logging for its whole process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--cpu", "4x", '"4x" is not a quantity'),
        ("--memory", "lots", '"lots" is not a quantity'),
        ("--extended", "nvidia.com/gpu", '"nvidia.com/gpu": expected KEY=VALUE'),
        ("--extended", "nvidia.com/gpu=x", '"x" is not a quantity'),
        ("--label", "pool", '"pool": expected KEY=VALUE'),
        ("--taint", "gpu:Never", 'taint "gpu:Never": expected key=value:Effect'),
        ("--image", "app:1", 'image "app:1": expected IMAGE=COMMAND'),
        ("--nodes", "-1", "-1 is not in the range"),
    ],
)
def test_a_bad_value_is_named_with_its_option(option: str, value: str, message: str) -> None:
    result = CliRunner().invoke(command, [option, value])

    assert result.exit_code == 2
    assert option in result.output
    assert message in result.output


def test_a_missing_kubeconfig_is_told_in_a_sentence(tmp_path: Path) -> None:
    missing = tmp_path / "none"

    result = CliRunner().invoke(command, ["--kubeconfig", str(missing), "--log-format", "text"])

    assert result.exit_code == 1
    [line] = result.output.splitlines()
    assert line.endswith(f"the node agent ends: {missing}: cannot be read: No such file or directory")
