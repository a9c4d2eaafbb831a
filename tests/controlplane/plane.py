"""What a test holds of a running control plane: address, credentials, kubectl, the audit log."""

import itertools
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.controlplane.audit import AuditEvent, read
from tests.controlplane.files import write_kubeconfig
from tests.controlplane.process import Process

KUBECTL_SECONDS = 60


class KubectlError(AssertionError):
    """kubectl ended with an error; the message has its arguments and what it said."""


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """A running control plane. `kubeconfig` and `token` are those of an administrator."""

    url: str
    folder: Path
    kubeconfig: Path
    ca: Path
    token: str
    audit_log: Path
    kubectl_path: Path
    processes: tuple[Process, ...]
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1), repr=False)

    def kubectl(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002 - the name that subprocess.run has for it
        check: bool = True,
        kubeconfig: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl as the administrator, or as the user of `kubeconfig`. Raises KubectlError if `check` is set."""
        done = subprocess.run(
            [str(self.kubectl_path), *args],
            input=input,
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": str(self.folder),
                "KUBECONFIG": str(kubeconfig or self.kubeconfig),
            },
            capture_output=True,
            text=True,
            timeout=KUBECTL_SECONDS,
            check=False,
        )
        if check and done.returncode != 0:
            raise KubectlError(f"kubectl {' '.join(args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def apply(
        self, manifest: str | Mapping[str, Any], *, check: bool = True, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Server-side apply of YAML text or of one object; a field that the server does not know is an error."""
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        args = ("apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-")
        return self.kubectl(*args, input=text, check=check, kubeconfig=kubeconfig)

    def get(self, *args: str) -> dict[str, Any]:
        """Answer of `kubectl get … -o json`."""
        answer: dict[str, Any] = json.loads(self.kubectl("get", *args, "-o", "json").stdout)
        return answer

    def service_account_token(self, namespace: str, name: str, *, pod: str = "") -> str:
        """A token of a ServiceAccount, bound to a pod that exists if one is named."""
        bound = ["--bound-object-kind=Pod", f"--bound-object-name={pod}"] if pod else []
        return self.kubectl("create", "token", name, "--namespace", namespace, *bound).stdout.strip()

    def user_kubeconfig(self, token: str, namespace: str = "default") -> Path:
        """A new kubeconfig of whoever owns the token."""
        path = self.folder / f"user-{next(self._numbers)}.kubeconfig"
        return write_kubeconfig(path, self.url, self.ca, token, namespace)

    def audit(self) -> list[AuditEvent]:
        """All calls that have ended, oldest first. One that just returned may appear a moment later."""
        return list(read(self.audit_log))
