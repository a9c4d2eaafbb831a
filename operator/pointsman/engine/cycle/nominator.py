"""Nominations: pods that wait for a node that preemption is clearing for them.

Such a pod is not on the node yet, but pods of lower or equal priority must not take its place: the cycle counts it as
if it ran there (two passes). A nomination ends when the pod is placed, deleted, or nominated elsewhere. Rules of update
as in kube-scheduler 1.36, backend/queue/nominator.go.
"""

from collections.abc import Iterable

from pointsman.policy.pod import PodInfo


class Nominator:
    """Nominated pods by node, at most one node per pod."""

    def __init__(self) -> None:
        self._on: dict[str, dict[str, PodInfo]] = {}
        self._node_of: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._node_of)

    def node_of(self, uid: str) -> str:
        """The node that a pod is nominated to, empty if none."""
        return self._node_of.get(uid, "")

    def nominate(self, pod: PodInfo, node: str) -> None:
        """Nominate a pod, before its status says so; ends an earlier nomination of the same pod."""
        self.remove(pod.uid)
        self._node_of[pod.uid] = node
        self._on.setdefault(node, {})[pod.uid] = pod

    def update(self, pod: PodInfo) -> PodInfo | None:
        """Follow the status of a pending pod.

        A nomination of our own stays while the status has not caught up: it ends only when a status that named a node
        names none or another one. Returns the pod as it was nominated before, if that nomination has ended.
        """
        node = self.node_of(pod.uid)
        before = self._on[node][pod.uid] if node else None
        wanted = pod.nominated_node_name
        if before is not None and not wanted and not before.nominated_node_name:
            wanted = node
        if wanted:
            self.nominate(pod, wanted)
        else:
            self.remove(pod.uid)
        return before if wanted != node else None

    def remove(self, uid: str) -> PodInfo | None:
        """End a nomination, because the pod was placed or deleted; returns the pod if it had one."""
        node = self._node_of.pop(uid, "")
        if not node:
            return None
        pods = self._on[node]
        pod = pods.pop(uid)
        if not pods:
            del self._on[node]
        return pod

    def rivals(self, pod: PodInfo) -> dict[str, tuple[PodInfo, ...]]:
        """Per node, the other nominated pods that this one must yield to: of higher or equal priority."""
        yielding = {node: _rivals(pod, pods.values()) for node, pods in self._on.items()}
        return {node: pods for node, pods in yielding.items() if pods}


def _rivals(pod: PodInfo, nominated: Iterable[PodInfo]) -> tuple[PodInfo, ...]:
    return tuple(other for other in nominated if other.priority >= pod.priority and other.uid != pod.uid)
