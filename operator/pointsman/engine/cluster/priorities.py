"""What the pods of each priority hold on each row: how much room a pod of higher priority could make for itself.

A cluster has as many priorities as PriorityClasses, a handful; their columns are kept up to date by every pod that
comes or goes, so that preemption can rule out most nodes at once, without looking at their pods.
"""

import numpy as np

from pointsman.engine.cluster.columns import Column, add_amount
from pointsman.policy.pod import PodInfo
from pointsman.policy.view import IntArray, PodsBelow


class _OfPriority:
    """Pods of one priority: their number and usage per row."""

    __slots__ = ("count", "pods", "usage")

    def __init__(self, capacity: int) -> None:
        self.count = 0
        self.pods: Column[np.int64] = Column(np.int64, capacity)
        self.usage: dict[str, Column[np.int64]] = {}


class Priorities:
    """Columns by priority."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._of: dict[int, _OfPriority] = {}

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for of in self._of.values():
            for column in (of.pods, *of.usage.values()):
                column.grow(capacity)

    def charge(self, row: int, pod: PodInfo) -> None:
        """Count a pod on a row."""
        of = self._of.get(pod.priority)
        if of is None:
            of = self._of[pod.priority] = _OfPriority(self._capacity)
        of.count += 1
        add_amount(of.pods, row, 1)
        for name, amount in pod.usage.items():
            if name not in of.usage:
                of.usage[name] = Column(np.int64, self._capacity)
            add_amount(of.usage[name], row, amount)

    def discharge(self, row: int, pod: PodInfo) -> None:
        """Undo `charge` of the same pod."""
        of = self._of[pod.priority]
        of.count -= 1
        if not of.count:
            del self._of[pod.priority]
            return
        add_amount(of.pods, row, -1)
        for name, amount in pod.usage.items():
            add_amount(of.usage[name], row, -amount)

    def below(self, priority: int) -> PodsBelow:
        """What pods of lower priority hold."""
        lower = [of for of_priority, of in self._of.items() if of_priority < priority]

        def usage(name: str) -> IntArray:
            return self._sum([of.usage[name] for of in lower if name in of.usage])

        return PodsBelow(self._sum([of.pods for of in lower]), usage)

    def _sum(self, columns: list[Column[np.int64]]) -> IntArray:
        total = np.zeros(self._capacity, np.int64)
        for column in columns:
            total += column.data
        return total
