"""The command line of each program of the control plane, as plain data.

Kept apart from starting them, because the choices are what matters here: RBAC and the ServiceAccount admission plugin
are on as in any real cluster; only what assumes a kubelet (node heartbeats, the taint of a node that is not ready
yet) is off, so that hollow nodes are nodes.
"""

from collections.abc import Sequence

from tests.controlplane.build import Binaries
from tests.controlplane.files import CONTROLLER_MANAGER, SCHEDULER, Files


def etcd(binaries: Binaries, files: Files, port: int) -> list[str]:
    """The store. Nothing survives a test run, so it need not wait for the disk."""
    return [
        str(binaries.etcd),
        f"--data-dir={files.etcd_data}",
        f"--listen-client-urls=http://127.0.0.1:{port}",
        f"--advertise-client-urls=http://127.0.0.1:{port}",
        "--listen-peer-urls=http://127.0.0.1:0",
        "--socket-reuse-port=true",
        "--unsafe-no-fsync",
        f"--quota-backend-bytes={8 * 1024**3}",
        "--log-level=warn",
    ]


ADMISSION_OFF = ("TaintNodesByCondition",)
# What only makes sense beside controllers: one makes the ServiceAccounts, another takes the finalizers away again.
ADMISSION_OFF_BARE = (*ADMISSION_OFF, "ServiceAccount", "StorageObjectInUseProtection")


def apiserver(
    binaries: Binaries,
    files: Files,
    port: int,
    etcd_port: int,
    admission_off: Sequence[str] = ADMISSION_OFF,
    *,
    audit: bool = True,
) -> list[str]:
    """The API server. Its limits of requests in flight are for tests in which all clients share one machine."""
    return [
        str(binaries.kube_apiserver),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        "--permit-port-sharing=true",
        f"--cert-dir={files.certificates}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--authorization-mode=RBAC",
        f"--disable-admission-plugins={','.join(admission_off)}",
        f"--token-auth-file={files.token_file}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={files.service_account_key}",
        f"--service-account-signing-key-file={files.service_account_key}",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
        *(_audit(files) if audit else ()),
    ]


def _audit(files: Files) -> list[str]:
    return [
        f"--audit-policy-file={files.audit_policy}",
        f"--audit-log-path={files.audit_log}",
        "--audit-log-format=json",
        "--audit-log-maxsize=100000",  # MB: rotated away is lost to the tests
    ]


def controller_manager(binaries: Binaries, files: Files) -> list[str]:
    """All controllers but the one that evicts pods from nodes without heartbeats."""
    return [
        str(binaries.kube_controller_manager),
        f"--kubeconfig={files.kubeconfig(CONTROLLER_MANAGER[0])}",
        "--controllers=*,-nodelifecycle",
        "--use-service-account-credentials",
        f"--service-account-private-key-file={files.service_account_key}",
        f"--root-ca-file={files.ca}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
    ]


def scheduler(binaries: Binaries, files: Files) -> list[str]:
    """The stock scheduler with its defaults, as the user and with the rights that Kubernetes gives it."""
    return [
        str(binaries.kube_scheduler),
        f"--kubeconfig={files.kubeconfig(SCHEDULER[0])}",
        "--leader-elect=false",
        "--secure-port=0",
    ]
