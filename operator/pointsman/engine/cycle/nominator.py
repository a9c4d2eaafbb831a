"""Nominations: pods that wait for a node that preemption is clearing for them.

Such a pod is not on the node yet, but pods of lower or equal priority must not take its place: the cycle counts it as
if it ran there (two passes). A nomination ends when the pod is placed, deleted, or nominated elsewhere. Rules of update
as in kube-scheduler 1.36, backend/queue/nominator.go.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pointsman.policy.pod import PodInfo


class Nomination(NamedTuple):
    """A pod and the node that it was nominated to."""

    pod: PodInfo
    node: str


class Nominator:
    """Nominated pods by node, at most one node per pod. What ends a nomination returns it."""

    def __init__(self) -> None:
        self._on: dict[str, dict[str, PodInfo]] = {}
        self._node_of: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._node_of)

    def node_of(self, uid: str) -> str:
        """The node that a pod is nominated to, empty if none."""
        return self._node_of.get(uid, "")

    def nominate(self, pod: PodInfo, node: str) -> Nomination | None:
        """Nominate a pod, before its status says so; ends a nomination of the same pod to another node."""
        before = self.remove(pod.uid)
        self._node_of[pod.uid] = node
        self._on.setdefault(node, {})[pod.uid] = pod
        return before if before is not None and before.node != node else None

    def update(self, pod: PodInfo) -> Nomination | None:
        """Follow the status of a pending pod.

        A nomination of our own stays until the status moves, so until it has caught up or somebody else has changed it.
        """
        node = self.node_of(pod.uid)
        wanted = pod.nominated_node_name
        if node and wanted == self._on[node][pod.uid].nominated_node_name:
            wanted = node
        return self.nominate(pod, wanted) if wanted else self.remove(pod.uid)

    def remove(self, uid: str) -> Nomination | None:
        """End a nomination, because the pod was placed or deleted, or because nothing came of it."""
        node = self._node_of.pop(uid, "")
        if not node:
            return None
        pods = self._on[node]
        pod = pods.pop(uid)
        if not pods:
            del self._on[node]
        return Nomination(pod, node)

    def rivals(self, pod: PodInfo) -> dict[str, tuple[PodInfo, ...]]:
        """Per node, the other nominated pods that this one must yield to: of higher or equal priority."""
        yielding = {node: _rivals(pod, pods.values()) for node, pods in self._on.items()}
        return {node: pods for node, pods in yielding.items() if pods}

    def below(self, node: str, priority: int) -> tuple[PodInfo, ...]:
        """The pods of lower priority that are nominated to a node."""
        return tuple(pod for pod in self._on.get(node, {}).values() if pod.priority < priority)


def _rivals(pod: PodInfo, nominated: Iterable[PodInfo]) -> tuple[PodInfo, ...]:
    return tuple(other for other in nominated if other.priority >= pod.priority and other.uid != pod.uid)
