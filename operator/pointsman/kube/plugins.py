"""Kubeconfig files that need more than reading: exec plugins, auth providers, several files merged.

All of that is the `kubernetes` package's; this module turns what it finds into a Connection and asks it again each
minute, so that a token is renewed before it expires.
"""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from pointsman.kube.access import TOKEN_SECONDS, Connection, ConnectionError_, files_of, read_text, tls_context
from pointsman.kube.clock import Clock
from pointsman.kube.errors import MAX_MESSAGE


class _PluginToken:
    """The token that a plugin or provider gave, asked anew each minute; the loader knows when it expires."""

    def __init__(self, path: str, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._asking = asyncio.Lock()
        self._loader: Any = None
        self._until = float("-inf")
        self.configuration: Any = None

    async def __call__(self) -> str | None:
        async with self._asking:  # one run of the plugin, however many calls need its token
            if self._clock.monotonic() >= self._until:
                await self._renew()
        held = (self.configuration.api_key or {}).get("BearerToken", "")
        return held.removeprefix("Bearer ") or None

    def forget(self) -> None:
        self._loader = self.configuration = None
        self._until = float("-inf")

    @property
    def namespace(self) -> str:
        """Where the current context points."""
        context = self._loader.current_context["context"]
        return str(context.get("namespace") or "default")

    async def _renew(self) -> None:
        try:
            await self.refresh()
        except ConnectionError_:
            if self.configuration is None:
                raise  # else the token we have may serve for a while yet

    async def refresh(self) -> None:
        """Ask for credentials; with a loader at hand only those that are about to expire are renewed."""
        from kubernetes.aio.client import Configuration  # noqa: PLC0415 - see kubeconfig.py
        from kubernetes.aio.config import ConfigException, load_kube_config  # noqa: PLC0415

        configuration = Configuration()
        try:
            if self._loader is None:
                self._loader = await load_kube_config(
                    self._path, client_configuration=configuration, persist_config=False
                )
            else:
                await self._loader.load_and_set(configuration)
        except (ConfigException, aiohttp.ClientError, yaml.YAMLError, OSError, ValueError, TypeError) as error:
            raise ConnectionError_(f"{self._path}: {error}"[:MAX_MESSAGE]) from None
        self.configuration = configuration
        self._until = self._clock.monotonic() + TOKEN_SECONDS


async def load_with_plugins(path: str, clock: Clock) -> Connection:
    """Read a kubeconfig, or several to merge, with whatever it asks for. Raises ConnectionError_."""
    if not any(file.is_file() for file in files_of(path)):
        raise ConnectionError_(f"{path}: no such file; give a kubeconfig that exists")
    token = _PluginToken(path, clock)
    await token.refresh()
    configuration = token.configuration
    held = (configuration.api_key or {}).get("BearerToken", "")
    if held.startswith("Basic "):
        raise ConnectionError_(f"{path}: username and password are not supported; use a token or a client certificate")
    if not held and not configuration.cert_file:
        raise ConnectionError_(
            f"{path}: the plugin of the current context gave no credentials; run it by hand to see why"
        )
    certificate = read_text(Path(configuration.cert_file)).encode() if configuration.cert_file else b""
    key = read_text(Path(configuration.key_file)).encode() if configuration.key_file else b""
    ca_file = Path(configuration.ssl_ca_cert) if configuration.ssl_ca_cert else None
    context = tls_context(ca_file=ca_file, certificate=certificate, key=key, verify=configuration.verify_ssl)
    server = configuration.host.rstrip("/")
    return Connection(
        server,
        context if server.startswith("https:") else None,
        token,
        token.namespace,
        forget_token=token.forget,
        server_hostname=configuration.tls_server_name or "",
        proxy=configuration.proxy or "",
    )
