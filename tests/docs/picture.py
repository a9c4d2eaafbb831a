"""The README's picture of the live table: a demo is run, and its last screen kept. `python -m tests.docs.picture`.

The picture stands alone: no font and nothing else is fetched, and each piece of text has its place and width by itself.
"""

import asyncio
import io
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from pointsman.kube.clock import SystemClock
from pointsman.sandbox.demo.demo import Demo, Options
from pointsman.sandbox.demo.standing import Standing
from pointsman.sandbox.demo.table import screen
from pointsman.sandbox.sandbox import Sandbox
from tests.docs.pages import DOCS

PICTURE: Final = DOCS / "images" / "demo.svg"
SECONDS: Final = 30.0
COLUMNS: Final = 86

_FONTS: Final = re.compile(r"@font-face \{\{.*?\}\}\s*", re.S)
_ORIGIN: Final = re.compile(r"<!-- .*? -->\s*")
_FORMAT: Final = _ORIGIN.sub("", _FONTS.sub("", CONSOLE_SVG_FORMAT))


class Memory:
    """A display that keeps what it was shown last."""

    def __init__(self) -> None:
        self.standings: Sequence[Standing] = ()
        self.seconds = 0.0

    def say(self, text: str) -> None:
        """Nothing of it is in the picture."""

    def show(self, standings: Sequence[Standing], seconds: float) -> None:
        self.standings, self.seconds = standings, seconds


def drawn(standings: Sequence[Standing], seconds: float) -> str:
    """The screen as SVG."""
    console = Console(file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True)
    console.print("[bold]$ make demo[/bold]\n")
    console.print(screen(standings, f"pointsman demo, {seconds:.0f} s\n"))
    return console.export_svg(title="pointsman demo", code_format=_FORMAT, unique_id="demo")


async def _play(memory: Memory) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Sandbox(folder) as sandbox:
            stop = asyncio.Event()
            await Demo(sandbox.kubeconfig, folder, Options(200, SECONDS), memory, SystemClock(), stop).run()


def main() -> None:
    """Run a demo and draw its last screen."""
    memory = Memory()
    asyncio.run(_play(memory))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(memory.standings, memory.seconds))


if __name__ == "__main__":
    main()
