"""For each rule: a pod that it has refused is bound within two seconds after the event that makes room."""

import pytest
from tests.unit.wakes.bench import WakeBench, default_policy, policy_with
from tests.unit.wakes.other_table import OLD, OTHER_WAKES
from tests.unit.wakes.storage_table import STORAGE_WAKES
from tests.unit.wakes.table import WAKES, Wake

from pointsman.policy.registry import BUILT

EXEMPT = {
    "NodeName": "a pod that names its node never waits",
    "DynamicResources": "is not built: only a change of the pod itself helps",
}


@pytest.mark.parametrize("wake", [*WAKES, *STORAGE_WAKES, *OTHER_WAKES], ids=lambda wake: wake.id)
def test_a_pod_is_bound_within_two_seconds_of_the_event_that_makes_room(wake: Wake) -> None:
    bench = WakeBench(policy_with(wake.spec))
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


def test_every_old_predicate_is_in_the_table() -> None:
    known = {rule.name for rule in BUILT.values() if rule.predicate} - {one.name for one in default_policy().predicates}
    used = {one.rule for one in policy_with(OLD).document.predicates}
    assert known <= used
    assert {one["name"] for one in OLD["predicates"]} <= {wake.rule for wake in OTHER_WAKES}
