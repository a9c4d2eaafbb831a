"""Decisions that start from what is known of a class are those of the whole cycle, whatever happened in between."""

import random
from dataclasses import replace

import pytest
from tests.unit.engine.random_pods import some_pod
from tests.unit.engine.random_world import RandomWorld
from tests.unit.engine.test_warm_and_cold import SPECS, policy

from pointsman.engine.classes.classes import Classes
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cluster.journal import Journal
from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.cycle.explain import explain
from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import node, pod, term

STEPS = 80
KINDS = 6  # of pods that are asked for again and again


def twin(info: PodInfo, number: int) -> PodInfo:
    """Another pod of the same kind."""
    return replace(info, uid=f"{info.uid}-{number}")


@pytest.mark.parametrize("rules", SPECS)
@pytest.mark.parametrize("seed", range(8))
def test_classes_decide_as_the_whole_cycle_does(seed: int, rules: str) -> None:
    world, draw, chosen = RandomWorld(seed), random.Random(f"kinds {seed}"), policy(rules)
    kinds = [some_pod(draw, f"kind-{number}", wishes=4).info() for number in range(KINDS)]
    candidates, classes = world.cluster.pool(None), Classes(chosen)
    for step in range(STEPS):
        world.step()
        info = twin(draw.choice(kinds), step)
        around = (world.cluster, candidates.candidates, Nominator())
        found = classes.schedule(chosen, info, *around, random.Random(step))
        laid_open = explain(chosen, info, *around)
        if found.row is None:
            assert found == schedule(chosen, info, *around, random.Random(step)), f"step {step}"
            continue
        assert found.node in laid_open.best, f"step {step}"
        assert (found.feasible, found.evaluated) == (
            len(laid_open.scored),
            len(laid_open.scored) + len(laid_open.refused),
        )
        if draw.random() < 0.5:
            world.cluster.assume(info, found.node)


def test_pods_that_only_differ_in_name_and_labels_are_of_one_class_where_no_steady_rule_reads_these() -> None:
    world, chosen = RandomWorld(1), policy("default")
    world.cluster.upsert_node(node("big").build())
    classes, candidates = Classes(chosen), world.cluster.pool(None)
    for number in range(3):
        info = pod(f"web-{number}").label("app", f"app-{number}").container(cpu="100m").info()
        classes.schedule(chosen, info, world.cluster, candidates.candidates, Nominator(), random.Random(0))
    other = pod("db").container(cpu="200m").info()
    classes.schedule(chosen, other, world.cluster, candidates.candidates, Nominator(), random.Random(0))

    assert len(classes) == 2


def test_a_pod_that_names_its_node_gets_it_as_soon_as_it_is_there() -> None:
    world, chosen = Cluster(), policy("default")
    world.upsert_node(node("other").build())
    classes, candidates = Classes(chosen), world.pool(None)
    pinned = pod("daemon").require(term(fields=(("metadata.name", "In", "mine"),)))

    def decide(number: int) -> str:
        info = twin(pinned.info(), number)
        return classes.schedule(chosen, info, world, candidates.candidates, Nominator(), random.Random(0)).node

    assert [decide(0), decide(1)] == ["", ""]
    world.upsert_node(node("mine").build())
    assert [decide(2), decide(3)] == ["mine", "mine"]


def test_a_journal_tells_the_rows_touched_since_a_position_and_when_it_has_forgotten() -> None:
    journal = Journal()
    journal.touch(3)
    seen = journal.position
    for row in (5, 4, 5):
        journal.touch(row)

    assert journal.since(seen) == {4, 5}
    assert journal.since(journal.position) == set()
    for number in range(20_000):
        journal.touch(number % 7)
    assert journal.since(seen) is None
    assert journal.since(journal.position - 2) == {(19_998) % 7, 19_999 % 7}
