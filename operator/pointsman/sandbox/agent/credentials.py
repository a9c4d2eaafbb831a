"""How a pod's processes prove who they are: service account tokens, the server's authority, a kubeconfig of both.

Tokens come from TokenRequest and are bound to the pod: they end with it, and the audit log names it. A token is
renewed after 80 % of its life or a day, whichever is sooner, as the kubelet does it (token/token_manager.go, 1.36).

Client libraries look for in-cluster credentials at a path that cannot be rewritten, so each pod gets a kubeconfig
instead. It names the server as the agent itself reaches it.
"""

import ssl
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from pointsman.kube.client import Client, decode
from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection
from pointsman.kube.resources import SERVICE_ACCOUNTS
from pointsman.sandbox.agent.paths import SERVICE_ACCOUNT_PATH, PodFolder
from pointsman.sandbox.agent.podspec import Pod, TokenFile

_RENEW_AFTER: Final = 0.8  # of a token's life
_RENEW_AFTER_AT_MOST: Final = timedelta(days=1)


class _TokenStatus(msgspec.Struct, frozen=True, rename="camel"):
    token: str
    expiration_timestamp: datetime


class _TokenRequest(msgspec.Struct, frozen=True):
    status: _TokenStatus


@dataclass(frozen=True, slots=True)
class _Token:
    value: bytes
    renew_at: datetime


class TokenSource:
    """The tokens of one pod, each asked for when first needed and again in time."""

    def __init__(self, client: Client, pod: Pod, clock: Clock) -> None:
        self._client = client
        self._pod = pod
        self._clock = clock
        self._tokens: dict[TokenFile, _Token] = {}

    async def get(self, wanted: TokenFile) -> bytes:
        """A token that is good for a while. Raises KubeError when it cannot be had."""
        known = self._tokens.get(wanted)
        if known is None or self._clock.now() >= known.renew_at:
            known = self._tokens[wanted] = await self._request(wanted)
        return known.value

    async def _request(self, wanted: TokenFile) -> _Token:
        metadata = self._pod.metadata
        account = self._pod.spec.service_account_name or "default"
        asked_at = self._clock.now()
        answer = await self._client.create(
            SERVICE_ACCOUNTS.path(metadata.namespace, account, "token"), token_request(self._pod, wanted)
        )
        status = decode(answer, _TokenRequest).status
        return _Token(status.token.encode(), renewal_time(asked_at, status.expiration_timestamp))


def token_request(pod: Pod, wanted: TokenFile) -> dict[str, Any]:
    """The TokenRequest for one token of a pod. No audience means the API server's own."""
    bound = {"kind": "Pod", "apiVersion": "v1", "name": pod.metadata.name, "uid": pod.metadata.uid}
    return {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {
            "audiences": [wanted.audience] if wanted.audience else [],
            "expirationSeconds": wanted.expiration_seconds,
            "boundObjectRef": bound,
        },
    }


def renewal_time(issued: datetime, expires: datetime) -> datetime:
    """When a token should be renewed."""
    return issued + min((expires - issued) * _RENEW_AFTER, _RENEW_AFTER_AT_MOST)


def authority(connection: Connection) -> bytes:
    """The certificates that the agent trusts for the server, as PEM; empty for plain HTTP and where none is checked."""
    if connection.ssl is None or connection.ssl.verify_mode is ssl.CERT_NONE:
        return b""
    return "".join(map(ssl.DER_cert_to_PEM_cert, connection.ssl.get_ca_certs(binary_form=True))).encode()


def kubeconfig(connection: Connection, folder: PodFolder, namespace: str) -> bytes:
    """A kubeconfig that reads token and authority from the pod's service account mount. JSON, which is YAML too."""
    account = folder.mount(SERVICE_ACCOUNT_PATH)
    cluster: dict[str, Any] = {"server": connection.server}
    if connection.ssl is not None:
        if connection.ssl.verify_mode is ssl.CERT_NONE:
            cluster["insecure-skip-tls-verify"] = True
        else:
            cluster["certificate-authority"] = str(account / "ca.crt")
        if connection.server_hostname:
            cluster["tls-server-name"] = connection.server_hostname
    if connection.proxy:
        cluster["proxy-url"] = connection.proxy
    return msgspec.json.format(
        msgspec.json.encode(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "cluster", "cluster": cluster}],
                "users": [{"name": "pod", "user": {"tokenFile": str(account / "token")}}],
                "contexts": [{"name": "pod", "context": {"cluster": "cluster", "user": "pod", "namespace": namespace}}],
                "current-context": "pod",
            }
        )
    )
