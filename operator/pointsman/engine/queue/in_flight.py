"""Changes that happen while a pod is being tried.

Between the moment a pod is popped and the moment it comes back rejected, the cluster may change in just the way that
would have helped it. Such changes find no waiting pod to wake; they are kept here and looked at when the pod returns
(kube-scheduler: inFlightEvents in pkg/scheduler/backend/queue/active_queue.go, 1.36).
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice

from pointsman.policy.rule import Change


class InFlight:
    """One log for all pods in flight; each remembers where the log stood when it was popped."""

    def __init__(self) -> None:
        self._log: deque[Change] = deque()
        self._first = 0  # number of the log's first entry since the beginning of time
        self._started: dict[str, int] = {}  # uid -> number of the first change that it may have missed

    def __len__(self) -> int:
        return len(self._started)

    def __contains__(self, uid: str) -> bool:
        return uid in self._started

    def start(self, uid: str) -> None:
        """A pod was popped."""
        self._started[uid] = self._first + len(self._log)

    def record(self, change: Change) -> None:
        """Keep a change, if any pod is in flight that could care."""
        if self._started:
            self._log.append(change)

    def since(self, uid: str) -> Iterator[Change]:
        """The changes that happened since this pod was popped, oldest first."""
        start = self._started.get(uid)
        return iter(()) if start is None else islice(self._log, start - self._first, None)

    def done(self, uid: str) -> None:
        """A pod's attempt is over. Changes that no other pod in flight may have missed are let go."""
        if self._started.pop(uid, None) is None:
            return
        if not self._started:
            self._first += len(self._log)
            self._log.clear()
            return
        oldest = next(iter(self._started.values()))  # pods are started in order, and the dict keeps it
        for _ in range(oldest - self._first):
            self._log.popleft()
        self._first = oldest
