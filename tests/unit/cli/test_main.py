"""The `pointsman` command: its help and version, and that a subcommand loads only what it needs."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from pointsman.cli.main import SUBCOMMANDS, main


def run(*args: str) -> str:
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_version_is_the_packages() -> None:
    assert run("--version") == f"pointsman, version {version('pointsman')}\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_subcommand_with_its_line(option: str) -> None:
    text = run(option)
    assert [line for line in SUBCOMMANDS.values() if line.help not in text] == []
    assert [name for name in SUBCOMMANDS if f"  {name} " not in text] == []


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help(name: str) -> None:
    assert f"Usage: main {name}" in run(name, "--help")


def test_an_unknown_subcommand_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["frobnicate"])
    assert result.exit_code == 2
    assert "No such command 'frobnicate'" in result.output


@pytest.mark.parametrize(
    ("name", "unwanted"),
    [
        ("validate", {"kopf", "kubernetes", "aiohttp", "uvloop"}),
        ("load", {"kopf", "numpy", "uvloop"}),
        ("engine", {"kopf", "jinja2"}),
        ("operator", {"uvloop"}),
    ],
)
def test_a_subcommand_does_not_load_what_others_need(name: str, unwanted: set[str]) -> None:
    code = f"import sys, {SUBCOMMANDS[name].module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert unwanted & set(loaded) == set()
