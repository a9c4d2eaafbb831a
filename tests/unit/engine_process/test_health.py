"""When a restart would help, and when it would not; and the addresses that pages are served on."""

import socket
from dataclasses import dataclass
from typing import Any, cast

import pytest
from aiohttp import web

from pointsman.engine.loop import DecisionLoop
from pointsman.engine.process.health import troubles
from pointsman.engine.process.http import ServeError, serve
from pointsman.engine.process.listen import Listen, parse_listen


@dataclass
class _Watch:
    last_contact: float = 1000.0
    last_error: str = ""


@dataclass
class _Loop:
    last_turn: float = 1000.0


@pytest.mark.parametrize(
    ("turned", "watch", "expected"),
    [
        pytest.param(1000.0, _Watch(), [], id="all is well"),
        pytest.param(960.0, _Watch(), ["the decision loop has not turned for 40 s"], id="the loop hangs"),
        pytest.param(1000.0, _Watch(800.0), ["the watch of pods has been silent for 200 s"], id="a watch hangs"),
        pytest.param(1000.0, _Watch(100.0, "cannot watch pods: no answer"), [], id="the API server is away"),
    ],
)
def test_only_what_a_restart_mends_is_trouble(turned: float, watch: _Watch, expected: list[str]) -> None:
    assert troubles(cast("DecisionLoop", _Loop(turned)), cast("Any", {"pods": watch}), 1000.0) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:8080", Listen("127.0.0.1", 8080)),
        ("[::1]:8080", Listen("::1", 8080)),
        ("localhost:0", Listen("localhost", 0)),
    ],
)
def test_an_address_is_read_and_written(text: str, expected: Listen) -> None:
    assert parse_listen(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize("text", ["", "8080", ":8080", "host:", "host:port", "::1:8080", "host:99999", "host:٣"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"HOST:PORT|brackets"):
        parse_listen(text)


async def test_a_taken_address_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        listen = Listen("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(ServeError, match=f"cannot serve on {listen}: "):
            await serve(web.Application(), listen)
