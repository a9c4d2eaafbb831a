"""The scheduling queue on a clock that tests move by hand, with kube-scheduler's rules."""

from collections.abc import Callable

import pytest
from tests.unit.engine_process.changes import (
    FIT,
    TAINTS,
    WAKES,
    change,
    place,
    popped,
    queue,
    reject,
    update,
)

from pointsman.api.report import Pending
from pointsman.engine.queue.backoff import Backoff
from pointsman.engine.queue.queue import SchedulingQueue
from pointsman.engine.queue.queued_pod import Place
from pointsman.engine.queue.wakeups import Wakeups
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Change, Happening, Wakes
from pointsman.testing.builders import PodBuilder, pod


def test_pods_leave_by_priority_then_in_the_order_in_which_they_came() -> None:
    waiting = queue()
    for name, priority, now in [("late", 0, 2.0), ("first", 0, 1.0), ("second", 0, 1.0), ("urgent", 9, 3.0)]:
        waiting.add(pod(name).priority(priority).info(), now)
    assert [popped(waiting) for _ in range(5)] == ["urgent", "first", "second", "late", ""]


def test_a_pod_that_comes_back_stands_behind_its_equals() -> None:
    waiting = queue(maximum=0)
    waiting.add(pod("a").info(), 1.0)
    waiting.add(pod("b").info(), 2.0)
    record = waiting.pop()
    assert record is not None
    waiting.requeue(record, frozenset(), (), 3.0)  # an error, and back-off is off
    assert [popped(waiting), popped(waiting)] == ["b", "a"]


def test_a_rejected_pod_waits_for_a_change_that_its_rejector_named() -> None:
    waiting = queue()
    hopeless = pod("hopeless").info()
    waiting.add(hopeless, 0.0)
    reject(waiting, 0.0)
    for happening in (Happening.NODE_TAINTS, Happening.NODE_LABELS, Happening.POD_ADD):
        waiting.on_change(change(happening), 20.0)
    waiting.flush(20.0)
    assert place(waiting, hopeless) is Place.UNSCHEDULABLE
    waiting.on_change(change(Happening.NODE_ADD), 20.0)
    assert place(waiting, hopeless) is Place.ACTIVE


def test_each_failed_attempt_lengthens_the_wait_and_being_moved_does_not_shorten_it() -> None:
    """1, 2, 4, 8, 10, 10 seconds after the attempt, while another pod keeps the active queue busy."""
    waiting, now, waits = queue(), 1000.0, []
    hopeless = pod("hopeless").priority(1000).info()
    waiting.add(hopeless, now)
    waiting.add(pod("busy").info(), now)
    for _ in range(6):
        reject(waiting, now)
        tried = now
        while place(waiting, hopeless) is not Place.ACTIVE:
            waiting.on_change(change(Happening.NODE_ADD), now)
            now += 0.5
            waiting.flush(now)
        waits.append(int(now - tried) - 1)  # the window of one second that the expiry falls into still counts
    assert waits == [1, 2, 4, 8, 10, 10]


def test_a_rejected_pod_in_backoff_is_tried_early_when_nothing_else_is_there() -> None:
    waiting = queue()
    waiting.add(pod("a").info(), 0.0)
    reject(waiting, 0.0)
    waiting.on_change(change(Happening.NODE_ADD), 0.1)
    assert waiting.pending() == Pending(total=1, backoff=1)
    assert waiting.has_next()
    assert popped(waiting) == "a"


def test_a_pod_whose_attempt_failed_with_an_error_is_never_tried_early() -> None:
    waiting = queue()
    waiting.add(pod("a").info(), 0.0)
    reject(waiting, 0.0, frozenset())
    assert waiting.pending() == Pending(total=1, backoff=1)
    assert not waiting.has_next()
    assert popped(waiting) == ""
    waiting.flush(2.0)  # 0 + 1 s, and the window of that second is over
    assert popped(waiting) == "a"


