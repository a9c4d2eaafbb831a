"""Every other command of the documents is one that exists, with options that exist."""

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click
import pytest

from pointsman.cli.main import main
from tests.docs.pages import ALL, ROOT, blocks, commands, label

VERBS = "apply|create|delete|describe|diff|edit|explain|get|label|patch|rollout|scale|taint|wait"
OTHERS = {"docker", "export", "git", "helm"}
TARGETS = set(re.findall(r"^\.PHONY: (\S+)$", (ROOT / "Makefile").read_text(), re.M))


def lines() -> Iterator[Any]:
    """Each command line of `sh`, `console` and unmarked blocks."""
    for page in ALL:
        for block in blocks(page):
            if block.language == "console":
                found = [command.words for command in commands(block)]
            elif block.language in ("", "sh"):
                joined = block.text.replace("\\\n", " ")
                found = [line for line in joined.splitlines() if line.strip()]
            else:
                continue
            for words in found:
                yield pytest.param(words, id=f"{label(page)}: {words}")


def parse(words: list[str]) -> None:
    """Raises click's UsageError when the command line is not one of ours."""
    name, *options = words
    command = main.get_command(click.Context(main), name)
    assert command is not None
    command.make_context(name, options)


@pytest.mark.parametrize("line", [*lines()])
def test_every_command_line_of_the_documents_exists(line: str) -> None:
    first, *rest = shlex.split(line, comments=True) or ["#"]
    if first == "pointsman":
        with suppress(click.exceptions.Exit):  # --help
            parse(rest)
    elif first == "make":
        assert {word for word in rest if "=" not in word} <= TARGETS
    elif first == "kubectl":
        assert re.fullmatch(VERBS, rest[0])
    else:
        assert first in OTHERS | {"#"}
