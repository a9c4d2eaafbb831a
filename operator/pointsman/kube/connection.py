"""Where the API server is and who we are: from a kubeconfig file or from the pod's own service account."""

import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pointsman.kube.errors import KubeError


class ConnectionError_(KubeError):  # noqa: N801 - ConnectionError is Python's
    """There is no way to reach an API server; the message names the file and what to do."""


def _nothing() -> None:
    return


@dataclass(frozen=True)
class Connection:
    """How to reach one API server. `server` has no trailing slash; `token` gives the bearer token of the moment."""

    server: str
    ssl: ssl.SSLContext | None
    token: Callable[[], Awaitable[str | None]]
    namespace: str
    forget_token: Callable[[], None] = _nothing  # the token was refused: read it again at the next call


async def connect(kubeconfig: str | None = None) -> Connection:
    """Find the API server: `kubeconfig`, else the file in KUBECONFIG, else the pod's service account."""
    raise ConnectionError_(f"no connection to be had from {kubeconfig}")
