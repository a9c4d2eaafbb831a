"""What the recipe of the image promises, read from the recipe: no image can be built where the tests run."""

import importlib.metadata
import json
import re
from pathlib import Path

import pytest

from tests.image.dockerfile import parse

ROOT = Path(__file__).parents[2]
HEAD, BUILD, RUNTIME = parse((ROOT / "Dockerfile").read_text())
INSTRUCTIONS = [*HEAD.instructions, *BUILD.instructions, *RUNTIME.instructions]


def test_both_bases_are_arguments() -> None:
    arguments = [one.rest.partition("=")[0] for one in HEAD.all("ARG")]

    assert arguments == ["BUILD_IMAGE", "RUNTIME_IMAGE"]
    assert (BUILD.base, RUNTIME.base) == ("${BUILD_IMAGE}", "${RUNTIME_IMAGE}")


def test_nothing_comes_by_an_address_or_unpacks_itself() -> None:
    assert [one for one in INSTRUCTIONS if one.word == "ADD"] == []
    assert [one for one in INSTRUCTIONS if re.search(r"https?://|\bcurl\b|\bwget\b|\bgit\b", one.rest)] == []


def test_every_package_is_checked_by_hash_and_none_is_compiled() -> None:
    installs = [
        command
        for one in BUILD.all("RUN")
        for command in one.rest.split("&&")
        if re.search(r"pip (install|wheel)\b", command)
    ]

    assert len(installs) == 4
    checked = [one for one in installs if "--require-hashes --only-binary :all:" in one]
    offline = [one for one in installs if "--no-deps" in one]
    assert len(checked) == len(offline) == 2
    assert set(checked) & set(offline) == set()


def test_the_image_that_runs_only_gets_the_finished_environment() -> None:
    assert [one.rest for one in RUNTIME.all("COPY")] == ["--from=build /opt/pointsman /opt/pointsman"]
    assert RUNTIME.all("RUN") == []


def test_no_compiler_is_installed() -> None:
    assert [
        one for one in INSTRUCTIONS if re.search(r"\b(apt|apt-get|apk|dnf|gcc|g\+\+|build-essential)\b", one.rest)
    ] == []


def test_it_runs_as_nobody_in_particular() -> None:
    assert [one.rest for one in RUNTIME.all("USER")] == ["65532:65532"]
    words = [one.word for one in RUNTIME.instructions]
    assert not {"COPY", "RUN"} & set(words[words.index("USER") :])


def test_nothing_is_written_at_run_time() -> None:
    environment = dict(pair.split("=", 1) for one in RUNTIME.all("ENV") for pair in one.operands)

    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    assert environment["HOME"] == "/nonexistent"
    assert RUNTIME.all("VOLUME") == []


def test_the_process_is_pointsman_itself_without_a_shell() -> None:
    [entry], [default] = RUNTIME.all("ENTRYPOINT"), RUNTIME.all("CMD")

    assert json.loads(entry.rest) == ["pointsman"]
    assert json.loads(default.rest) == ["--help"]
    assert "pointsman" in {script.name for script in importlib.metadata.entry_points(group="console_scripts")}


def test_labels_tell_what_it_is_and_of_which_version() -> None:
    labels = dict(pair.split("=", 1) for one in RUNTIME.all("LABEL") for pair in one.operands)
    arguments = dict(one.rest.split("=", 1) for one in RUNTIME.all("ARG"))

    assert {name.removeprefix("org.opencontainers.image.") for name in labels} == {
        "title", "description", "licenses", "version", "revision",
    }  # fmt: skip
    assert labels["org.opencontainers.image.version"] == "${VERSION}"
    assert arguments["VERSION"] == importlib.metadata.version("pointsman")


@pytest.fixture
def copied() -> list[str]:
    """What the build copies from the sources."""
    return [path for one in BUILD.all("COPY") for path in one.operands[:-1]]


def test_what_is_copied_exists_and_is_sent_to_the_builder(copied: list[str]) -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()

    assert lines[1] == "*"
    assert sorted(line[1:] for line in lines if line.startswith("!")) == sorted(copied)
    assert [path for path in copied if not (ROOT / path).exists()] == []


def test_every_folder_that_the_package_links_to_is_copied(copied: list[str]) -> None:
    links = [path for path in (ROOT / "operator").rglob("*") if path.is_symlink()]

    assert ROOT / "operator" / "pointsman" / "templates" in links
    assert [str(link) for link in links if str(link.resolve().relative_to(ROOT)) not in copied] == []
