"""What people see: the table at two widths, and plain lines. The golden files are read by eye before they are kept."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pointsman.sandbox.demo.display import Lines
from pointsman.sandbox.demo.standing import Standing
from pointsman.sandbox.demo.table import line, screen

GOLDEN = Path(__file__).parent / "golden"

BINPACK = Standing(
    "binpack",
    "binpack",
    ready="True",
    reason="EngineReady",
    pending=2,
    scheduled=183,
    p50=432,
    p99=1047,
    top_reason="Insufficient cpu",
    top_pods=2,
    policy="4c048617c9",
    leader="engine-binpack-6c9f7d5b4-x2k8p",
)
GPU = Standing("gpu", "gpu", ready="False", reason="Progressing")
TEAM = replace(
    BINPACK,
    profile="team-payments",
    scheduler="team-payments",
    pending=1,
    scheduled=121,
    p50=9,
    p99=81,
    top_reason="namespace shop is not served by SchedulerProfile team-payments (spec.pods.namespaceSelector)",
    top_pods=1,
)


def rendered(width: int) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(screen([BINPACK, GPU, TEAM], "pointsman demo, 24 s\n"))
    return "".join(f"{one.rstrip()}\n" for one in capture.get().splitlines())


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_reads_well(width: int) -> None:
    assert rendered(width) == (GOLDEN / f"screen-{width}.txt").read_text()


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_on_the_screen_is_cut(width: int) -> None:
    text = " ".join(rendered(width).split())

    assert "…" not in text
    assert f"team-payments 1 pod: {TEAM.top_reason}" in text


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        pytest.param(
            BINPACK,
            "  24s binpack       ready=True reason=EngineReady pending=2 scheduled=183 p50/p99=432/1047 ms"
            " top: 2 pods: Insufficient cpu",
            id="at work",
        ),
        pytest.param(
            Standing("gpu", "gpu"),
            "  24s gpu           ready=Unknown reason=- pending=0 scheduled=0 p50/p99=- ms",
            id="nothing known",
        ),
    ],
)
def test_a_line_tells_the_same_as_a_row(one: Standing, expected: str) -> None:
    assert line(one, 24.2) == expected


def test_a_change_of_readiness_is_told_at_once_and_other_changes_after_five_seconds() -> None:
    console = Console(file=io.StringIO(), width=200)
    lines = Lines(console)
    with console.capture() as capture:
        lines.show([GPU], 1)
        lines.show([replace(GPU, ready="True", reason="EngineReady")], 2)
        lines.show([replace(GPU, ready="True", reason="EngineReady", scheduled=7)], 6.9)
        lines.show([replace(GPU, ready="True", reason="EngineReady", scheduled=8)], 7)
        lines.show([replace(GPU, ready="True", reason="EngineReady", scheduled=8)], 20)
    told = [(text.split()[0], text.split("scheduled=")[1].split()[0]) for text in capture.get().splitlines()]

    assert told == [("1s", "0"), ("2s", "0"), ("7s", "8")]
