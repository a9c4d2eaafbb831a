"""What holds for every module: where it may lie, how it opens, how long it is, and that it is finished."""

import ast
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = sorted((ROOT / "operator").rglob("*.py"))
MODULES = SOURCES + sorted((ROOT / "tests").rglob("*.py"))
TEXT_FOLDERS = (".ci", "charts", "crds", "deploy", "docs", "examples", "operator", "templates", "tests")
TEXT_SUFFIXES = {".py", ".md", ".yaml", ".j2", ".toml", ".go", ".lua", ".tpl", ".txt", ".json", ""}
# In two halves, so that this file does not find itself.
UNFINISHED = tuple(
    a + b for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X:"), ("NotImplemented", "Error"), ("lorem", " ipsum"))
)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_nothing_in_the_source_root_shadows_the_standard_librarys_operator() -> None:
    assert list((ROOT / "operator").glob("*.py")) == []


def test_every_module_opens_with_a_docstring_that_is_a_sentence() -> None:
    sources = {name(path): path.read_text() for path in MODULES}
    openings = {path: ast.get_docstring(ast.parse(source)) or "" for path, source in sources.items() if source}

    assert [path for path, opening in openings.items() if len(opening.split()) < 4] == []


def test_no_module_has_more_than_400_lines() -> None:
    assert {name(path): lines(path) for path in MODULES if lines(path) > 400} == {}


def test_half_of_the_modules_have_at_most_170_lines() -> None:
    assert statistics.median(lines(path) for path in SOURCES if path.name != "__init__.py") <= 170


@pytest.mark.parametrize("mark", UNFINISHED)
def test_nothing_is_left_unfinished(mark: str) -> None:
    texts = [path for folder in TEXT_FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in TEXT_SUFFIXES]
    texts += [
        path for path in ROOT.iterdir() if path.suffix in {".md", ".toml"} or path.name in {"Dockerfile", "Makefile"}
    ]

    assert [name(path) for path in texts if path.is_file() and mark in path.read_text()] == []
