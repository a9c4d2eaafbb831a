"""Whatever happens to the queue, no pod is lost and none is in two places."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from tests.unit.engine_process.changes import FIT, TAINTS, VIEW, change, queue

from pointsman.engine.queue.queue import SchedulingQueue
from pointsman.engine.queue.queued_pod import Place, QueuedPod
from pointsman.engine.queue.wakeups import own_changes
from pointsman.policy.rule import Happening
from pointsman.testing.builders import pod

NAMES = st.sampled_from("abcdefgh")
REJECTORS = st.sampled_from([FIT, TAINTS, FIT | TAINTS, frozenset[str]()])


class QueueMachine(RuleBasedStateMachine):
    flying = Bundle("flying")  # popped and not yet handed back
    assumed = Bundle("assumed")  # done: may still come back when binding fails

    @initialize(maximum=st.sampled_from([0, 10]))
    def start(self, maximum: int) -> None:
        self.now = 0.0
        self.queue: SchedulingQueue = queue(maximum=maximum)
        self.expected: set[str] = set()  # uids that must be in the queue or in flight

    @rule(name=NAMES, priority=st.integers(0, 2), gated=st.booleans())
    def add_or_update(self, name: str, priority: int, gated: bool) -> None:
        builder = pod(name).priority(priority)
        known = self.queue.get(builder.build().metadata.uid)
        if known is None:
            info = (builder.gate("g") if gated else builder).info()
            self.queue.add(info, self.now)
        else:
            info = builder.tolerate("x").info()
            self.queue.update(info, own_changes(known.pod, info, VIEW), self.now)
        self.expected.add(info.uid)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        uid = pod(name).build().metadata.uid
        self.queue.delete(uid)
        self.expected.discard(uid)

    @rule(target=flying)
    def pop(self) -> QueuedPod | None:
        return self.queue.pop()

    @rule(record=consumes(flying), rejectors=REJECTORS)
    def reject(self, record: QueuedPod | None, rejectors: frozenset[str]) -> None:
        if record is not None:
            self.queue.requeue(record, rejectors, (), self.now)

    @rule(target=assumed, record=consumes(flying))
    def assume(self, record: QueuedPod | None) -> QueuedPod | None:
        if record is None or record.place is Place.GONE:
            return None
        self.queue.done(record)
        self.expected.discard(record.uid)
        return record

    @rule(record=consumes(assumed))
    def fail_binding(self, record: QueuedPod | None) -> None:
        if record is not None:
            self.queue.requeue(record, frozenset(), (), self.now)
            self.expected.add(record.uid)

    @rule(happening=st.sampled_from(list(Happening)))
    def change(self, happening: Happening) -> None:
        self.queue.on_change(change(happening), self.now)

    @rule(seconds=st.floats(0, 400))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.queue.flush(self.now)

    @invariant()
    def every_pod_is_in_exactly_one_place(self) -> None:
        inside = self.queue
        groups = [
            inside._active.records(),
            inside._rejected.records(),
            inside._failed.records(),
            [record for group in inside._parked.values() for record in group.values()],
            list(inside._gated.values()),
            [record for record in inside.records() if record.place is Place.IN_FLIGHT],
        ]
        uids = [record.uid for group in groups for record in group]
        assert sorted(uids) == sorted(self.expected)
        assert {record.uid for record in inside.records()} == self.expected

    @invariant()
    def the_counts_agree_with_the_places(self) -> None:
        pending = self.queue.pending()
        places = [record.place for record in self.queue.records()]
        assert pending.active == places.count(Place.ACTIVE)
        assert pending.backoff == places.count(Place.BACKOFF)
        assert pending.unschedulable == places.count(Place.UNSCHEDULABLE)
        assert pending.gated == places.count(Place.GATED)
        assert pending.total == pending.active + pending.backoff + pending.unschedulable

    def teardown(self) -> None:
        """After the longest back-off and the flush, every pod without gates and not in flight can be tried."""
        if not hasattr(self, "queue"):
            return
        self.queue.flush(self.now + 1000)
        self.queue.flush(self.now + 1030)
        ready = {r.uid for r in self.queue.records() if r.place not in (Place.GATED, Place.IN_FLIGHT)}
        tried = set()
        while (record := self.queue.pop()) is not None:
            tried.add(record.uid)
        assert tried == ready


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
