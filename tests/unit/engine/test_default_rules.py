"""The built-in rules in the cycle, with kube-scheduler's default weights and words."""

import random
from collections import Counter

import pytest
from tests.unit.engine.worlds import cluster, decide, laid_open
from tests.unit.policy.specs import content

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.build import load
from pointsman.testing.builders import NodeBuilder, PodBuilder, host_port, node, pod

DEFAULT = load(content())


def plain(name: str) -> NodeBuilder:
    return node(name).cpu("4").memory("32Gi").pods(110)


def test_a_pod_on_an_empty_cluster_scores_471_everywhere() -> None:
    """14.8: TaintToleration 3*100 + Fit 97 + Balanced 74 + ImageLocality 0; NodeAffinity skips."""
    told = laid_open(cluster(plain("n1"), plain("n2")), pod("p").container(cpu="100m", memory="500Mi").info(), DEFAULT)
    expected = {
        "TaintToleration": 100,
        "NodeResourcesFit": 97,
        "NodeResourcesBalancedAllocation": 74,
        "ImageLocality": 0,
    }
    assert {name: one.scores for name, one in told.scored.items()} == {"n1": expected, "n2": expected}
    assert {one.total for one in told.scored.values()} == {471}
    assert told.best == {"n1", "n2"}


def test_the_second_pod_avoids_the_node_of_the_first() -> None:
    """14.1: a node that holds 100m and 500Mi scores Fit 95 and Balanced 75: 470 against 471."""
    world = cluster(plain("n1"), plain("n2"))
    wanted = pod("p").container(cpu="100m", memory="500Mi")
    world.assume(pod("first").container(cpu="100m", memory="500Mi").info(), "n1")
    told = laid_open(world, wanted.info(), DEFAULT)
    assert {name: one.total for name, one in told.scored.items()} == {"n1": 470, "n2": 471}
    assert decide(world, wanted.info(), DEFAULT).node == "n2"


def refusing_cluster() -> Cluster:
    return cluster(
        plain("cordoned").unschedulable(),
        plain("tainted").taint("dedicated", "ml"),
        plain("elsewhere"),
        plain("used").label("zone", "a"),
        plain("small").label("zone", "a").cpu("500m").memory("1Gi"),
        plain("full").label("zone", "a").pods(0),
        pod("holder").container(ports=(host_port(80),)).on("used"),
    )


def test_every_node_is_told_in_the_words_of_the_predicate_that_refused_it_first() -> None:
    wanted = pod("p").select("zone", "a").container(cpu="1", memory="2Gi", ports=(host_port(80),))
    assert decide(refusing_cluster(), wanted.info(), DEFAULT).message == (
        "0/6 nodes are available: "
        "1 Insufficient cpu, 1 Insufficient memory, 1 Too many pods, "
        "1 node(s) didn't have free ports for the requested pod ports, "
        "1 node(s) didn't match Pod's node affinity/selector, "
        "1 node(s) had untolerated taint(s), "
        "1 node(s) were unschedulable. "
        "no new claims to deallocate, preemption: 0/6 nodes are available: "
        "2 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling."
    )


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(pod("p").select("zone", "a").container(cpu="8", ports=(host_port(80),)), id="much"),
        pytest.param(pod("p").container(cpu="8", memory="64Gi", requests={"example.com/gpu": 1}), id="all kinds"),
        pytest.param(pod("p").spec(node_name="gone"), id="a node that is gone"),
    ],
)
def test_reasons_that_are_counted_at_once_are_those_of_each_node(wanted: PodBuilder) -> None:
    world, info = refusing_cluster(), wanted.info()
    found = search(DEFAULT, info, world, world.pool(None).candidates, Nominator())
    one_by_one = Counter(
        reason for refusal in found.refusals for row in refusal.rows.tolist() for reason in refusal.reasons(row)
    )
    assert len(found.feasible) == 0
    assert found.reason_counts() == one_by_one


def test_pods_fill_a_cluster_to_the_last_place_and_no_further() -> None:
    """4 nodes of 4 cpu hold 16 pods of 1 cpu, whatever the draw."""
    world = cluster(*(plain(f"n{number}") for number in range(4)))
    rng = random.Random(5)
    for number in range(16):
        info = pod(f"p{number}").container(cpu="1").info()
        world.assume(info, decide(world, info, DEFAULT, seed=rng.randrange(1000)).node)
    assert decide(world, pod("one-more").container(cpu="1").info(), DEFAULT).message == (
        "0/4 nodes are available: 4 Insufficient cpu. "
        "no new claims to deallocate, preemption: 0/4 nodes are available: "
        "4 No preemption victims found for incoming pod."
    )
    assert [len(world.pods_on(row)) for row in world.rows().nonzero()[0].tolist()] == [4, 4, 4, 4]
