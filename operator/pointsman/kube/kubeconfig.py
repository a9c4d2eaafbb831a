"""Reading a kubeconfig file.

The plain ones — a token, a token file, a client certificate — are read here: it costs no import (the `kubernetes`
package costs half a second and 46 MB at every start of an engine), and a token file is read again when it was renewed,
which that package does not do. Everything else — exec plugins, auth providers, several files to merge — is that
package's work, imported only then.
"""

import base64
import binascii
from pathlib import Path
from typing import Any, Final

import yaml

from pointsman.kube.access import (
    Connection,
    ConnectionError_,
    FixedToken,
    TokenFile,
    files_of,
    keep_token,
    no_token,
    read_text,
    tls_context,
)
from pointsman.kube.clock import Clock
from pointsman.kube.plugins import load_with_plugins

_PLAIN_USER: Final = {
    "token",
    "tokenFile",
    "client-certificate",
    "client-certificate-data",
    "client-key",
    "client-key-data",
}
_IMPERSONATION: Final = ("as", "as-uid", "as-groups", "as-user-extra")


async def load(path: str, clock: Clock) -> Connection:
    """Read the current context of a kubeconfig (several files separated as in KUBECONFIG are merged).

    Raises ConnectionError_ that names the file and the entry.
    """
    files = files_of(path)
    if len(files) != 1:
        return await load_with_plugins(path, clock)
    config = _Entry(str(files[0]), _parse(files[0]))
    context = config.named("contexts", config.text("current-context"), "context")
    user = config.named("users", context.text("user"), "user") if context.get("user") else _Entry("", {})
    for key in _IMPERSONATION:
        if user.get(key):
            raise ConnectionError_(f"{user.where}.{key}: impersonation is not supported; use that identity itself")
    if set(user.content) - _PLAIN_USER:
        return await load_with_plugins(str(files[0]), clock)
    cluster = config.named("clusters", context.text("cluster"), "cluster")
    return _plain(cluster, user, str(context.get("namespace") or "default"), files[0].parent, clock)


class _Entry:
    """A mapping of the file that knows where it stands, for messages."""

    def __init__(self, where: str, content: dict[str, Any]) -> None:
        self.where = where
        self.content = content

    def get(self, key: str) -> Any:
        return self.content.get(key)

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str) or not value:
            raise ConnectionError_(f"{self.where}: {key} is missing; set it or choose another kubeconfig")
        return value

    def named(self, key: str, name: str, inner: str) -> "_Entry":
        for entry in self.get(key) or ():
            if isinstance(entry, dict) and entry.get("name") == name:
                content = entry.get(inner)
                return _Entry(f"{self.where}: {key}[{name}]", content if isinstance(content, dict) else {})
        raise ConnectionError_(f'{self.where}: there is no "{name}" in {key}; set current-context to one that exists')

    def data(self, key: str, base: Path) -> bytes:
        """What `<key>-data` holds, else the content of the file that `<key>` names, else nothing."""
        inline, file = self.get(f"{key}-data"), self.get(key)
        if inline:
            try:
                return base64.b64decode(str(inline), validate=True)
            except (binascii.Error, ValueError):
                raise ConnectionError_(f"{self.where}.{key}-data is not base64") from None
        return read_text(base / str(file)).encode() if file else b""


def _parse(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise ConnectionError_(f"{path}: not YAML: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(content, dict):
        raise ConnectionError_(f"{path}: not a kubeconfig: expected a mapping with clusters, contexts and users")
    return content


def _plain(cluster: _Entry, user: _Entry, namespace: str, base: Path, clock: Clock) -> Connection:
    server = cluster.text("server").rstrip("/")
    file = TokenFile(base / str(user.get("tokenFile")), clock) if user.get("tokenFile") else None
    fixed = FixedToken(user.text("token")) if user.get("token") else None
    secure = server.startswith("https:")
    certificate, key = user.data("client-certificate", base), user.data("client-key", base)
    context = tls_context(
        ca_data=cluster.data("certificate-authority", base),
        certificate=certificate,
        key=key,
        verify=not cluster.get("insecure-skip-tls-verify"),
    )
    token = file or fixed or no_token  # a token file wins over a token, as in client-go
    return Connection(
        server,
        context if secure else None,
        token,
        namespace,
        forget_token=file.forget if file else keep_token,
        server_hostname=str(cluster.get("tls-server-name") or ""),
        proxy=str(cluster.get("proxy-url") or ""),
    )