def test_errors_are_counted_apart_from_rejections_and_a_rejection_ends_them() -> None:
    waiting = queue()
    waiting.add(pod("a").info(), 0.0)
    for _ in range(2):
        record = reject(waiting, 0.0)
        waiting.on_change(change(Happening.NODE_ADD), 0.0)
    record = reject(waiting, 0.0, frozenset())
    assert (record.rejections, record.errors, record.expiry) == (2, 1, 1.0)  # first error: 1 s
    waiting.flush(30.0)
    record = reject(waiting, 100.0)
    assert (record.rejections, record.errors, record.expiry) == (3, 0, 104.0)  # third rejection: 4 s


def test_pods_in_one_window_of_backoff_leave_by_priority() -> None:
    waiting = queue()
    for name, priority, now in [("low", 1, 0.1), ("high", 7, 0.6)]:
        waiting.add(pod(name).priority(priority).info(), now)
        reject(waiting, now)
    waiting.on_change(change(Happening.NODE_ADD), 0.7)
    assert [popped(waiting), popped(waiting)] == ["high", "low"]


def test_a_pod_that_nothing_woke_is_tried_again_after_five_minutes() -> None:
    waiting = queue()
    waiting.add(pod("a").info(), 0.0)
    record = reject(waiting, 0.0)
    for second in range(0, 301, 10):
        waiting.flush(float(second))
        assert record.place is Place.UNSCHEDULABLE
    waiting.flush(330.0)
    assert record.place is Place.ACTIVE
    assert record.flushed


class TestOwnUpdates:
    """What an update of a waiting pod does to it."""

    @pytest.mark.parametrize(
        ("rejectors", "edit", "expected"),
        [
            pytest.param(
                TAINTS, lambda p: p.tolerate("gpu"), Place.ACTIVE, id="a toleration wakes what taints rejected"
            ),
            pytest.param(FIT, lambda p: p.tolerate("gpu"), Place.UNSCHEDULABLE, id="and nothing else"),
            pytest.param(
                TAINTS, lambda p: p.metadata(annotations={"a": "b"}), Place.UNSCHEDULABLE, id="annotations do not"
            ),
            pytest.param(
                TAINTS,
                lambda p: p.status(phase="Pending", nominated_node_name="n"),
                Place.UNSCHEDULABLE,
                id="nor status",
            ),
        ],
    )
    def test_only_what_the_rejector_reads_wakes_it(
        self, rejectors: frozenset[str], edit: Callable[[PodBuilder], PodBuilder], expected: Place
    ) -> None:
        waiting, builder = queue(), pod("a")
        waiting.add(builder.info(), 0.0)
        reject(waiting, 0.0, rejectors)
        new = edit(builder).info()
        update(waiting, new, 30.0)
        assert place(waiting, new) is expected
        record = waiting.get(new.uid)
        assert record is not None
        assert record.pod is new

    def test_backoff_still_holds_for_an_updated_pod(self) -> None:
        waiting, builder = queue(), pod("a")
        waiting.add(builder.info(), 0.0)
        reject(waiting, 0.0, TAINTS)
        update(waiting, builder.tolerate("gpu").info(), 0.5)
        assert waiting.pending() == Pending(total=1, backoff=1)

    def test_another_pods_toleration_wakes_nobody(self) -> None:
        waiting = queue()
        for name in ("a", "b"):
            waiting.add(pod(name).info(), 0.0)
            reject(waiting, 0.0, TAINTS)
        update(waiting, pod("a").tolerate("gpu").info(), 30.0)
        assert waiting.pending() == Pending(total=2, active=1, unschedulable=1)

    @pytest.mark.parametrize("where", ["active", "backoff"])
    def test_a_pod_on_its_way_is_replaced_in_place(self, where: str) -> None:
        waiting, builder = queue(), pod("a")
        waiting.add(builder.info(), 0.0)
        if where == "backoff":
            reject(waiting, 0.0)
            waiting.on_change(change(Happening.NODE_ADD), 0.0)
        new = builder.tolerate("gpu").info()
        update(waiting, new, 0.0)
        record = waiting.pop()
        assert record is not None
        assert record.pod is new

    def test_an_own_request_that_shrank_wakes_the_pod_itself_only(self) -> None:
        waiting = queue(wakes={"NodeResourcesFit": Wakes(Happening.POD_SCALE_DOWN)})
        for name in ("a", "b"):
            waiting.add(pod(name).container(cpu="2").info(), 0.0)
            reject(waiting, 0.0)
        update(waiting, pod("a").container(cpu="1").info(), 30.0)
        assert waiting.pending() == Pending(total=2, active=1, unschedulable=1)


