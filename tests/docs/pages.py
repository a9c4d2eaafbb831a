"""The documents' code, by what tests do with it.

```yaml NAME.yaml   a manifest, complete or from `spec:` on; checked, and with a name also a file for the commands
```console          `$ command` lines and what they print, `...` for anything; run in order on a demo cluster
```sh               commands that a test cannot run (they take a cluster, or minutes); parsed
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "design")
ALL: Final = [
    *sorted(ROOT.glob("*.md")),
    *PAGES,
    ROOT / "deploy" / "README.md",
    ROOT / "charts" / "pointsman" / "README.md",
]
_FENCE: Final = re.compile(r"^```([a-z]*) ?(\S*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: language, the name behind it, text."""

    language: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what it shall print."""

    words: str
    output: str


def label(page: Path) -> str:
    """Name of a page in test reports."""
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page, those of some languages or all."""
    found = (Block(*match) for match in _FENCE.findall(page.read_text()))
    return [block for block in found if not languages or block.language in languages]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block with their output."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        words, _, output = part.partition("\n")
        yield Command(words, output)


def matches(expected: str, printed: str) -> bool:
    """Whether what was printed is what a page shows: `...` is anything, blanks between columns count as one."""
    pattern = r"[\s\S]*".join(map(re.escape, _plain(expected).split("...")))
    return re.fullmatch(pattern, _plain(printed)) is not None


def _plain(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.strip().splitlines())
    return re.sub(r" ?\.\.\. ?", "...", "\n".join(lines))
