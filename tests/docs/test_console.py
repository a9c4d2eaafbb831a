"""Every console block is run, in the order of its page, and prints what the page shows.

The cluster is the demo that the tutorial starts; kubectl is the real one.
"""

from pathlib import Path

import pytest

from tests.docs.conftest import Shell
from tests.docs.pages import PAGES, ROOT, blocks, commands, label, matches

pytestmark = pytest.mark.timeout(600)

RUN = [page for page in PAGES if blocks(page, "console")]


@pytest.mark.parametrize("page", RUN, ids=label)
def test_what_a_page_tells_to_type_works(page: Path, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for block in blocks(page, "yaml"):
        if block.name:
            (tmp_path / block.name).write_text(block.text)
    for block in blocks(page, "console"):
        for command in commands(block):
            done = shell.run(command.words, tmp_path)
            assert done.returncode == 0, f"{command.words}\n{done.stdout}{done.stderr}"
            assert matches(command.output, done.stdout), f"{command.words}\n{done.stdout}"


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        pytest.param("NAME   READY ...\nfirst  True ...\n", "NAME READY AGE\nfirst   True   3s\n", True, id="columns"),
        pytest.param("pod ... met\n", "pod/x condition met\n", True, id="middle"),
        pytest.param("pod/x created\n", "pod/x unchanged\n", False, id="other words"),
        pytest.param("", "anything\n", False, id="nothing shown but something printed"),
    ],
)
def test_output_is_compared_but_for_blanks_and_dots(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same