class TestGates:
    def test_a_gated_pod_is_never_tried_and_counted_apart(self) -> None:
        waiting = queue()
        waiting.add(pod("a").gate("g").info(), 0.0)
        waiting.flush(1000.0)
        assert popped(waiting) == ""
        assert waiting.pending() == Pending(gated=1)

    def test_it_is_tried_at_once_when_its_last_gate_goes_and_its_latency_begins_then(self) -> None:
        waiting = queue()
        waiting.add(pod("a").gate("g", "h").info(), 0.0)
        update(waiting, pod("a").gate("h").info(), 5.0)
        assert waiting.pending() == Pending(gated=1)
        update(waiting, pod("a").info(), 7.0)
        record = waiting.pop()
        assert record is not None
        assert record.first_queued == 7.0

    def test_changes_of_the_cluster_do_not_open_gates(self) -> None:
        waiting = queue()
        waiting.add(pod("a").gate("g").info(), 0.0)
        for happening in Happening:
            waiting.on_change(change(happening), 1.0)
        assert waiting.pending() == Pending(gated=1)


class TestInFlight:
    def test_a_change_during_the_attempt_is_not_missed(self) -> None:
        """The only helpful change comes while the pod is being tried."""
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        record = waiting.pop()
        assert record is not None
        waiting.on_change(change(Happening.NODE_ADD), 0.5)
        waiting.requeue(record, FIT, (), 1.0)
        assert record.place is Place.BACKOFF

    def test_changes_before_the_attempt_and_changes_that_do_not_matter_leave_it_waiting(self) -> None:
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        waiting.on_change(change(Happening.NODE_ADD), 0.0)
        record = waiting.pop()
        assert record is not None
        waiting.on_change(change(Happening.NODE_TAINTS), 0.5)
        waiting.requeue(record, FIT, (), 1.0)
        assert record.place is Place.UNSCHEDULABLE

    def test_each_of_several_attempts_sees_what_happened_since_its_own_start(self) -> None:
        waiting = queue()
        for name in ("a", "b"):
            waiting.add(pod(name).info(), 0.0)
        first = waiting.pop()
        waiting.on_change(change(Happening.NODE_ADD), 0.1)
        second = waiting.pop()
        assert first is not None
        assert second is not None
        waiting.requeue(second, FIT, (), 0.2)
        waiting.requeue(first, FIT, (), 0.3)
        assert (first.place, second.place) == (Place.BACKOFF, Place.UNSCHEDULABLE)

    def test_an_own_update_during_the_attempt_counts_and_its_version_is_the_one_tried_next(self) -> None:
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        record = waiting.pop()
        assert record is not None
        new = pod("a").tolerate("gpu").info()
        update(waiting, new, 0.1)
        waiting.requeue(record, TAINTS, (), 0.2)
        assert record.place is Place.BACKOFF
        assert record.pod is new

    def test_a_pod_deleted_during_the_attempt_does_not_come_back(self) -> None:
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        record = waiting.pop()
        assert record is not None
        waiting.delete(record.uid)
        waiting.requeue(record, FIT, (), 1.0)
        assert record.uid not in waiting
        assert waiting.pending() == Pending()

    def test_a_pod_that_was_assumed_may_come_back_when_its_binding_failed(self) -> None:
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        record = waiting.pop()
        assert record is not None
        waiting.done(record)
        assert record.uid not in waiting
        waiting.requeue(record, frozenset(), (), 1.0)
        assert waiting.pending() == Pending(total=1, backoff=1)
        assert record.attempts == 1

    def test_a_namesake_does_not_disturb_the_attempt_of_the_pod_before_it(self) -> None:
        waiting = queue()
        waiting.add(pod("a").info(), 0.0)
        record = waiting.pop()
        assert record is not None
        waiting.delete(record.uid)
        waiting.add(pod("a").metadata(uid="second").info(), 0.5)
        waiting.requeue(record, FIT, (), 1.0)
        assert waiting.pending() == Pending(total=1, active=1)


