"""The table that people watch, and the same as plain lines where there is no terminal. Pure.

Reasons are sentences, so they stand below the table, one line a profile, where nothing of them has to be cut.
"""

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from pointsman.sandbox.demo.standing import Standing

_STYLES: Final = {"True": "green", "False": "red"}
_WORDS: Final = ("profile", "scheduler", "ready", "reason")
_NUMBERS: Final = ("pending", "scheduled", "p50/p99 ms")


def screen(standings: Sequence[Standing], title: str) -> RenderableType:
    """Everything that is shown at one moment. It needs 80 columns."""
    return Group(Text(title), _table(standings), *_why(standings))


def line(one: Standing, seconds: float) -> str:
    """One profile in one line; `seconds` is how long the demo runs."""
    counts = f"pending={one.pending} scheduled={one.scheduled} p50/p99={latency(one)} ms"
    told = f"{seconds:4.0f}s {one.profile:<14}ready={one.ready} reason={one.reason or '-'} {counts}"
    return f"{told} top: {top}" if (top := top_reason(one)) else told


def latency(one: Standing) -> str:
    """Median and 99th percentile of the milliseconds from queued to placed; `-` while nothing was."""
    known = [f"{number}" for number in (one.p50, one.p99) if number is not None]
    return "/".join(known) or "-"


def top_reason(one: Standing) -> str:
    """The commonest reason with its number of pods; empty when no pod waits for one."""
    if not one.top_reason:
        return ""
    return f"{one.top_pods} {'pod' if one.top_pods == 1 else 'pods'}: {one.top_reason}"


def _table(standings: Sequence[Standing]) -> Table:
    made = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for name in _WORDS:
        made.add_column(name, no_wrap=True)
    for name in _NUMBERS:
        made.add_column(name, justify="right", no_wrap=True)
    for one in standings:
        ready = Text(one.ready, style=_STYLES.get(one.ready, "yellow"))
        counts = (str(one.pending), str(one.scheduled), latency(one))
        made.add_row(one.profile, one.scheduler, ready, one.reason or "-", *counts)
    return made


def _why(standings: Sequence[Standing]) -> list[RenderableType]:
    waiting = [one for one in standings if one.top_reason]
    if not waiting:
        return []
    made = Table(Column(style="bold", no_wrap=True), Column(), box=None, show_header=False, pad_edge=False)
    for one in waiting:
        made.add_row(one.profile, top_reason(one))
    return [Text("\ntop reason for pending", style="bold"), made]
