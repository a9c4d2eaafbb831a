"""HTTP sessions with the credentials of a Connection, for a library that brings its own client."""

from collections.abc import Awaitable, Callable

import aiohttp

from pointsman.kube.connection import Connection

Token = Callable[[], Awaitable[str | None]]


class Sessions:
    """Sessions that ask for the token of the moment at each request, so credentials never grow old in them."""

    def __init__(self, connection: Connection, token: Token) -> None:
        self._connection = connection
        self._token = token
        self._made: list[aiohttp.ClientSession] = []

    def new(self) -> aiohttp.ClientSession:
        """A session; to be made on the loop that uses it."""
        secure = self._connection.ssl if self._connection.ssl is not None else True
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=secure),
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=self._connection.proxy or None,
            middlewares=(self._authorize,),
        )
        self._made.append(session)
        return session

    async def close(self) -> None:
        """Close all of them."""
        for session in self._made:
            await session.close()

    async def _authorize(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        token = await self._token()
        if self._connection.server_hostname:
            request.server_hostname = self._connection.server_hostname
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        return await handler(request)
