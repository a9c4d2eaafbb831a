"""Sections F, H, I and J: what happens around decisions, by the default rules and the scheduler of one policy."""

import random

import pytest

from pointsman.engine.binding.verdict import Verdict
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, host_port, node, pod, pod_term
from tests.cases.coverage import about
from tests.unit.engine_process.harness import engine, ours, world
from tests.unit.engine_process.mini_api import Refused, until
from tests.unit.wakes.bench import WakeBench, default_policy

HOST = "kubernetes.io/hostname"
APART = pod_term(HOST, asks(app="a"))


def bench(*things: NodeBuilder | PodBuilder) -> WakeBench:
    made = WakeBench()
    for thing in things:
        made.put(thing)
    return made


@about("C33")
def test_a_pod_on_its_way_keeps_its_pair_away_until_its_binding_fails() -> None:
    pair = [ours(name).container().label("app", "a").far(APART) for name in ("p1", "p2")]
    scheduler = bench(node("n1").cpu("4"), *pair)
    assert scheduler.within(2) == ["p1"]
    scheduler.ended(Verdict.FAILED, "500")
    bound = scheduler.within(15)
    assert len(bound) == 1, "one of the two, whichever comes first"
    scheduler.bind_all()
    assert scheduler.within(15) == []


@about("C54")
async def test_a_pod_that_names_its_node_is_charged_and_otherwise_left_alone() -> None:
    preset = ours("preset").container(cpu="3").claim("late").spec(node_name="n1")
    api = world([node("n1").cpu("4")], [preset])
    api.put("persistentvolumeclaims", {"metadata": {"namespace": "default", "name": "late", "uid": "claim-late"}})
    async with engine(api, default_policy()) as running:
        api.put("pods", ours("p").container(cpu="2").manifest())
        await until(lambda: api.condition("p") != {})
        report = await running.report()
    assert api.condition("p")["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert api.bindings == []
    assert "annotations" not in api.objects["persistentvolumeclaims", "default", "late"]["metadata"]
    assert {event["regarding"]["name"] for event in api.events} == {"p"}
    assert (report.attempts.unschedulable, report.pending.total) == (1, 1)


@about("C85")
@pytest.mark.parametrize("nodes", [99, 100, 1000, 6000])
def test_every_node_is_examined_however_many_there_are(nodes: int) -> None:
    """percentageOfNodesToScore has no counterpart: kube-scheduler would look for 99, 100, 420 and 300 of these."""
    cluster = Cluster(nodes)
    for number in range(nodes):
        cluster.upsert_node(node(f"n{number}").build())
    candidates = cluster.pool(None).candidates
    decided = schedule(default_policy(), pod("p").info(), cluster, candidates, Nominator(), random.Random(0))
    assert (decided.evaluated, decided.feasible) == (nodes, nodes)


@about("C88")
async def test_a_binding_that_is_forbidden_is_told_in_the_servers_words_and_tried_again() -> None:
    def forbid() -> None:
        raise Refused(403, 'cannot create resource "pods/binding"')

    api = world([node("n1")], [ours("p")])
    api.before_bind.append(forbid)
    async with engine(api) as running:
        await until(lambda: api.condition("p") != {})
        assert api.condition("p")["reason"] == "SchedulerError"
        assert 'cannot create resource "pods/binding"' in api.condition("p")["message"]
        await running.clock.advance(3)
        await until(lambda: api.node_of("p") == "n1")


@about("C89")
def test_after_a_race_that_the_kubelet_decided_the_rest_is_placed_as_it_should_be() -> None:
    """3 and 3 of 4 cpus; when ours has failed, 3 are used: 1 more fits, 2 more do not."""
    lost = ours("p1").container(cpu="3")
    scheduler = bench(node("n1").cpu("4"), lost)
    assert scheduler.within(2) == ["p1"]
    scheduler.put(pod("foreign").spec(scheduler_name="default-scheduler").container(cpu="3").on("n1"))
    scheduler.put(lost.on("n1"))
    scheduler.bind_all()
    assert scheduler.cluster.requested("cpu").max() == 6000
    scheduler.put(ours("p3").container(cpu="2"))
    scheduler.put(ours("p2").container(cpu="1"))
    assert scheduler.within(2) == []
    scheduler.put(lost.on("n1").status(phase="Failed"))
    assert scheduler.within(2) == ["p2"]
    assert scheduler.within(60) == []


@about("C96")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(ours("p"), ours("p").tolerate("t"), id="a toleration"),
        pytest.param(ours("p").gate("g").tolerate("t"), ours("p").tolerate("t"), id="its last gate gone"),
        pytest.param(ours("p"), node("n1"), id="a taint gone"),
        pytest.param(ours("p").select("a", "1").tolerate("t"), node("n1").label("a", "1"), id="a label"),
    ],
)
def test_what_helps_a_waiting_pod_has_it_tried_at_once(before: PodBuilder, after: NodeBuilder | PodBuilder) -> None:
    scheduler = bench(node("n1").taint("t"), before)
    assert scheduler.within(20) == []
    scheduler.put(after)
    assert scheduler.within(2) == ["p"]


@about("C96")
def test_our_own_words_in_its_status_do_not_have_a_pod_tried() -> None:
    scheduler = bench(node("n1").taint("t"), ours("p"))
    scheduler.within(20)
    scheduler.put(ours("p").metadata(annotations={"seen": "yes"}).status(phase="Pending", nominated_node_name=""))
    assert scheduler.within(60) == []
    record = scheduler.record(ours("p"))
    assert record is not None
    assert record.attempts == 1


@about("C101")
def test_a_node_that_was_made_anew_is_full_until_its_old_pods_are_gone() -> None:
    old = pod("a").container(cpu="3")
    scheduler = bench(node("n1").cpu("4").label("disk", "ssd").taint("old"), old.on("n1"))
    scheduler.take(node("n1"))
    scheduler.put(node("n1").cpu("2"))
    scheduler.put(ours("p").container(cpu="1"))
    scheduler.put(ours("picky").select("disk", "ssd"))
    assert scheduler.within(20) == []
    scheduler.take(old)
    assert scheduler.within(2) == ["p"]


@about("C102")
def test_pods_of_nodes_that_do_not_exist_disturb_nobody() -> None:
    stray = pod("stray").container(cpu="1").label("app", "a").far(pod_term(HOST, asks(app="a"))).on("n9")
    lost = pod("lost").container(cpu="1")
    scheduler = bench(node("n1").cpu("2"), node("n2").cpu("2"), stray, lost.on("n2"))
    scheduler.take(node("n2"))
    scheduler.put(lost.label("seen", "late").on("n2"))
    scheduler.take(lost)
    scheduler.put(ours("p").container(cpu="1").label("app", "a"))
    assert scheduler.within(2) == ["p"]
    assert scheduler.submitted[0].node == "n1"
    scheduler.bind_all()
    scheduler.put(node("n9").cpu("1"))
    scheduler.put(ours("next").container(cpu="2"))
    assert scheduler.within(2) == [], "the stray pod is charged to its node as soon as that appears"


@about("C103")
def test_a_deletion_that_only_a_new_list_tells_frees_room_and_ports() -> None:
    holder = pod("a").container(cpu="2", ports=(host_port(80),))
    waiting = [ours("p").container(cpu="1"), ours("web").container(cpu="1", ports=(host_port(80),))]
    scheduler = bench(node("n1").cpu("2"), holder.on("n1"), *waiting)
    assert scheduler.within(20) == []
    scheduler.take(holder)  # the reflector tells of it as of any deletion
    assert sorted(scheduler.within(2)) == ["p", "web"]
