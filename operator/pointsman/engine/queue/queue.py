"""The scheduling queue of one policy: which pod is tried next, and when a rejected one gets another chance.

It owns the waiting pods and nothing else: no I/O, no event loop, no clock of its own but the one it is given. The
places, their order and the moves between them are kube-scheduler's (pkg/scheduler/backend/queue/scheduling_queue.go,
1.36), the early pop from back-off (gate SchedulerPopFromBackoffQ, on) included:

    add ─> gated ─> active ─pop─> in flight ─done─> out (assumed)
                      ▲  ▲            │
                      │  └── backoff <┤ requeue: rejected or failed
                      └─ unschedulable <┘ (moves on a change that its rejectors named, or after five minutes)
"""

from collections.abc import Callable, Iterable, Sequence

from pointsman.api.report import Pending
from pointsman.engine.queue.backoff import Backoff, is_backing_off
from pointsman.engine.queue.in_flight import InFlight
from pointsman.engine.queue.pod_heap import PodHeap
from pointsman.engine.queue.queued_pod import Place, QueuedPod
from pointsman.engine.queue.wakeups import GATES_REJECTOR, Wakeups, event_label, may_help
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Change

FLUSH_INTERVAL_SECONDS = 30.0
MAX_UNSCHEDULABLE_SECONDS = 300.0  # DefaultPodMaxInUnschedulablePodsDuration

Arrival = Callable[[Place, str], None]


def _ignore(_place: Place, _event: str) -> None:
    """No metric wanted."""


