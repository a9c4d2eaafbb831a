"""Asks a container how it is: HTTP and TCP probes against the pod's address.

As the kubelet does it (pkg/probe/http, 1.36): a status from 200 to 399 is success, no certificate is verified, no
connection is reused. Redirects are not followed. exec and gRPC probes are not served and refuse the container.
"""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

import aiohttp
from yarl import URL

from pointsman.sandbox.agent.podspec import Container, HttpGet, Probe
from pointsman.sandbox.agent.probe import Check
from pointsman.sandbox.agent.sources import ConfigError


def require_served(container: Container) -> None:
    """Raises ConfigError for a probe of a kind, or for a port, that cannot be asked."""
    probes = {
        "readinessProbe": container.readiness_probe,
        "livenessProbe": container.liveness_probe,
        "startupProbe": container.startup_probe,
    }
    for field, probe in probes.items():
        if probe is None:
            continue
        handler = probe.http_get or probe.tcp_socket
        if handler is None:
            raise ConfigError(f"{field}: only httpGet and tcpSocket are served by the node agent")
        port_number(container, handler.port)


def port_number(container: Container, port: int | str) -> int:
    """A port by number or by the name that the container gives it. Raises ConfigError."""
    if isinstance(port, int):
        return port
    for declared in container.ports:
        if declared.name == port:
            return declared.container_port
    if port.isdecimal():
        return int(port)
    raise ConfigError(f'probe: container {container.name} has no port named "{port}"')


def probe_url(container: Container, http: HttpGet, address: str) -> str:
    """The URL that a probe asks."""
    path = http.path if http.path.startswith("/") else f"/{http.path}"
    return f"{http.scheme.lower()}://{http.host or address}:{port_number(container, http.port)}{path}"


class Prober:
    """Makes the requests. An async context manager."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True, limit=0, ssl=False),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "kube-probe/pointsman", "Accept": "*/*"},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    def check(self, container: Container, address: str) -> Check:
        """How the probes of one container are asked."""

        async def ask(probe: Probe) -> bool:
            try:
                async with asyncio.timeout(probe.timeout_seconds):
                    if probe.http_get is not None:
                        return await self._http(container, probe.http_get, address)
                    return await _tcp(container, probe, address)
            except (aiohttp.ClientError, OSError, ValueError):  # OSError: TimeoutError too; ValueError: a strange URL
                return False

        return ask

    async def _http(self, container: Container, http: HttpGet, address: str) -> bool:
        if self._session is None:
            raise RuntimeError("the prober is not open: use it with `async with`")
        headers = {header.name: header.value for header in http.http_headers}
        url = URL(probe_url(container, http, address), encoded=True)
        async with self._session.get(url, headers=headers, allow_redirects=False) as answer:
            return 200 <= answer.status < 400


async def _tcp(container: Container, probe: Probe, address: str) -> bool:
    if probe.tcp_socket is None:
        return False
    host = probe.tcp_socket.host or address
    _, writer = await asyncio.open_connection(host, port_number(container, probe.tcp_socket.port))
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
