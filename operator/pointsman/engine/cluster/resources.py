"""Resources: what nodes offer and what the pods on them ask for, exact int64 per resource and row.

A resource has columns while a node offers it or a pod on a node asks for it; any other name reads as zeros. Amounts add
up as kube-scheduler's NodeInfo does (framework/types.go, 1.36): plain int64, wrapping around on overflow.
"""

from collections.abc import Mapping

import numpy as np

from pointsman.engine.cluster.columns import Column, Growing, add_amount
from pointsman.policy.pod import PodInfo
from pointsman.policy.resource_names import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from pointsman.policy.view import IntArray

_ALWAYS = (CPU, MEMORY, EPHEMERAL_STORAGE, PODS)


class _Resource:
    __slots__ = ("allocatable", "requested", "users")

    def __init__(self, capacity: int, users: int = 0) -> None:
        self.allocatable: Column[np.int64] = Column(np.int64, capacity)
        self.requested: Column[np.int64] = Column(np.int64, capacity)
        self.users = users  # nodes and pods that name it

    def grow(self, capacity: int) -> None:
        self.allocatable.grow(capacity)
        self.requested.grow(capacity)


class Resources:
    """Allocatable, requested, and the counts of pods."""

    def __init__(self, capacity: int) -> None:
        self._of = {name: _Resource(capacity, users=1) for name in _ALWAYS}
        self._zeros: Column[np.int64] = Column(np.int64, capacity)
        self._pod_count: Column[np.int64] = Column(np.int64, capacity)
        self._nonzero_cpu: Column[np.int64] = Column(np.int64, capacity)
        self._nonzero_memory: Column[np.int64] = Column(np.int64, capacity)
        self._nonzero = {CPU: self._nonzero_cpu, MEMORY: self._nonzero_memory}

    def grow(self, capacity: int) -> None:
        parts: tuple[Growing, ...] = (self._zeros, self._pod_count, *self._nonzero.values(), *self._of.values())
        for part in parts:
            part.grow(capacity)

    def allocatable(self, name: str) -> IntArray:
        known = self._of.get(name)
        return self._zeros.view if known is None else known.allocatable.view

    def requested(self, name: str) -> IntArray:
        known = self._of.get(name)
        return self._zeros.view if known is None else known.requested.view

    def nonzero_requested(self, name: str) -> IntArray:
        """Only for cpu and memory; KeyError for anything else."""
        return self._nonzero[name].view

    def pod_count(self) -> IntArray:
        return self._pod_count.view

    def set_allocatable(self, row: int, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Replace what a node offers; `before` is what was set last, empty for a new node."""
        for name, amount in after.items():
            resource = self._known(name)
            resource.allocatable.data[row] = amount
            resource.users += name not in before
        for name in before:
            if name not in after:
                self._of[name].allocatable.data[row] = 0
                self._leave(name)

    def charge(self, row: int, pod: PodInfo) -> None:
        """Count a pod on a row."""
        for name, amount in pod.usage.items():
            resource = self._known(name)
            add_amount(resource.requested, row, amount)
            resource.users += 1
        add_amount(self._nonzero_cpu, row, pod.nonzero_usage_cpu)
        add_amount(self._nonzero_memory, row, pod.nonzero_usage_memory)
        add_amount(self._pod_count, row, 1)

    def discharge(self, row: int, pod: PodInfo) -> None:
        """Undo `charge` of the same pod."""
        for name, amount in pod.usage.items():
            add_amount(self._of[name].requested, row, -amount)
            self._leave(name)
        add_amount(self._nonzero_cpu, row, -pod.nonzero_usage_cpu)
        add_amount(self._nonzero_memory, row, -pod.nonzero_usage_memory)
        add_amount(self._pod_count, row, -1)

    def _known(self, name: str) -> _Resource:
        known = self._of.get(name)
        if known is None:
            known = self._of[name] = _Resource(len(self._zeros.data))
        return known

    def _leave(self, name: str) -> None:
        resource = self._of[name]
        resource.users -= 1
        if not resource.users:
            del self._of[name]
