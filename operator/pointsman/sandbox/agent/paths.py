"""Where a pod's files lie on this machine, and how the paths that a container was told become those. Pure.

There are no mount namespaces: a process sees this machine's file system. Each pod has one folder, its volumes appear
there under their mount paths, and a command, argument or environment value that begins with a declared mount path gets
the folder put before it. A path that a program knows by heart is out of reach: the programs that run here must take
their paths from arguments or environment.

    <work dir>/pods/<namespace>_<name>_<uid>/          the folder
        etc/pointsman/policy -> .agent/volumes/policy   a mount
        .agent/{volumes,termination}/…  .agent/home  .agent/kubeconfig
    <work dir>/logs/<namespace>_<name>_<uid>/<container>/<restart>.log    outlives the pod, like the kubelet's
"""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SERVICE_ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(frozen=True, slots=True)
class PodFolder:
    """The places of one pod. Nothing is created here."""

    root: Path
    logs: Path

    def mount(self, mount_path: str) -> Path:
        """Where a mount path lies. `..` cannot lead out of the folder."""
        return self.root / posixpath.normpath("/" + mount_path).lstrip("/")

    def volume(self, name: str) -> Path:
        return self.root / ".agent" / "volumes" / name

    def termination(self, container: str) -> Path:
        return self.root / ".agent" / "termination" / container

    def log(self, container: str, restart: int) -> Path:
        return self.logs / container / f"{restart}.log"

    @property
    def home(self) -> Path:
        return self.root / ".agent" / "home"

    @property
    def kubeconfig(self) -> Path:
        return self.root / ".agent" / "kubeconfig"


def pod_folder(work_dir: Path, namespace: str, name: str, uid: str) -> PodFolder:
    """The places of a pod under the agent's work directory."""
    title = f"{namespace}_{name}_{uid}"
    return PodFolder(work_dir / "pods" / title, work_dir / "logs" / title)


def rewrite(value: str, mount_paths: Iterable[str], folder: PodFolder) -> str:
    """`value` with the folder before it, if it is a declared mount path or lies below one; else as it is.

    Call it once per value: a work directory that itself lies below a mount path (`/tmp`) would else be put twice.
    """
    for mount_path in mount_paths:
        stem = mount_path.rstrip("/")
        if stem and (value == stem or value.startswith(stem + "/")):
            return f"{folder.root}{value}"
    return value
