"""A pod in the queue: which version of it, where it waits, how often it was tried and what rejected it.

The record belongs to `SchedulingQueue`; the scheduler carries it through an attempt and hands it back. Its ticket makes
removal from a heap cheap: whoever moves the record takes a new ticket, and entries with an old one are void.
"""

from dataclasses import dataclass
from enum import StrEnum

from pointsman.policy.pod import PodInfo


class Place(StrEnum):
    """Where a pod is. The first four are kube-scheduler's names (metric label `queue`)."""

    ACTIVE = "active"
    BACKOFF = "backoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "in-flight"  # popped: an attempt is under way
    OUT = "out"  # not in the queue: new, or assumed on a node
    GONE = "gone"  # deleted, or bound by somebody else: it must not come back


@dataclass(slots=True, eq=False)
class QueuedPod:
    """One pod's way through the queue. Times are monotonic seconds."""

    pod: PodInfo
    timestamp: float  # of the last insertion: when it was first seen, or came back from an attempt
    sequence: int  # the order of insertions, for equal timestamps
    place: Place = Place.OUT
    first_queued: float | None = None  # first time in the active queue, so without gates
    attempts: int = 0
    rejections: int = 0  # attempts that a predicate refused
    errors: int = 0  # errors in a row
    expiry: float | None = None  # when back-off ends
    rejectors: frozenset[str] = frozenset()  # names of what refused the last attempt; empty after an error
    reasons: tuple[str, ...] = ()  # why, in the words of the last message, without counts
    flushed: bool = False  # was moved by the five-minute flush, not by a change
    ticket: int = 0

    @property
    def uid(self) -> str:
        return self.pod.uid

    def active_order(self) -> tuple[int, float, int]:
        """PrioritySort (plugins/queuesort/priority_sort.go, 1.36): priority downwards, then time of insertion."""
        return (-self.pod.priority, self.timestamp, self.sequence)
