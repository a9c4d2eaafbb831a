"""A cluster with Pointsman installed, from the Helm chart or its plain manifests, and what a test asks of it.

Everything is as a user would have it but for the machine: the control plane is real and has the stock kube-scheduler,
nodes are played by the node agent, and the operator's and the engines' pods are processes that hold nothing but their
ServiceAccounts' tokens.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from pointsman.sandbox.agent.agent import BackoffLimits, NodeShape, numbered
from pointsman.sandbox.agent.shape import NodeTaint
from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running
from tests.controlplane.wait import eventually
from tests.e2e.agent_thread import AgentThread, running_agent
from tests.e2e.witness import overcommitted, refusals
from tests.manifests.install import install

FLEET: Final = "pointsman-engines"
SYSTEM: Final = "pointsman-system"
QUICK_RESTARTS: Final = BackoffLimits(base=0.2, cap=0.5)
ZONE_LABEL: Final = "topology.kubernetes.io/zone"
CONTROL_NODE: Final = NodeShape("control", cpu="64", memory="64Gi", pods=200, labels={"pool": "control"})


@dataclass(frozen=True, slots=True)
class Fleet:
    """A cluster with Pointsman on it."""

    plane: ControlPlane
    agent: AgentThread

    def apply(self, *objects: dict[str, Any]) -> None:
        """Apply objects as an administrator would."""
        self.plane.apply(yaml.safe_dump_all(objects))

    def profile(self, name: str) -> dict[str, Any]:
        """The SchedulerProfile as the API server has it."""
        return self.plane.get("schedulerprofile", name)

    def condition(self, profile: str, kind: str) -> dict[str, str]:
        """One condition of a profile; empty when it is absent."""
        found: list[dict[str, str]] = self.profile(profile).get("status", {}).get("conditions", [])
        return next((condition for condition in found if condition["type"] == kind), {})

    def wait_ready(self, profile: str, seconds: float = 60) -> None:
        """`kubectl wait` until the profile is Ready for its present generation."""
        generation = self.profile(profile)["metadata"]["generation"]

        def ready() -> bool:
            status = self.profile(profile).get("status", {})
            told = {condition["type"]: condition["status"] for condition in status.get("conditions", [])}
            assert (status.get("observedGeneration"), told.get("Ready")) == (generation, "True"), status
            return True

        eventually(ready, what=f"{profile} to be Ready in generation {generation}", within=seconds)

    def pods(self, selector: str = "", namespace: str = "default") -> list[dict[str, Any]]:
        """Pods of a namespace by label."""
        found: list[dict[str, Any]] = self.plane.get("pods", "-n", namespace, *(["-l", selector] if selector else []))[
            "items"
        ]
        return found

    def wait_bound(self, count: int, selector: str, seconds: float = 60) -> list[dict[str, Any]]:
        """Wait until `count` pods with the label have a node, and return them."""

        def bound() -> list[dict[str, Any]]:
            found = [pod for pod in self.pods(selector) if pod["spec"].get("nodeName")]
            return found if len(found) >= count else []

        return eventually(bound, what=f"{count} pods with {selector} to be bound", within=seconds)

    def pod_condition(self, pod: str, kind: str = "PodScheduled") -> dict[str, str]:
        """One condition of a pod of the default namespace; empty when it is absent."""
        found: list[dict[str, str]] = self.plane.get("pod", pod)["status"].get("conditions", [])
        return next((condition for condition in found if condition["type"] == kind), {})

    def wait_told(self, pod: str, words: str, seconds: float = 30) -> None:
        """Wait until the pod's PodScheduled condition has these words in its message."""

        def told() -> bool:
            condition = self.pod_condition(pod)
            assert words in condition.get("message", ""), condition
            return True

        eventually(told, what=f"pod {pod} to be told: {words}", within=seconds)

    def nodes_of(self, selector: str) -> list[str]:
        """The nodes of the pods with a label, sorted, one entry for each pod that has one."""
        found = (pod["spec"].get("nodeName", "") for pod in self.pods(selector))
        return sorted(filter(None, found))

    def engines(self, profile: str) -> list[dict[str, Any]]:
        """Engine pods of a profile that are not being deleted, oldest first."""
        found = [
            pod
            for pod in self.pods(f"pointsman.dev/profile={profile}", FLEET)
            if "deletionTimestamp" not in pod["metadata"]
        ]
        return sorted(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def children(self, profile: str) -> list[str]:
        """`kind/name` of everything that a profile's label is on, wherever it lies."""
        kinds = "configmap,serviceaccount,lease,role,rolebinding,deployment,replicaset,pod,poddisruptionbudget"
        listed = self.plane.kubectl("get", kinds, "-n", FLEET, "-l", f"pointsman.dev/profile={profile}", "-o", "name")
        cluster = self.plane.kubectl(
            "get", "clusterrolebinding", "-l", f"pointsman.dev/profile={profile}", "-o", "name"
        )
        return (listed.stdout + cluster.stdout).split()

    def assert_nobody_was_refused(self) -> None:
        """No call of the operator, or of an engine whose profile is there, was answered 401 or 403."""
        profiles = [item["metadata"]["name"] for item in self.plane.get("schedulerprofiles")["items"]]
        assert refusals(self.plane.audit(), profiles) == []

    def assert_no_node_is_overcommitted(self) -> None:
        """By the sums of plain manifests."""
        assert overcommitted(self.plane.get("nodes")["items"], self.plane.get("pods", "-A")["items"]) == {}


@contextmanager
def installed(
    binaries: Binaries, folder: Path, nodes: Sequence[NodeShape], install: Callable[[ControlPlane], None] = install
) -> Iterator[Fleet]:
    """A fresh cluster with `nodes`, one more for operator and engines, and the operator running."""
    (folder / "control-plane").mkdir()
    with (
        running(folder / "control-plane", binaries, scheduler=True) as plane,
        installed_on(plane, folder, nodes, install) as fleet,
    ):
        yield fleet


@contextmanager
def installed_on(
    plane: ControlPlane, folder: Path, nodes: Sequence[NodeShape], install: Callable[[ControlPlane], None]
) -> Iterator[Fleet]:
    """The same on a control plane that is there already."""
    shapes = [CONTROL_NODE, *nodes]
    with running_agent(plane.kubeconfig, folder / "agent", shapes, backoff=QUICK_RESTARTS) as agent:
        install(plane)
        plane.kubectl("rollout", "status", "deployment/pointsman-operator", "-n", SYSTEM, "--timeout=60s")
        yield Fleet(plane, agent)


def hollow(count: int, *, pool: str, cpu: str = "4", memory: str = "16Gi", pods: int = 110) -> list[NodeShape]:
    """Equal hollow nodes of a pool, kept for pods that tolerate the pool's taint (`workloads.in_pool`)."""
    taint = NodeTaint("pool", "NoSchedule", pool)
    shape = NodeShape("", cpu=cpu, memory=memory, pods=pods, labels={"pool": pool}, taints=(taint,))
    return list(numbered(shape, f"{pool}-", count))
