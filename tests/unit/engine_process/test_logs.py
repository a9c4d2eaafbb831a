"""The one shape of every log line."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from pointsman.api.logs import LEVELS, LogFormat, setup


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _lines(log_format: LogFormat, stream: io.StringIO, **options: Any) -> list[str]:
    setup(log_format, stream=stream, **options)
    logger = logging.getLogger("pointsman.engine.test")
    logger.debug("not told at Info")
    logger.info("bound %s", "it", extra={"pod": "default/p", "node": "n1"})
    logger.warning("odd")
    return stream.getvalue().splitlines()


def test_a_line_is_one_json_object_with_what_is_known() -> None:
    first, second = map(json.loads, _lines(LogFormat.JSON, io.StringIO(), context={"profile": "binpack"}))
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "Info",
        "logger": "pointsman.engine.test",
        "message": "bound it",
        "profile": "binpack",
        "pod": "default/p",
        "node": "n1",
    }
    assert set(second) == {"time", "level", "logger", "message", "profile"}


@pytest.mark.parametrize(
    ("log_format", "stream", "is_json"),
    [
        pytest.param(LogFormat.AUTO, io.StringIO(), True, id="a pipe gets JSON"),
        pytest.param(LogFormat.AUTO, Terminal(), False, id="a terminal gets text"),
        pytest.param(LogFormat.JSON, Terminal(), True, id="unless JSON is asked for"),
        pytest.param(LogFormat.TEXT, io.StringIO(), False, id="a pipe gets text when it is asked for"),
    ],
)
def test_the_format_follows_where_it_goes(log_format: LogFormat, stream: io.StringIO, is_json: bool) -> None:
    assert _lines(log_format, stream)[0].startswith("{") is is_json


def test_text_tells_the_same_in_one_line() -> None:
    first, second = _lines(LogFormat.TEXT, io.StringIO(), context={"profile": "binpack"})
    assert first.split(" ", 1)[1] == ("Info    pointsman.engine.test: bound it profile=binpack pod=default/p node=n1")
    assert second.split(" ", 1)[1] == "Warning pointsman.engine.test: odd profile=binpack"


@pytest.mark.parametrize(("level", "lines"), [("Debug", 3), ("Info", 2), ("Warning", 1), ("Error", 0)])
def test_levels_are_ours(level: str, lines: int) -> None:
    assert len(_lines(LogFormat.JSON, io.StringIO(), level=level)) == lines
    assert list(LEVELS) == ["Debug", "Info", "Warning", "Error"]


def test_the_trace_of_a_fault_stays_in_its_line() -> None:
    stream = io.StringIO()
    setup(LogFormat.JSON, stream=stream)
    try:
        int("broken")
    except ValueError:
        logging.getLogger("x").exception("it failed")
    (line,) = stream.getvalue().splitlines()
    assert "ValueError: invalid literal" in json.loads(line)["trace"]
    assert json.loads(line)["level"] == "Error"
