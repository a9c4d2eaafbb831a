"""Pods that are held back while their preemption is under way."""

from tests.unit.engine_process.changes import FIT, change, place, popped, queue, reject

from pointsman.engine.queue.queued_pod import Place
from pointsman.policy.rule import Happening
from pointsman.testing.builders import pod

P = pod("p").info()
ROOM = change(Happening.POD_DELETE)


def test_what_wakes_a_held_pod_waits_with_it_until_it_is_let_go() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    waiting.hold(P.uid)
    reject(waiting, 0.0)
    assert place(waiting, P) is Place.UNSCHEDULABLE
    waiting.on_change(ROOM, 30.0)
    assert place(waiting, P) is Place.GATED
    assert not waiting.has_next()
    assert waiting.pending().gated == 1
    waiting.release(P.uid, 31.0)
    assert place(waiting, P) is Place.ACTIVE


def test_a_change_during_the_attempt_is_not_lost_to_a_held_pod() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    record = waiting.pop()
    assert record is not None
    waiting.on_change(ROOM, 0.0)
    waiting.hold(P.uid)
    waiting.requeue(record, FIT, (), 0.0)
    assert place(waiting, P) is Place.GATED
    waiting.release(P.uid, 1.0)
    assert place(waiting, P) is Place.BACKOFF


def test_a_pod_that_nothing_has_woken_goes_on_waiting() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    waiting.hold(P.uid)
    reject(waiting, 0.0)
    waiting.release(P.uid, 1.0)
    assert place(waiting, P) is Place.UNSCHEDULABLE
    waiting.on_change(ROOM, 30.0)
    assert popped(waiting) == "p"


def test_after_a_failure_the_pod_comes_back_once_the_back_off_of_an_error_is_over() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    waiting.hold(P.uid)
    reject(waiting, 0.0)
    waiting.release(P.uid, 10.0, failed=True)
    assert not waiting.has_next(), "an error is not popped early"
    waiting.flush(11.5)
    assert not waiting.has_next()
    waiting.flush(12.0)
    assert popped(waiting) == "p"


def test_a_pod_that_is_gone_is_no_longer_held() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    waiting.hold(P.uid)
    reject(waiting, 0.0)
    waiting.on_change(ROOM, 30.0)
    waiting.delete(P.uid)
    waiting.release(P.uid, 31.0)
    assert place(waiting, P) is Place.OUT
    assert waiting.pending().gated == 0


def test_a_waiting_pod_can_be_tried_again_whatever_rejected_it() -> None:
    waiting = queue()
    waiting.add(P, 0.0)
    reject(waiting, 0.0)
    waiting.activate(P.uid, 30.0)
    assert popped(waiting) == "p"
    waiting.activate("unknown", 30.0)
