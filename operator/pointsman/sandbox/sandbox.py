"""A small Kubernetes in one process: an API server in memory, and the controllers that make its objects come alive.

    async with Sandbox(folder) as sandbox:
        ...  # kubectl --kubeconfig <sandbox.kubeconfig> get nodes

Nodes are not part of it: the node agent plays those, here as on any cluster. Everything ends with the block.
"""

import base64
import json
import random
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from pointsman.kube.clock import Clock, SystemClock
from pointsman.kube.connection import Connection, connect
from pointsman.sandbox.assembly import assemble
from pointsman.sandbox.controllers.manager import controllers
from pointsman.sandbox.server.api import Observer
from pointsman.sandbox.server.certificate import self_signed
from pointsman.sandbox.server.http import ServeError, serve

__all__ = ["Sandbox", "ServeError"]

HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Running:
    """What a started sandbox is reached by."""

    url: str
    kubeconfig: Path  # of an administrator
    ca: Path


class Sandbox:
    """Server and controllers. Use it as an async context manager.

    `folder` gets the kubeconfig and the certificate, unless `kubeconfig` names another place for the former. `port` 0
    takes any free one. `observer` is told of every call that was answered. Raises ServeError when the port is taken.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        kubeconfig: Path | None = None,
        clock: Clock | None = None,
        rng: random.Random | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._folder = folder
        self._port = port
        self._kubeconfig = kubeconfig or folder / "kubeconfig"
        self._clock = clock or SystemClock()
        self._rng = rng or random.Random()  # noqa: S311 - names and retries, no secret
        self._observer = observer
        self._stack = AsyncExitStack()
        self._running: Running | None = None

    @property
    def url(self) -> str:
        """Address of the API server."""
        return self._started.url

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig of an administrator."""
        return self._started.kubeconfig

    @property
    def ca(self) -> Path:
        """The certificate that clients trust."""
        return self._started.ca

    async def connection(self) -> Connection:
        """How our own client reaches the server, as an administrator."""
        return await connect(str(self.kubeconfig))

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await self._start(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
        self._running = None

    @property
    def _started(self) -> Running:
        if self._running is None:
            raise RuntimeError("the sandbox is not started: use it with `async with`")
        return self._running

    async def _start(self, stack: AsyncExitStack) -> None:
        parts = assemble(self._clock, self._rng, address=HOST, observer=self._observer)
        certificate = self_signed(HOST, "localhost", self._clock.now())
        runner, port = await serve(parts.api, certificate, HOST, self._port)
        stack.push_async_callback(runner.cleanup)
        self._folder.mkdir(parents=True, exist_ok=True)
        ca, authority = self._folder / "ca.crt", certificate.certificate.decode()
        ca.write_text(authority)
        url = f"https://{HOST}:{port}"
        _write_kubeconfig(self._kubeconfig, url, authority, parts.tokens.admin_token())
        self._running = Running(url, self._kubeconfig, ca)
        await stack.enter_async_context(controllers(await self.connection(), self._clock, self._rng, authority))


def _write_kubeconfig(path: Path, url: str, ca: str, token: str) -> None:
    """JSON, which is YAML too. The file is for its owner alone."""
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(ca.encode()).decode()}
    context = {"cluster": "sandbox", "user": "admin", "namespace": "default"}
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "sandbox",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "sandbox", "context": context}],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(json.dumps(config, indent=2))
