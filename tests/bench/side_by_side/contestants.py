"""How each contestant is started: a command line, and the files that it reads.

All use the same user and the same schedulerName. kube-scheduler is the stock one with a client limit that does not
bind it; Pointsman's engine runs a profile with `base: Default`; `bind-only` is the same engine without decisions, and
`raw` a client that shares no code with it: both tell what the API server and this machine allow.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pointsman.api.spec import ProfileSpec
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json, content_hash
from tests.bench.side_by_side.workloads import SCHEDULER_NAME
from tests.controlplane.build import Binaries
from tests.controlplane.files import SCHEDULER, Files
from tests.controlplane.plane import ControlPlane
from tests.controlplane.process import Process, start

Command = Callable[[ControlPlane, Binaries], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Contestant:
    """`decides`: takes part in workloads in which the choice of the node matters."""

    name: str
    command: Command
    decides: bool = True

    def start(self, plane: ControlPlane, binaries: Binaries) -> Process:
        """Run it against the control plane, in whose folder its log is."""
        return start(self.command(plane, binaries), plane.folder / f"{self.name}.log")


def _beside(name: str) -> str:
    """A program of this folder; it is started elsewhere, so it is named by its path."""
    return str(Path(__file__).with_name(name))


def _kubeconfig(plane: ControlPlane) -> Path:
    return Files(plane.folder, plane.url, {}).kubeconfig(SCHEDULER[0])


def _kube_scheduler(plane: ControlPlane, binaries: Binaries) -> Sequence[str]:
    config = plane.folder / "kube-scheduler.json"
    client = {"kubeconfig": str(_kubeconfig(plane)), "qps": 5000, "burst": 5000}
    body = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": client,
        "leaderElection": {"leaderElect": False},
        "profiles": [{"schedulerName": SCHEDULER_NAME}],
    }
    config.write_text(json.dumps(body))
    return [str(binaries.kube_scheduler), f"--config={config}", "--secure-port=0"]


def _engine(module: Sequence[str]) -> Command:
    def command(plane: ControlPlane, _: Binaries) -> Sequence[str]:
        spec = ProfileSpec.model_validate({"schedulerName": SCHEDULER_NAME})
        content = canonical_json(compile_spec(SCHEDULER_NAME, spec).document)
        folder = plane.folder / "policy"
        folder.mkdir(exist_ok=True)
        (folder / f"{SCHEDULER_NAME}.json").write_bytes(content)
        options = ["--policy", str(folder), "--expect", f"{SCHEDULER_NAME}={content_hash(content)}"]
        lease = ["--lease", f"kube-system/{SCHEDULER_NAME}", "--kubeconfig", str(_kubeconfig(plane))]
        return [*module, *options, *lease, "--listen", "127.0.0.1:0", "--log-level", "Warning"]

    return command


def _raw(plane: ControlPlane, _: Binaries) -> Sequence[str]:
    return [sys.executable, _beside("raw_client.py"), str(_kubeconfig(plane)), SCHEDULER_NAME]


CONTESTANTS: Final = (
    Contestant("kube-scheduler", _kube_scheduler),
    Contestant("pointsman", _engine([sys.executable, "-m", "pointsman", "engine"])),
    Contestant("bind-only", _engine([sys.executable, _beside("bind_only.py")]), decides=False),
    Contestant("raw", _raw, decides=False),
)