@pytest.mark.parametrize("where", ["active", "gated", "unschedulable", "backoff", "failed"])
def test_a_deleted_pod_leaves_from_wherever_it_is(where: str) -> None:
    waiting = queue()
    builder = pod("a").gate("g") if where == "gated" else pod("a")
    waiting.add(builder.info(), 0.0)
    if where in ("unschedulable", "backoff"):
        reject(waiting, 0.0)
    if where == "backoff":
        waiting.on_change(change(Happening.NODE_ADD), 0.0)
    if where == "failed":
        reject(waiting, 0.0, frozenset())
    waiting.delete(builder.build().metadata.uid)
    waiting.flush(1000.0)
    assert waiting.pending() == Pending()
    assert popped(waiting) == ""


def test_a_rejector_that_named_no_changes_is_woken_by_every_one() -> None:
    waiting = queue()
    waiting.add(pod("a").info(), 0.0)
    record = reject(waiting, 0.0, frozenset({"unheard-of"}))
    waiting.on_change(change(Happening.NODE_IMAGES), 30.0)
    assert record.place is Place.ACTIVE


class TestHints:
    @staticmethod
    def _with(hint: Callable[[PodInfo, Change], bool]) -> SchedulingQueue:
        wakes = {**WAKES, "NodeResourcesFit": Wakes(Happening.NODE_ADD, hint)}
        return SchedulingQueue(Backoff(1, 10), Wakeups(wakes))

    @pytest.mark.parametrize(("answer", "expected"), [(True, Place.ACTIVE), (False, Place.UNSCHEDULABLE)])
    def test_a_hint_decides_whether_the_change_matters(self, answer: bool, expected: Place) -> None:
        waiting = self._with(lambda _pod, _change: answer)
        waiting.add(pod("a").info(), 0.0)
        record = reject(waiting, 0.0)
        waiting.on_change(change(Happening.NODE_ADD), 30.0)
        assert record.place is expected

    def test_a_hint_that_raises_wakes_the_pod(self) -> None:
        def broken(_pod: PodInfo, _change: Change) -> bool:
            raise KeyError("rack")

        waiting = self._with(broken)
        waiting.add(pod("a").info(), 0.0)
        record = reject(waiting, 0.0)
        waiting.on_change(change(Happening.NODE_ADD), 30.0)
        assert record.place is Place.ACTIVE


def test_every_arrival_is_told_with_kube_schedulers_event_names() -> None:
    told: list[tuple[str, str]] = []
    waiting = SchedulingQueue(Backoff(1, 10), Wakeups(WAKES), lambda where, event: told.append((where, event)))
    waiting.add(pod("a").info(), 0.0)
    reject(waiting, 0.0)
    waiting.on_change(change(Happening.POD_DELETE), 0.0)
    waiting.pop()
    assert told == [
        ("active", "UnschedulablePodAdd"),
        ("unschedulable", "ScheduleAttemptFailure"),
        ("backoff", "AssignedPodDelete"),
        ("active", "PopFromBackoffQ"),
    ]
