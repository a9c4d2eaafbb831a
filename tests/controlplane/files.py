"""The files of one control plane: keys, tokens, kubeconfigs and the audit policy. Nothing here runs a program.

kube-apiserver makes its own certificate; its file holds the certificate authority too, so it serves clients as CA.
"""

import base64
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.controlplane.audit import POLICY

# SEC 1 (RFC 5915) ECPrivateKey on P-256 without its public half, which readers compute: version 1, 32 bytes, curve.
_EC_KEY_HEAD = bytes.fromhex("30310201010420")
_EC_KEY_TAIL = bytes.fromhex("a00a06082a8648ce3d030107")

ADMIN = ("admin", ("system:masters",))
CONTROLLER_MANAGER = ("system:kube-controller-manager", ())
SCHEDULER = ("system:kube-scheduler", ())


@dataclass(frozen=True, slots=True)
class Files:
    """Paths below the folder of one control plane, and the token of each of its users."""

    folder: Path
    url: str
    tokens: dict[str, str]  # by user name

    @property
    def certificates(self) -> Path:
        return self.folder / "certificates"

    @property
    def ca(self) -> Path:
        return self.certificates / "apiserver.crt"

    @property
    def service_account_key(self) -> Path:
        return self.folder / "service-account.key"

    @property
    def token_file(self) -> Path:
        return self.folder / "tokens.csv"

    @property
    def audit_policy(self) -> Path:
        return self.folder / "audit-policy.json"

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    @property
    def etcd_data(self) -> Path:
        return self.folder / "etcd"

    def kubeconfig(self, user: str) -> Path:
        return self.folder / f"{user.replace(':', '-')}.kubeconfig"


def write(folder: Path, url: str) -> Files:
    """Write everything that the programs read at their start."""
    users: Sequence[tuple[str, tuple[str, ...]]] = (ADMIN, CONTROLLER_MANAGER, SCHEDULER)
    files = Files(folder, url, {name: secrets.token_hex(16) for name, _groups in users})
    files.certificates.mkdir()
    _write_private(files.service_account_key, ec_private_key())
    rows = [f'{files.tokens[name]},{name},{name},"{",".join(groups)}"\n' for name, groups in users]
    _write_private(files.token_file, "".join(rows))
    _write_private(files.audit_policy, json.dumps(POLICY))
    for name, token in files.tokens.items():
        write_kubeconfig(files.kubeconfig(name), url, files.ca, token)
    return files


def write_kubeconfig(path: Path, url: str, ca: Path, token: str, namespace: str = "default") -> Path:
    """Write a kubeconfig with one context that uses a bearer token. JSON is YAML too."""
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": url, "certificate-authority": str(ca)}}],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": namespace}}],
    }
    _write_private(path, json.dumps(config))
    return path


def ec_private_key() -> str:
    """A new P-256 key in PEM, enough to sign service account tokens."""
    # The group's order is just below 2**256: a number of 255 bits is always inside it.
    number = (secrets.randbits(255) | 1).to_bytes(32)
    body = base64.encodebytes(_EC_KEY_HEAD + number + _EC_KEY_TAIL).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}-----END EC PRIVATE KEY-----\n"


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)
