"""Whole decisions: accounting meets the cycle, scores are weighed, ties are drawn."""

from collections import Counter

import numpy as np
import pytest
from tests.unit.engine.worlds import Fit, Points, Refuse, cluster, decide, laid_open, policy

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.rule_error import RuleError
from pointsman.testing.builders import PodBuilder, node, pod

POD = pod("p").info()
FIT = policy(Fit())


def fits(world: Cluster, builder: PodBuilder) -> bool:
    return decide(world, builder.info(), FIT).row is not None


def test_a_cluster_without_nodes_has_words_of_its_own() -> None:
    decision = decide(Cluster(), POD, FIT)
    assert decision.message == "no nodes available to schedule pods"
    assert (decision.row, decision.rejectors, decision.evaluated) == (None, frozenset(), 0)
    assert laid_open(Cluster(), POD, FIT).message == "no nodes available to schedule pods"


@pytest.mark.parametrize(
    ("incoming", "room", "crowded"),
    [
        pytest.param(pod("a"), "", "0/1 nodes are available: 1 Too many pods.", id="asks for nothing"),
        pytest.param(
            pod("b").container(cpu="1m"),
            "0/1 nodes are available: 1 Insufficient cpu.",
            "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods.",
            id="asks for a little",
        ),
        pytest.param(pod("c").container(cpu="0"), "", "0/1 nodes are available: 1 Too many pods.", id="asks for zero"),
    ],
)
def test_a_request_of_zero_fits_an_overcommitted_node(incoming: PodBuilder, room: str, crowded: str) -> None:
    """C07: 2500m on a node that shrank to 2000m; with a limit of 1 pod nothing fits."""
    before = pod("old").container(cpu="2500m").on("n1")
    assert decide(cluster(node("n1").cpu("2").pods(5), before), incoming.info(), FIT).message == room
    assert decide(cluster(node("n1").cpu("2").pods(1), before), incoming.info(), FIT).message == crowded


def test_only_the_terminating_pod_counts_among_finished_ones() -> None:
    """C17."""
    world = cluster(
        node("n1").cpu("2").pods(2),
        pod("done").container(cpu="2").on("n1").status(phase="Succeeded"),
        pod("bad").container(cpu="2").on("n1").status(phase="Failed"),
        pod("going").container(cpu="1").on("n1").terminating(),
    )
    assert fits(world, pod("p1").container(cpu="1"))
    assert not fits(world, pod("p2").container(cpu="1500m"))


def test_a_pod_that_is_only_assumed_is_in_the_way_until_it_is_forgotten() -> None:
    """C33."""
    world = cluster(node("n1").cpu("4"))
    first, second = pod("p1").container(cpu="3"), pod("p2").container(cpu="3")
    world.assume(first.info(), decide(world, first.info(), FIT).node)
    assert not fits(world, second)
    world.forget("pod-default-p1")
    assert fits(world, second)


def test_after_a_race_lost_at_the_kubelet_the_rest_fits_as_it_should() -> None:
    """C89: 3 of 4 cpu are used by the foreign pod: 1 fits, 2 do not."""
    ours = pod("p1").container(cpu="3").on("n1")
    world = cluster(node("n1").cpu("4"), ours, pod("f").container(cpu="3").on("n1"))
    assert not fits(world, pod("p2").container(cpu="1"))
    world.upsert_pod(ours.status(phase="Failed").info())
    assert fits(world, pod("p2").container(cpu="1"))
    assert not fits(world, pod("p3").container(cpu="2"))


def test_a_node_that_was_created_anew_is_full_until_its_old_pods_are_gone() -> None:
    """C101."""
    world = cluster(node("n1").cpu("4"), pod("a").container(cpu="3").on("n1"))
    world.remove_node("n1")
    world.upsert_node(node("n1").cpu("2").build())
    assert not fits(world, pod("p").container(cpu="1"))
    world.remove_pod("pod-default-a")
    assert fits(world, pod("p").container(cpu="1"))


def test_totals_are_weighted_sums_of_normalised_scores() -> None:
    """n1: 3*50 + 1*10 = 160; n2: 3*40 + 1*100 = 220; n3: 3*0 + 1*0 = 0."""
    world = cluster(node("n1"), node("n2"), node("n3"))
    rules = policy(
        Points("A", {"n1": 50, "n2": 40}), Points("B", {"n1": 10, "n2": 100}), Points("Skips", None), weights={"A": 3}
    )
    told = laid_open(world, POD, rules)
    assert {name: one.total for name, one in told.scored.items()} == {"n1": 160, "n2": 220, "n3": 0}
    assert told.scored["n1"].scores == {"A": 50, "B": 10}, "a priority that skips adds nothing, not zero"
    assert told.best == {"n2"}
    assert decide(world, POD, rules).node == "n2"


def test_normalising_sees_feasible_nodes_only() -> None:
    """Without n3 the highest raw score is 4: 100 * 2 / 4 = 50."""
    world = cluster(node("n1"), node("n2"), node("n3"))
    rules = policy(
        Refuse("R", {"n3": ("no",)}),
        Points("A", {"n1": 2, "n2": 4, "n3": 400}, normalize=lambda scores: scores * 100 // scores.max()),
    )
    told = laid_open(world, POD, rules)
    assert {name: one.total for name, one in told.scored.items()} == {"n1": 50, "n2": 100}


@pytest.mark.parametrize(("points", "told"), [(-1, "-1"), (101, "101")])
def test_a_score_outside_0_to_100_is_the_priorities_fault(points: int, told: str) -> None:
    world = cluster(node("n1"), node("n2"))
    with pytest.raises(RuleError, match=rf"rule A failed: ValueError: score {told} is outside 0\.\.100"):
        decide(world, POD, policy(Points("A", {"n1": points})))


def test_a_lone_feasible_node_is_not_scored() -> None:
    assert decide(cluster(node("n1")), POD, policy(Points("A", {"n1": 101}))).node == "n1"


def test_ties_are_drawn_evenly_among_the_best() -> None:
    """3 of 5 nodes are best; 600 draws, 200 expected each; 5 standard deviations of 11.5 are 58."""
    best = {"n1": 7, "n3": 7, "n5": 7}
    world = cluster(*(node(f"n{number}") for number in range(1, 6)))
    chosen = Counter(decide(world, POD, policy(Points("A", {**best, "n2": 6})), seed=seed).node for seed in range(600))
    assert set(chosen) == set(best)
    assert all(142 <= count <= 258 for count in chosen.values())


def test_without_priorities_every_feasible_node_is_as_good() -> None:
    world = cluster(node("n1"), node("n2"), node("n3"))
    assert {decide(world, POD, FIT, seed=seed).node for seed in range(50)} == {"n1", "n2", "n3"}


def test_the_same_seed_gives_the_same_choice() -> None:
    world = cluster(*(node(f"n{number}") for number in range(20)))
    assert len({decide(world, POD, FIT, seed=7).node for _ in range(5)}) == 1


def test_deciding_changes_nothing() -> None:
    world = cluster(node("n1").cpu("2"), node("n2").cpu("2"))
    before = world.requested("cpu").copy()
    decide(world, pod("p").container(cpu="1").info(), FIT)
    assert np.array_equal(world.requested("cpu"), before)
    assert world.pods_on(0) == ()
