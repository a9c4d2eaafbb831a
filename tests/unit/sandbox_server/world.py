"""Controllers on a server without sockets: the real mirrors and loops, on a clock that moves when it is told."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from tests.unit.sandbox_server.calls import Server

from pointsman.kube.access import Connection
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, api_error
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.server.answer import Answer

_ROUNDS = 40  # of letting every task have its turn; a reconcile needs a few


async def _no_token() -> None:
    return None


def _nothing(_method: str, _path: str) -> None:
    return None


class Direct(Client):
    """A client whose calls are made on the server itself. `refuse` may answer in its place."""

    def __init__(self, server: Server) -> None:
        super().__init__(Connection("", None, _no_token, "default"), user_agent="test/1", clock=server.clock)
        self._server = server
        self.refuse: Callable[[str, str], KubeError | None] = _nothing

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        content_type: str = "application/json",
        **_: Any,
    ) -> bytes:
        refused = self.refuse(method, path)
        if refused is not None:
            raise refused
        answer = self._server.call(method, path, body, content_type=content_type, **(query or {}))
        assert isinstance(answer, Answer)
        if answer.status < 300:
            return answer.body
        if answer.content_type != "application/json":
            raise api_error(answer.status, "", answer.body.decode())
        status = msgspec.json.decode(answer.body)
        raise api_error(answer.status, status.get("reason", ""), status["message"])

    async def stream(self, path: str, *, query: Mapping[str, Any] | None = None) -> AsyncGenerator[bytes, None]:
        lines = self._server.call("GET", path, **(query or {}))
        assert not isinstance(lines, Answer)
        yield b""
        async for line in lines:
            yield line


class World:
    """A server and the controllers that run on it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Direct(server)
        self.clock = server.clock
        self.rng = random.Random(1)

    @asynccontextmanager
    async def running(self, mirrors: list[Mirror[Any]], *runs: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
        """Mirrors and loops, until the block ends."""
        tasks = [asyncio.ensure_future(one) for one in (*(mirror.run() for mirror in mirrors), *runs)]
        try:
            await self.settled()
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def settled(self, seconds: float = 0.0) -> None:
        """Everything that this time brings has happened."""
        await self.clock.advance(seconds)
        for _ in range(_ROUNDS):
            await self.clock.settle()

    def make(self, collection: str, name: str, *owners: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A new object, looked after by these owners."""
        metadata = {"name": name, **more.pop("metadata", {}), **({"ownerReferences": list(owners)} if owners else {})}
        made: dict[str, Any] = self.server.done("POST", collection, {"metadata": metadata, **more})
        return made

    def get(self, path: str) -> dict[str, Any] | None:
        """An object; None when there is none."""
        status, found = self.server.answer("GET", path)
        assert status in (200, 404), found
        return found if status == 200 else None

    def delete(self, path: str, propagation: str = "Background") -> None:
        """Begin a deletion."""
        self.server.done("DELETE", path, {"propagationPolicy": propagation})