class SchedulingQueue:
    """Waiting pods by uid. `now` is in monotonic seconds and never falls. `arrived` hears of every move."""

    def __init__(self, backoff: Backoff, wakeups: Wakeups, arrived: Arrival = _ignore) -> None:
        self._backoff = backoff
        self._wakeups = wakeups
        self._arrived = arrived
        self._records: dict[str, QueuedPod] = {}
        self._active = PodHeap(QueuedPod.active_order)
        self._rejected = PodHeap(lambda record: (record.expiry or 0.0, *record.active_order()))
        self._failed = PodHeap(lambda record: (record.expiry or 0.0,))
        self._parked: dict[frozenset[str], dict[str, QueuedPod]] = {}
        self._gated: dict[str, QueuedPod] = {}
        self._held: set[str] = set()
        self._in_flight = InFlight()
        self._sequence = 0
        self._next_flush = 0.0

    def __contains__(self, uid: str) -> bool:
        return uid in self._records

    def get(self, uid: str) -> QueuedPod | None:
        """The record of a waiting pod or of one in flight."""
        return self._records.get(uid)

    def records(self) -> Iterable[QueuedPod]:
        """Every pod that waits or is in flight."""
        return self._records.values()

    def add(self, pod: PodInfo, now: float) -> None:
        """Let a new pod in. A pod that is known already must come as an update."""
        record = QueuedPod(pod, now, self._number())
        self._records[pod.uid] = record
        self._activate(record, "UnschedulablePodAdd", now)

    def update(self, pod: PodInfo, changes: Sequence[Change], now: float) -> None:
        """Replace a known pod by its new version; `changes` are what `own_changes` made of the difference."""
        record = self._records[pod.uid]
        record.pod = pod
        if record.place is Place.IN_FLIGHT:
            for change in changes:
                self._in_flight.record(change)
        elif record.place in (Place.UNSCHEDULABLE, Place.GATED):
            self._try_changes(record, changes, now)

    def delete(self, uid: str) -> None:
        """Let a pod go, wherever it is. Unknown pods are none of our business."""
        record = self._records.pop(uid, None)
        if record is not None:
            self._held.discard(uid)
            self._in_flight.done(uid)
            self._take_out(record)
            record.place = Place.GONE

    def pop(self) -> QueuedPod | None:
        """Take the next pod to try: the active one of highest priority, else the first rejected one in back-off."""
        record = self._active.pop()
        if record is None:
            record = self._rejected.pop()
            if record is None:
                return None
            self._arrived(Place.ACTIVE, "PopFromBackoffQ")
        record.place = Place.IN_FLIGHT
        record.attempts += 1
        self._in_flight.start(record.uid)
        return record

    def done(self, record: QueuedPod) -> None:
        """The pod in flight found its node, or is no longer to be tried: forget it."""
        if self._records.get(record.uid) is record:
            del self._records[record.uid]
        self._in_flight.done(record.uid)
        record.place = Place.OUT

    def requeue(self, record: QueuedPod, rejectors: frozenset[str], reasons: tuple[str, ...], now: float) -> None:
        """Take a pod back whose attempt failed. No rejectors: it was an error, and only time helps.

        A pod that was deleted meanwhile stays away; a record that came in under its uid meanwhile is the better one.
        """
        if record.place is Place.GONE or self._records.setdefault(record.uid, record) is not record:
            return
        if rejectors:
            record.rejections += 1
            record.errors = 0
        else:
            record.errors += 1
        record.rejectors, record.reasons, record.flushed = rejectors, reasons, False
        record.timestamp, record.sequence = now, self._number()
        record.expiry = self._backoff.expiry(now, record.errors or record.rejections)
        missed = list(self._in_flight.since(record.uid))
        self._in_flight.done(record.uid)
        if not rejectors or any(self._wakeups.worth(record.pod, rejectors, change) for change in missed):
            self._wake(record, "ScheduleAttemptFailure", now)
        else:
            self._park(record, "ScheduleAttemptFailure")

    def hold(self, uid: str) -> None:
        """Keep a pod from being tried until `release`: what it waits for is under way (kube-scheduler: PreEnqueue)."""
        self._held.add(uid)

    def release(self, uid: str, now: float, *, failed: bool = False) -> None:
        """What was under way has ended. The pod comes back if something has woken it meanwhile.

        When it failed there is nothing to wait for: the pod is tried again after the back-off of an error.
        """
        self._held.discard(uid)
        record = self._records.get(uid)
        if record is None or record.place not in (Place.GATED, Place.UNSCHEDULABLE):
            return
        if failed:
            self._take_out(record)
            record.rejectors, record.errors = frozenset(), record.errors + 1
            record.expiry = self._backoff.expiry(now, record.errors)
            self._wake(record, "ForceActivate", now)
        elif record.place is Place.GATED:
            self._take_out(record)
            self._wake(record, "ForceActivate", now)

    def activate(self, uid: str, now: float) -> None:
        """Try a waiting pod again, whatever rejected it."""
        record = self._records.get(uid)
        if record is not None and record.place is Place.UNSCHEDULABLE:
            self._take_out(record)
            self._wake(record, "ForceActivate", now)

    def on_change(self, change: Change, now: float) -> None:
        """Wake the pods that this change of the cluster may help."""
        self._in_flight.record(change)
        label = event_label(change.happening)
        groups = [(r, caring) for r in self._parked if (caring := self._wakeups.caring(r, change))]
        for rejectors, caring in groups:
            for record in list(self._parked[rejectors].values()):
                if may_help(record.pod, caring, change):
                    self._take_out(record)
                    self._wake(record, label, now)

    def flush(self, now: float) -> None:
        """Move what is due: back-off that has ended, and pods that have waited for a change for five minutes."""
        for heap in (self._rejected, self._failed):
            while (record := heap.peek()) is not None and not is_backing_off(record.expiry, now):
                heap.pop()
                self._activate(record, "BackoffComplete", now)
        if now >= self._next_flush:
            self._next_flush = now + FLUSH_INTERVAL_SECONDS
            self._flush_parked(now)

    def has_next(self) -> bool:
        """Whether `pop` would give a pod."""
        return len(self._active) > 0 or len(self._rejected) > 0

    def pending(self) -> Pending:
        """How many pods wait, by place. Pods in flight are not waiting."""
        active, backoff = len(self._active), len(self._rejected) + len(self._failed)
        parked = sum(map(len, self._parked.values()))
        return Pending(active + backoff + parked, active, backoff, parked, len(self._gated))

    def _try_changes(self, record: QueuedPod, changes: Sequence[Change], now: float) -> None:
        for change in changes:
            if self._wakeups.worth(record.pod, record.rejectors, change):
                self._take_out(record)
                self._wake(record, event_label(change.happening), now)
                return

    def _flush_parked(self, now: float) -> None:
        waiting = [record for group in self._parked.values() for record in group.values()]
        for record in waiting:
            if now - record.timestamp > MAX_UNSCHEDULABLE_SECONDS:
                record.flushed = True
                self._take_out(record)
                self._wake(record, "UnschedulableTimeout", now)

    def _wake(self, record: QueuedPod, event: str, now: float) -> None:
        """Back to the active queue, by way of back-off if that has not ended."""
        if record.uid in self._held:
            self._gate(record, event)
            return
        if not is_backing_off(record.expiry, now) or record.pod.gates:
            self._activate(record, event, now)
            return
        record.place = Place.BACKOFF
        (self._rejected if record.rejectors else self._failed).push(record)
        self._arrived(Place.BACKOFF, event)

    def _activate(self, record: QueuedPod, event: str, now: float) -> None:
        if record.pod.gates:
            record.rejectors = frozenset((GATES_REJECTOR,))
            self._gate(record, event)
            return
        record.place = Place.ACTIVE
        record.expiry = None
        record.first_queued = now if record.first_queued is None else record.first_queued
        self._active.push(record)
        self._arrived(Place.ACTIVE, event)

    def _gate(self, record: QueuedPod, event: str) -> None:
        record.place = Place.GATED
        self._gated[record.uid] = record
        self._arrived(Place.GATED, event)

    def _park(self, record: QueuedPod, event: str) -> None:
        record.place = Place.UNSCHEDULABLE
        self._parked.setdefault(record.rejectors, {})[record.uid] = record
        self._arrived(Place.UNSCHEDULABLE, event)

    def _take_out(self, record: QueuedPod) -> None:
        if record.place is Place.ACTIVE:
            self._active.discard(record)
        elif record.place is Place.BACKOFF:
            (self._rejected if record.rejectors else self._failed).discard(record)
        elif record.place is Place.GATED:
            del self._gated[record.uid]
        elif record.place is Place.UNSCHEDULABLE:
            group = self._parked[record.rejectors]
            del group[record.uid]
            if not group:
                del self._parked[record.rejectors]
        record.place = Place.OUT

    def _number(self) -> int:
        self._sequence += 1
        return self._sequence
