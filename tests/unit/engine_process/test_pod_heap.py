"""The heap that any pod can leave at any time."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pointsman.engine.queue.pod_heap import PodHeap
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.testing.builders import pod


def _records(priorities: list[int]) -> list[QueuedPod]:
    return [
        QueuedPod(pod(str(number)).priority(priority).info(), 0.0, number) for number, priority in enumerate(priorities)
    ]


@given(st.lists(st.integers(-3, 3), max_size=200), st.randoms())
def test_what_was_not_taken_out_leaves_in_order(priorities: list[int], random: Random) -> None:
    heap = PodHeap(QueuedPod.active_order)
    records = _records(priorities)
    for record in records:
        heap.push(record)
    leaving = [record for record in records if random.random() < 0.7]
    for record in leaving:
        heap.discard(record)
    staying = [record for record in records if record not in leaving]
    assert len(heap) == len(staying) == len(heap.records())
    left = [heap.pop() for _ in staying]
    assert left == sorted(staying, key=QueuedPod.active_order)
    assert heap.pop() is None


def test_pods_that_come_and_go_behind_a_busy_head_do_not_pile_up() -> None:
    heap = PodHeap(QueuedPod.active_order)
    (head,) = _records([9])
    heap.push(head)
    for record in _records([0] * 10_000):
        heap.push(record)
        heap.discard(record)
    assert len(heap._entries) < 200
    assert heap.peek() is head


def test_a_record_that_left_may_come_back() -> None:
    heap = PodHeap(QueuedPod.active_order)
    first, second = _records([0, 0])
    heap.push(first)
    heap.push(second)
    heap.discard(first)
    first.sequence = 99
    heap.push(first)
    assert [heap.pop(), heap.pop(), heap.pop()] == [second, first, None]
