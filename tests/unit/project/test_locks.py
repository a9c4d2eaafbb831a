"""The requirement locks: every package pinned with hashes, and no address, host or path of whoever made them."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock")

NAME = r"[a-z0-9][a-z0-9._-]*"
PIN = re.compile(rf"({NAME})==([0-9][0-9a-z.+!]*)( ; [A-Za-z_ <>=!'0-9.()]+)? \\")
HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?")
WHY = re.compile(rf" {{4}}#( via|  ) ?({NAME}( \(pyproject\.toml(:(dev|build))?\))?)?")


def pins(lock: str) -> set[tuple[str, str]]:
    """Packages and versions; one package may have several, for different versions of Python."""
    return {(match[1], match[2]) for line in text(lock) if (match := PIN.fullmatch(line))}


def names(lock: str) -> set[str]:
    return {name for name, _version in pins(lock)}


def text(lock: str) -> list[str]:
    return (ROOT / lock).read_text().splitlines()


def normal(requirement: str) -> str:
    """Name of the package that a requirement asks for, as locks spell it."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_hashes_and_reasons_and_nothing_else(lock: str) -> None:
    others = [line for line in text(lock) if not any(kind.fullmatch(line) for kind in (PIN, HASH, WHY))]

    assert others == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    after = [following for line, following in zip(text(lock), text(lock)[1:], strict=False) if PIN.fullmatch(line)]

    assert len(after) == len(pins(lock))
    assert [line for line in after if not HASH.fullmatch(line)] == []


def test_every_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    runtime = {normal(requirement) for requirement in project["project"]["dependencies"]}
    development = {normal(requirement) for requirement in project["dependency-groups"]["dev"]}

    assert runtime - names("requirements.lock") == set()
    assert (runtime | development) - names("requirements-dev.lock") == set()


def test_tests_run_with_the_versions_that_users_get() -> None:
    assert pins("requirements.lock") - pins("requirements-dev.lock") == set()


def test_the_image_is_built_with_the_versions_that_tests_build_with() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert set(project["dependency-groups"]["build"]) <= set(project["dependency-groups"]["dev"])
    assert pins("requirements-build.lock") - pins("requirements-dev.lock") == set()
