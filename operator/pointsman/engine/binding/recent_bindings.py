"""Pods that were bound a moment ago, by node.

The API server binds to a node that no longer exists. Watches of nodes and pods are two streams, so the news that the
node is gone may come before or after the binding is acknowledged; for a few seconds both must be kept in mind to
notice that a pod ended on a node that is not there.
"""

from collections import deque

from pointsman.policy.pod import PodInfo

MEMORY_SECONDS = 5.0


class RecentBindings:
    """The acknowledged bindings of the last seconds. Times are monotonic and never fall."""

    def __init__(self) -> None:
        self._bindings: deque[tuple[float, str, PodInfo]] = deque()

    def add(self, node: str, pod: PodInfo, now: float) -> None:
        """A binding was acknowledged."""
        self._expire(now)
        self._bindings.append((now, node, pod))

    def take(self, node: str, now: float) -> list[PodInfo]:
        """The pods that were just bound to this node, which was removed; each is given once."""
        self._expire(now)
        stranded = [pod for _, bound_to, pod in self._bindings if bound_to == node]
        if stranded:
            self._bindings = deque(entry for entry in self._bindings if entry[1] != node)
        return stranded

    def _expire(self, now: float) -> None:
        while self._bindings and now - self._bindings[0][0] > MEMORY_SECONDS:
            self._bindings.popleft()
