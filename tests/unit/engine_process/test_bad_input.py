"""Objects that no API server should have let in: each is told of once and gets no harm done to others."""

import logging
from collections.abc import Sequence

import pytest
from tests.unit.engine.putting import Thing
from tests.unit.engine_process.harness import ours
from tests.unit.rules.stored import bound_claim, claim, csi_driver, room, storage_class, volume
from tests.unit.wakes.bench import WakeBench

from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.testing.builders import PodBuilder, asks, node, pod, pod_term, term

HOST = "kubernetes.io/hostname"
NEAR = LabelSelector(match_expressions=(Requirement(key="app", operator="Near", values=("x",)),))
HUGE = "9223372036854775807"


def bench(*things: Thing) -> WakeBench:
    made = WakeBench()
    for thing in things:
        made.put(thing)
    return made


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        pytest.param(ours("bad").container(cpu="1 Gi"), "spec.containers[0].resources.requests[cpu]", id="cpu"),
        pytest.param(ours("bad").container(requests={"example.com/gpu": "lots"}), "example.com/gpu", id="gpu"),
        pytest.param(ours("bad").container().overhead(memory="1K"), "spec.overhead[memory]", id="overhead"),
        pytest.param(ours("bad").near(pod_term(HOST, NEAR)), "Near", id="affinity"),
        pytest.param(ours("bad").prefer_far((1, pod_term(HOST, NEAR))), "Near", id="wish for distance"),
        pytest.param(
            ours("bad").far(pod_term(HOST, asks(), namespace_selector=NEAR)), "Near", id="selector of namespaces"
        ),
        pytest.param(ours("bad").spread(HOST, NEAR), "Near", id="spread constraint"),
    ],
)
def test_a_pending_pod_that_cannot_be_read_waits_and_is_told_why(bad: PodBuilder, field: str) -> None:
    scheduler = bench(node("n1"), bad, ours("good").container(cpu="1"))
    assert scheduler.within(60) == ["good"]
    (words,) = [said for said in scheduler.said if said.startswith("bad: ")]
    assert field in words


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(pod("bad").container(cpu="1 Gi"), id="cpu"),
        pytest.param(pod("bad").far(pod_term(HOST, NEAR)), id="anti-affinity"),
        pytest.param(pod("bad").prefer_near((1, pod_term(HOST, NEAR))), id="wish for company"),
        pytest.param(pod("bad").far(pod_term(HOST, asks(), namespace_selector=NEAR)), id="selector of namespaces"),
    ],
)
def test_a_running_pod_that_cannot_be_read_is_told_of_once_and_keeps_nobody_away(
    bad: PodBuilder, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = bench(node("n1").cpu("3"), node("n2").cpu("0"))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            scheduler.put(bad.on("n1"))
        for number in range(3):
            scheduler.put(ours(f"p{number}").container(cpu="1"))
            assert scheduler.within(2) == [f"p{number}"]
    assert len([record for record in caplog.records if "default/bad" in record.getMessage()]) == 1


BROKEN_CPU = node("bad").cpu("many")
BROKEN_GPU = node("bad").cpu("4").allocatable("example.com/gpu", "1 2")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        pytest.param(BROKEN_CPU, "status.allocatable[cpu]", id="cpu"),
        pytest.param(BROKEN_GPU, "status.allocatable[example.com/gpu]", id="gpu"),
    ],
)
def test_a_node_whose_room_cannot_be_read_has_none_of_it_and_is_told_of_once(
    bad: Thing, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        scheduler = bench(bad, bad.label("seen", "again"), node("n1").cpu("1").allocatable("example.com/gpu", "1"))
        greedy = {"cpu": "1", "example.com/gpu": "1"}
        scheduler.put(ours("first").container(requests=greedy))
        scheduler.put(ours("second").container(requests=greedy))
        assert scheduler.within(2) == ["first"]
        assert scheduler.submitted[0].node == "n1"
    assert len([record for record in caplog.records if words in record.getMessage()]) == 1


def test_a_node_without_anything_takes_no_pod_and_harms_nobody() -> None:
    bare = node("bare").status(allocatable={}).metadata(labels={})
    scheduler = bench(bare, ours("p").container())
    assert scheduler.within(2) == []
    assert scheduler.said[0].startswith("p: Unschedulable: 0/1 nodes are available: 1 Too many pods.")
    scheduler.put(node("n1"))
    assert scheduler.within(2) == ["p"]


@pytest.mark.parametrize(
    ("running", "wanted"),
    [
        pytest.param((HUGE,), "1", id="a node that is full to the last byte"),
        pytest.param((HUGE, HUGE), "1Gi", id="two that are more than int64 together"),
        pytest.param((HUGE, HUGE, HUGE), HUGE, id="three that are"),
    ],
)
def test_pods_beyond_int64_never_make_room(running: Sequence[str], wanted: str) -> None:
    """kube-scheduler 1.36.3 adds up in int64 and binds some of these."""
    there = [pod(f"old-{number}").container(memory=memory).on("n1") for number, memory in enumerate(running)]
    scheduler = bench(node("n1").memory(HUGE), *there, ours("p").container(memory=wanted))
    assert scheduler.within(2) == []
    assert "1 Insufficient memory" in scheduler.said[0]
    for old in there:
        scheduler.take(old)
    assert scheduler.within(2) == ["p"]


@pytest.mark.parametrize(
    "greedy",
    [
        pytest.param(ours("p").container(memory="50E"), id="in one request"),
        pytest.param(
            ours("p").container(name="a", memory=HUGE).container(name="b", memory=HUGE), id="in two containers"
        ),
        pytest.param(ours("p").container(memory=HUGE).overhead(memory=HUGE), id="with its overhead"),
        pytest.param(ours("p").container(memory="1").pod_requests(memory="10E"), id="as a whole"),
    ],
)
def test_a_pod_that_asks_for_more_than_int64_asks_for_too_much(greedy: PodBuilder) -> None:
    scheduler = bench(node("n1"), greedy)
    assert scheduler.within(2) == []
    assert "1 Insufficient memory" in scheduler.said[0]


def test_a_place_that_cannot_be_read_is_nowhere_and_keeps_nobody_else_waiting() -> None:
    lost = ours("lost").container().require(term(("gen", "Gt", "abc")), term(("gen", "Near", "1")))
    scheduler = bench(node("n1").label("gen", "7"), lost, ours("p").container())
    assert scheduler.within(2) == ["p"]
    assert "1 node(s) didn't match Pod's node affinity/selector" in scheduler.said[0]


WANTS = ours("p").claim("c")
UNMATCHED = "1 node(s) didn't find available persistent volumes to bind."
AWAY = "1 node(s) didn't match PersistentVolume's node affinity."
OF_NO_SIZE = 'persistentvolumeclaim "c": spec.resources.requests.storage: "lots" is not a quantity'


@pytest.mark.parametrize(
    ("there", "words"),
    [
        pytest.param((), 'persistentvolumeclaim "c" not found', id="no claim"),
        pytest.param((bound_claim("c", "v"),), 'persistentvolume "v" not found', id="no volume"),
        pytest.param((claim("c"),), "pod has unbound immediate PersistentVolumeClaims", id="no class"),
        pytest.param((claim("c", "lots"), storage_class(), volume("v")), OF_NO_SIZE, id="a claim of no size"),
        pytest.param((claim("c"), storage_class(), volume("v", "lots")), UNMATCHED, id="a volume of no size"),
        pytest.param((claim("c", selector=NEAR), storage_class(), volume("v")), UNMATCHED, id="a bad selector"),
        pytest.param((bound_claim("c", "v"), volume("v", terms=(term((HOST, "Near", "n1")),))), AWAY, id="a bad place"),
    ],
)
def test_storage_that_is_missing_or_cannot_be_read_has_its_pod_wait_alone(there: Sequence[Thing], words: str) -> None:
    scheduler = bench(node("n1"), *there, WANTS, ours("other").container())
    assert scheduler.within(2) == ["other"]
    assert words in scheduler.said[0]


def test_limits_are_known_without_a_csi_node_and_room_that_cannot_be_read_is_none() -> None:
    missing = bench(node("n1"), claim("c"), storage_class(provisioner="x"), WANTS)
    assert missing.within(2) == ["p"]
    unreadable = bench(
        node("n1"), claim("c"), storage_class(provisioner="x"), csi_driver("x"), room("r", "lots", {}), WANTS
    )
    assert unreadable.within(2) == []
    assert "1 node(s) did not have enough free storage." in unreadable.said[0]
