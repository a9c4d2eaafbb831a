"""What it takes to talk to an API server: an address, whom to trust, and who we are at this moment.

Tokens are asked for at every call, because they change under a running process: the kubelet rotates a service
account's token file, a plugin's token expires. They are kept for a minute, and given up at once when a server refuses
one. None is ever part of a message.
"""

import os
import ssl
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError

TOKEN_SECONDS: Final = 60.0  # how long a token is used before its source is asked again


class ConnectionError_(KubeError):  # noqa: N801 - ConnectionError is Python's
    """There is no way to reach an API server; the message names the file and what to do."""


def keep_token() -> None:
    """What there is to forget about a token that cannot change: nothing."""


async def no_token() -> None:
    """Token source of those who show a client certificate, or nothing."""


@dataclass(frozen=True)
class Connection:
    """How to reach one API server."""

    server: str  # scheme, host and port (and path, behind a proxy), no trailing slash
    ssl: ssl.SSLContext | None  # None for http
    token: Callable[[], Awaitable[str | None]]  # the bearer token to use now
    namespace: str  # where we are, or where the kubeconfig's context points
    forget_token: Callable[[], None] = keep_token  # the server refused it: ask its source at the next call
    server_hostname: str = ""  # the name in the server's certificate, where it differs from the address
    proxy: str = ""


class FixedToken:
    """A token that stands in a kubeconfig."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self) -> str:
        return self._token


class TokenFile:
    """A token in a file that somebody else renews. A read that fails goes on with the last token there was."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._token = ""
        self._until = float("-inf")

    async def __call__(self) -> str:
        if self._clock.monotonic() >= self._until:
            self._read()
        return self._token

    def forget(self) -> None:
        """Read the file again at the next call."""
        self._until = float("-inf")

    def _read(self) -> None:
        try:
            token = read_text(self._path).strip()
        except ConnectionError_:
            if not self._token:
                raise
            return
        if not token:
            raise ConnectionError_(f"{self._path}: the token file is empty; wait for its renewal or replace it")
        self._token = token
        self._until = self._clock.monotonic() + TOKEN_SECONDS


def files_of(path: str) -> list[Path]:
    """The files that a kubeconfig argument or KUBECONFIG names: one, or several as in PATH."""
    return [Path(part).expanduser() for part in path.split(os.pathsep) if part]


def read_text(path: Path) -> str:
    """Read a file; ConnectionError_ names it."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConnectionError_(f"{path}: cannot be read: {_words(error)}") from None


def tls_context(
    *,
    ca_file: Path | None = None,
    ca_data: bytes = b"",
    certificate: bytes = b"",
    key: bytes = b"",
    verify: bool = True,
) -> ssl.SSLContext:
    """Trust one CA (the system's when none is given) and show a client certificate if there is one. All is PEM."""
    try:
        context = ssl.create_default_context(cafile=ca_file, cadata=ca_data.decode("ascii") or None)
    except (OSError, ValueError) as error:
        raise ConnectionError_(f"{ca_file or 'certificate-authority-data'}: not a CA certificate: {error}") from None
    # Python 3.13 refuses the CAs of several distributions (no key identifier), which other clients accept.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate:
        _show(context, certificate, key)
    return context


def _show(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Load a client certificate. OpenSSL takes it from a file only, so there is one, ours alone, for that moment."""
    with tempfile.NamedTemporaryFile(prefix="pointsman-") as pair:  # mode 0600
        pair.write(certificate + b"\n" + key)
        pair.flush()
        try:
            context.load_cert_chain(pair.name)
        except (OSError, ValueError) as error:
            raise ConnectionError_(f"client certificate and key: {_words(error)}") from None


def _words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
