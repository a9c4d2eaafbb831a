"""One HTTP client for everything that is said to an API server.

It owns the connections, the time-outs, the credentials of each call and the mapping of answers to `kube.errors`. It
knows nothing of kinds. Redirects are refused: a credential must not follow one. 429 is obeyed within the call's
time-out; a 401 makes the credential be read again once. No header and no body is ever logged.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import nullcontext
from enum import StrEnum
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlencode

import aiohttp
import msgspec
from yarl import URL

from pointsman.kube.clock import Clock, SystemClock
from pointsman.kube.connection import Connection, ConnectionError_
from pointsman.kube.errors import ApiError, NotSent, TooManyRequests, Unauthorized, Unreachable, api_error
from pointsman.kube.fence import FencedBody

T = TypeVar("T")

_MAX_ATTEMPTS: Final = 6  # of one call that is answered with 429
# A call behind a fence leaves soon after the fence was asked, or not at all: a Lease's next holder starts 5 s later.
_FREE: Final = aiohttp.ClientTimeout(total=None, connect=10.0)
_FENCED: Final = aiohttp.ClientTimeout(total=None, connect=3.0)
# A TLS connection that is closed in the middle of an answer waits for the peer's goodbye, for ever if none comes
# (python/cpython#118960, mended in these versions). aiohttp then aborts it.
_LEAVES_TLS_OPEN: Final = sys.version_info < (3, 12, 7) or (3, 13) <= sys.version_info < (3, 13, 1)
_READ_BUFFER: Final = 1 << 20  # bytes; a bigger buffer means fewer, bigger batches from a busy watch
_NO_QUERY: Final[Mapping[str, str]] = MappingProxyType({})


class PatchKind(StrEnum):
    """How a patch is to be understood; the values are the content types."""

    MERGE = "application/merge-patch+json"
    JSON = "application/json-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"  # use kube.apply


class Client:
    """Talks to one API server. An async context manager: connections live as long as the block.

    At most `max_connections` calls are under way at a time, the others queue; streams and urgent calls do not count.
    Every call raises a subclass of `ApiError` for an answer of 400 or more, `Unreachable` for none.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        user_agent: str,
        clock: Clock | None = None,
        max_connections: int = 64,
    ) -> None:
        self._connection = connection
        self._headers = {"User-Agent": user_agent, "Accept": "application/json", "Accept-Encoding": "identity"}
        self._name = connection.server_hostname or None
        self._clock = clock or SystemClock()
        self._turns = asyncio.Semaphore(max_connections)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        secure = self._connection.ssl if self._connection.ssl is not None else True
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # `_turns` is the limit
                ssl=secure,
                enable_cleanup_closed=_LEAVES_TLS_OPEN,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            read_bufsize=_READ_BUFFER,
            proxy=self._connection.proxy or None,
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, self._session = self._open(), None
        await session.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] = _NO_QUERY,
        body: bytes | None = None,
        content_type: str = "application/json",
        timeout: float = 30.0,
        may_send: Callable[[], bool] | None = None,
        urgent: bool = False,
    ) -> bytes:
        """Make one call and return the answer's body. `timeout` seconds bound all of it, waits for 429 included.

        `may_send` is a fence, asked again right before the body is written (see `fence`); raises NotSent when it
        says no.
        An `urgent` call does not queue behind others.
        """
        content_headers = {"Content-Type": content_type} if body is not None else {}
        deadline = self._clock.monotonic() + timeout
        renewed = False
        attempt = 0
        while True:
            attempt += 1
            left = max(deadline - self._clock.monotonic(), 0.001)
            turn = nullcontext() if urgent else self._turns
            try:
                async with asyncio.timeout(left), turn:
                    return await self._once(method, self._url(path, query), body, content_headers, may_send)
            except TimeoutError as error:
                raise self._unreachable(error) from None
            except Unauthorized:
                if renewed:
                    raise
                renewed = True
                self._connection.forget_token()
            except TooManyRequests as error:
                wait = max(error.retry_after, 1.0)
                if attempt >= _MAX_ATTEMPTS or self._clock.monotonic() + wait >= deadline:
                    raise
                await self._clock.sleep(wait)

    async def get(self, path: str, type: type[T]) -> T:  # noqa: A002 - the field's word
        """Read one object as a typed struct."""
        return decode(await self.request("GET", path), type)

    async def get_json(self, path: str, **query: str) -> dict[str, Any]:
        """Read one object, or a list, as plain JSON."""
        return decode(await self.request("GET", path, query=query), dict)

    async def create(self, path: str, obj: Mapping[str, Any] | msgspec.Struct) -> bytes:
        """POST an object to a collection or subresource; returns the answer's body."""
        return await self.request("POST", path, body=msgspec.json.encode(obj))

    async def delete(
        self,
        path: str,
        *,
        uid: str = "",
        grace_seconds: int | None = None,
        propagation: str = "",
        may_send: Callable[[], bool] | None = None,
    ) -> None:
        """Delete an object; with `uid` only if it is still that one (else Conflict). `may_send`: as in `request`."""
        options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if uid:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        if propagation:
            options["propagationPolicy"] = propagation
        await self.request("DELETE", path, body=msgspec.json.encode(options), may_send=may_send)

    async def patch(
        self,
        path: str,
        patch: object,
        *,
        kind: PatchKind,
        timeout: float = 30.0,
        may_send: Callable[[], bool] | None = None,
    ) -> bytes:
        """Patch an object; returns it as it is afterwards. `may_send`: as in `request`."""
        body = msgspec.json.encode(patch)
        return await self.request("PATCH", path, body=body, content_type=kind, timeout=timeout, may_send=may_send)

    async def stream(self, path: str, *, query: Mapping[str, str] = _NO_QUERY) -> AsyncGenerator[bytes, None]:
        """Yield the body of an endless answer as it comes, in pieces of no particular size.

        The first piece is empty: the server has accepted the call. The stream ends when the server ends it. There is no
        time-out: whoever reads knows what silence means. Close it (`contextlib.aclosing`) when done.
        """
        url = self._url(path, query)
        for last in (False, True):
            headers = await self._with_token({})
            try:
                async with self._open().request(
                    "GET", url, headers=headers, timeout=_FREE, allow_redirects=False, server_hostname=self._name
                ) as answer:
                    if answer.status == 401 and not last:
                        self._connection.forget_token()
                        continue
                    if answer.status != 200:
                        raise _refusal(answer, await answer.read())
                    yield b""
                    async for chunk in answer.content.iter_any():
                        yield chunk
                    return
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise self._unreachable(error) from error

    async def _once(
        self,
        method: str,
        url: URL,
        body: bytes | None,
        headers: Mapping[str, str],
        may_send: Callable[[], bool] | None,
    ) -> bytes:
        headers = await self._with_token(headers)
        not_sent = NotSent(f"{method} {url.path}: the caller may no longer write")
        if may_send is not None and not may_send():
            raise not_sent
        fenced = FencedBody(body, may_send) if body is not None and may_send is not None else None
        limits = _FREE if may_send is None else _FENCED
        try:
            async with self._open().request(
                method,
                url,
                data=body if fenced is None else fenced,
                headers=headers,
                timeout=limits,
                allow_redirects=False,
                server_hostname=self._name,
            ) as answer:
                content = await answer.read()
        except (aiohttp.ClientError, OSError) as error:
            if fenced is not None and fenced.withheld:
                raise not_sent from None
            raise self._unreachable(error) from error
        if answer.status >= 300:
            raise _refusal(answer, content)
        return content

    async def _with_token(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        try:
            token = await self._connection.token()
        except ConnectionError_ as error:
            raise Unreachable(str(error)) from None
        return {**headers, "Authorization": f"Bearer {token}"} if token else headers

    def _url(self, path: str, query: Mapping[str, str]) -> URL:
        text = f"{self._connection.server}{path}"
        return URL(f"{text}?{urlencode(query)}" if query else text, encoded=True)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the client is not open: use it with `async with`")
        return self._session

    def _unreachable(self, error: Exception) -> Unreachable:
        words = "timed out" if isinstance(error, TimeoutError) else (str(error) or error.__class__.__name__)
        return Unreachable(f"{self._connection.server}: {words}"[:512])


def decode(content: bytes, type: type[T]) -> T:  # noqa: A002 - the field's word
    """Decode an answer; ApiError when it is not what was asked for (a proxy's page, for example)."""
    try:
        return msgspec.json.decode(content, type=type)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ApiError(200, "UnexpectedAnswer", f"the answer is not what was asked for: {error}") from None


class _Details(msgspec.Struct, rename="camel"):
    retry_after_seconds: int = 0


class _Status(msgspec.Struct):
    message: str = ""
    reason: str = ""
    details: _Details | None = None


def _refusal(answer: aiohttp.ClientResponse, content: bytes) -> ApiError:
    try:
        status = msgspec.json.decode(content, type=_Status)
    except (msgspec.DecodeError, UnicodeError):
        status = _Status(message=content[:512].decode(errors="replace").strip(), reason=answer.reason or "")
    header = answer.headers.get("Retry-After", "")
    seconds = float(header) if header.isdecimal() else 0.0
    if not seconds and status.details is not None:
        seconds = float(status.details.retry_after_seconds)
    return api_error(answer.status, status.reason, status.message, seconds)
