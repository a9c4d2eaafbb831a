"""A heap of queued pods from which any pod can be taken out at no cost.

A record leaves by taking a new ticket; its old entry is skipped when it comes up. When void entries are the majority
the heap is rebuilt, so that pods which come and go behind a busy head do not pile up.
"""

import heapq
from collections.abc import Callable

from pointsman.engine.queue.queued_pod import QueuedPod

Order = tuple[float, ...]
_REBUILD_FROM = 64  # below this, void entries cost nothing worth mentioning


class PodHeap:
    """Records by the order that `key` gives them when they enter. Equal orders leave in order of entry."""

    def __init__(self, key: Callable[[QueuedPod], Order]) -> None:
        self._key = key
        self._entries: list[tuple[Order, int, int, QueuedPod]] = []
        self._live = 0
        self._entered = 0

    def __len__(self) -> int:
        return self._live

    def push(self, record: QueuedPod) -> None:
        """Let a record in. It must not be in any heap."""
        self._entered += 1
        self._live += 1
        heapq.heappush(self._entries, (self._key(record), self._entered, record.ticket, record))

    def discard(self, record: QueuedPod) -> None:
        """Take a record out that is in this heap."""
        record.ticket += 1
        self._live -= 1
        if len(self._entries) > _REBUILD_FROM and self._live * 2 < len(self._entries):
            self._entries = [entry for entry in self._entries if entry[3].ticket == entry[2]]
            heapq.heapify(self._entries)

    def peek(self) -> QueuedPod | None:
        """The first record, None when there is none."""
        while self._entries:
            _, _, ticket, record = self._entries[0]
            if record.ticket == ticket:
                return record
            heapq.heappop(self._entries)
        return None

    def pop(self) -> QueuedPod | None:
        """Take the first record out, None when there is none."""
        record = self.peek()
        if record is not None:
            heapq.heappop(self._entries)
            record.ticket += 1
            self._live -= 1
        return record

    def records(self) -> list[QueuedPod]:
        """Every record in it, in no particular order."""
        return [record for _, _, ticket, record in self._entries if record.ticket == ticket]
