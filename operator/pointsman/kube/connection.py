"""Finding the API server: the kubeconfig we are given, the one in KUBECONFIG, the pod's own service account."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pointsman.kube import kubeconfig as kubeconfig_file
from pointsman.kube.access import Connection, ConnectionError_, TokenFile, read_text, tls_context
from pointsman.kube.clock import Clock, SystemClock

__all__ = ["Connection", "ConnectionError_", "connect"]

_SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


async def connect(
    kubeconfig: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    service_account: Path = _SERVICE_ACCOUNT,
    clock: Clock | None = None,
) -> Connection:
    """Find the API server: `kubeconfig`, else what KUBECONFIG names, else the service account of the pod we run in.

    Nothing is sent yet. Raises ConnectionError_ with a message that names the file and what to do.
    """
    environment = os.environ if environment is None else environment
    clock = clock or SystemClock()
    path = kubeconfig or environment.get("KUBECONFIG", "")
    if path:
        return await kubeconfig_file.load(path, clock)
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return await _in_cluster(environment, service_account, clock)
    raise ConnectionError_("no API server to talk to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod")


async def _in_cluster(environment: Mapping[str, str], service_account: Path, clock: Clock) -> Connection:
    host, port = environment["KUBERNETES_SERVICE_HOST"], environment.get("KUBERNETES_SERVICE_PORT") or "443"
    token = TokenFile(service_account / "token", clock)
    try:
        await token()
        context = tls_context(ca_file=service_account / "ca.crt")
        namespace = read_text(service_account / "namespace").strip()
    except ConnectionError_ as error:
        raise ConnectionError_(f"{error}; let the pod mount its service account, or set KUBECONFIG") from None
    return Connection(f"https://{_bracketed(host)}:{port}", context, token, namespace or "default", token.forget)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
