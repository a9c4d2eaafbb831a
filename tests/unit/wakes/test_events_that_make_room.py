"""For each rule: a pod that it has refused is bound within two seconds after the event that makes room."""

import pytest
from tests.unit.wakes.bench import WakeBench, default_policy
from tests.unit.wakes.storage_table import STORAGE_WAKES
from tests.unit.wakes.table import WAKES, Wake

EXEMPT = {
    "NodeName": "a pod that names its node never waits",
    "DynamicResources": "is not built: only a change of the pod itself helps",
}


@pytest.mark.parametrize("wake", [*WAKES, *STORAGE_WAKES], ids=lambda wake: wake.id)
def test_a_pod_is_bound_within_two_seconds_of_the_event_that_makes_room(wake: Wake) -> None:
    bench = WakeBench()
    for thing in wake.before:
        bench.put(thing)
    bench.put(wake.pod)
    assert bench.within(20) == []
    record = bench.record(wake.pod)
    assert record is not None
    assert wake.rule in record.rejectors
    for thing in wake.puts:
        bench.put(thing)
    for thing in wake.takes:
        bench.take(thing)
    assert bench.within(2) == [wake.pod.draft.metadata.name]


def test_every_default_predicate_is_in_the_table() -> None:
    assert {wake.rule for wake in (*WAKES, *STORAGE_WAKES)} | EXEMPT.keys() == {
        one.name for one in default_policy().predicates
    }
