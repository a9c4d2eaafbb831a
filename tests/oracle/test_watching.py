"""A watch that the server ends is taken up where it ended; what cannot be read is told to whoever waits."""

from collections.abc import AsyncGenerator, Mapping
from typing import cast

import pytest

from pointsman.kube.client import Client
from pointsman.kube.objects import Pod
from pointsman.kube.resources import PODS
from tests.oracle.watching import Watched


def event(kind: str, name: str, version: str) -> bytes:
    metadata = f'{{"namespace": "a", "name": "{name}", "resourceVersion": "{version}"}}'
    return f'{{"type": "{kind}", "object": {{"metadata": {metadata}}}}}\n'.encode()


class Scripted:
    """Answers each watch with what it was given for it; remembers what was asked."""

    def __init__(self, *watches: tuple[bytes, ...]) -> None:
        self._watches = list(watches)
        self.asked: list[str] = []

    async def stream(self, _path: str, *, query: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
        self.asked.append(query.get("resourceVersion", ""))
        for chunk in self._watches.pop(0):
            yield chunk


async def test_a_watch_that_has_ended_goes_on_after_the_last_event() -> None:
    server = Scripted((event("ADDED", "p", "5"), event("ADDED", "q", "6")), (event("DELETED", "p", "7"),))
    watched: Watched[Pod] = Watched()
    with pytest.raises(IndexError):  # there is no third watch
        await watched.follow(cast("Client", server), PODS, Pod)
    assert server.asked == ["", "6", "7"]
    assert list(watched.objects) == [("a", "q")]


async def test_whoever_waits_hears_of_the_end() -> None:
    watched: Watched[Pod] = Watched()
    with pytest.raises(IndexError):
        await watched.follow(cast("Client", Scripted()), PODS, Pod)
    with pytest.raises(RuntimeError, match="the watch has ended"):
        await watched.until(lambda: False)
