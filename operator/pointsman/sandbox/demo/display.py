"""Where the demo is seen: a live table on a terminal, plain lines anywhere else."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live

from pointsman.sandbox.demo.standing import Standing
from pointsman.sandbox.demo.table import line, screen

_LINES_EVERY_SECONDS: Final = 5.0


class Display(Protocol):
    """Shows standings and says sentences."""

    def say(self, text: str) -> None: ...

    def show(self, standings: Sequence[Standing], seconds: float) -> None:
        """`seconds` is how long the demo runs."""
        ...


class Lines:
    """A line for each profile whose readiness changed at once, for any other change a few seconds later."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[str, tuple[Standing, float]] = {}

    def say(self, text: str) -> None:
        self._print(text)

    def show(self, standings: Sequence[Standing], seconds: float) -> None:
        for one in standings:
            before, when = self._shown.get(one.profile, (None, 0.0))
            urgent = before is None or (before.ready, before.reason) != (one.ready, one.reason)
            if urgent or (before != one and seconds - when >= _LINES_EVERY_SECONDS):
                self._shown[one.profile] = one, seconds
                self._print(line(one, seconds))

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class Terminal:
    """A table that is drawn anew in its place; sentences scroll by above it."""

    def __init__(self, console: Console, live: Live) -> None:
        self._console = console
        self._live = live

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def show(self, standings: Sequence[Standing], seconds: float) -> None:
        self._live.update(screen(standings, f"pointsman demo, {seconds:.0f} s\n"), refresh=True)


@contextmanager
def display(console: Console) -> Iterator[Display]:
    """What fits the console. On a terminal the last table stays."""
    if not console.is_terminal:
        yield Lines(console)
        return
    with Live(console=console, auto_refresh=False) as live:
        yield Terminal(console, live)
