"""What the documents promise exists: make targets, subcommands of `pointsman`, files that they point to."""

import re
from pathlib import Path

import click
import pytest

from pointsman.cli.main import main

ROOT = Path(__file__).parents[3]
FOLDERS = ("charts", "deploy", "docs")
DOCUMENTS = [*ROOT.glob("*.md"), *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text()


def code(document: Path) -> list[str]:
    """Everything that a document sets in code: fenced lines and `inline` pieces."""
    text = document.read_text()
    fenced = [line for block in re.findall(r"```[a-z]*\n(.*?)```", text, re.S) for line in block.splitlines()]
    return fenced + re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))


def targets() -> set[str]:
    return set(re.findall(r"^\.PHONY: (\S+)$", MAKEFILE, re.M))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_target_that_a_document_names_exists(document: Path) -> None:
    named = {target for piece in code(document) for target in re.findall(r"\bmake ([a-z][a-z-]*)", piece)}

    assert named - targets() == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_subcommand_that_a_document_names_exists(document: Path) -> None:
    named = {word for piece in code(document) for word in re.findall(r"^(?:\$ )?pointsman ([a-z][a-z-]*)", piece)}

    assert named - set(main.list_commands(click.Context(main))) == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_to_a_file_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text())

    assert [link for link in links if not (document.parent / link).exists()] == []


def test_make_help_tells_every_target() -> None:
    explained = set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.M))

    assert explained == targets()


def test_the_readme_is_honest_about_what_it_promises_first() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:40])

    assert "make test" in first_screen
    assert "make controlplane" in first_screen
