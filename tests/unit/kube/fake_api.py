"""A small HTTP server that answers as the test says, to try the API door against what networks and servers do.

It knows nothing of Kubernetes but paths: every request is remembered, and answered by the next step of the script for
its kind (`calls`, `lists` or `watches`). Without a step a watch stays open, and anything else is a 500 that tells so.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer


@dataclass(frozen=True)
class Call:
    """A request as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One whole answer."""

    status: int = 200
    body: Any = None  # JSON, or bytes as they are
    headers: dict[str, str] = field(default_factory=dict)
    hold: asyncio.Event | None = None  # answer when it is set


class Watch:
    """An answer without end, written by the test."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self._response: web.StreamResponse | None = None
        self._request: web.Request | None = None
        self._ended = asyncio.Event()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self._request = request
        self._response = web.StreamResponse()
        await self._response.prepare(request)
        self.opened.set()
        await self._ended.wait()
        return self._response

    async def write(self, content: bytes) -> None:
        """Send bytes as they are."""
        await self.opened.wait()
        assert self._response is not None
        await self._response.write(content)

    async def send(self, *events: dict[str, Any]) -> None:
        """Send events, in one piece."""
        await self.write(b"".join(line(event) for event in events))

    def end(self) -> None:
        """End the answer as a server does when the asked-for time is over."""
        self._ended.set()

    def reset(self) -> None:
        """Drop the connection."""
        assert self._request is not None
        assert self._request.transport is not None
        self._request.transport.abort()
        self._ended.set()


Step = Reply | Watch


class FakeApi:
    """The server; its scripts are queues that a test fills."""

    def __init__(self, port: int = 0) -> None:
        self.calls: deque[Step] = deque()
        self.lists: deque[Step] = deque()
        self.watches: deque[Step] = deque()
        self.requests: list[Call] = []
        self.listed: list[Call] = []
        self.watched: list[Call] = []
        self._transports: set[asyncio.Transport] = set()
        self.port = port  # 0: any that is free
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._server = TestServer(app, port=port or None)

    async def start(self) -> None:
        await self._server.start_server(shutdown_timeout=0.01)
        self.port = self._server.port or 0

    async def stop(self) -> None:
        await self._server.close()

    def drop_connections(self) -> None:
        """Reset every connection that waits for an answer."""
        for transport in self._transports:
            transport.abort()

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        call = Call(request.method, request.path, dict(request.query), dict(request.headers), await request.read())
        self.requests.append(call)
        assert request.transport is not None
        self._transports.add(request.transport)
        step = self._next(call)
        if isinstance(step, Watch):
            return await step.serve(request)
        if step.hold is not None:
            await step.hold.wait()
        body = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
        return web.Response(status=step.status, body=body, headers=step.headers)

    def _next(self, call: Call) -> Step:
        if call.query.get("watch") == "true":
            self.watched.append(call)
            return self.watches.popleft() if self.watches else Watch()
        if self.lists and call.method == "GET":
            self.listed.append(call)
            return self.lists.popleft()
        if self.calls:
            return self.calls.popleft()
        return Reply(500, status(500, "InternalError", "the test expected no such call"))


def line(event: dict[str, Any]) -> bytes:
    """An event as it travels."""
    return json.dumps(event).encode() + b"\n"


def status(code: int, reason: str, message: str, **details: Any) -> dict[str, Any]:
    """A Status object, as API servers answer with when they refuse."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": details,
        "code": code,
    }


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until the condition holds; a test that waits for what never comes fails after five seconds."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - what tests wait for is seldom an event
            await asyncio.sleep(0)
