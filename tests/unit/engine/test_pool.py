"""The mask of a profile's nodes."""

from tests.unit.engine.worlds import cluster, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cluster.pool import Pool
from pointsman.policy.rule import Change, Happening
from pointsman.testing.builders import node, pod

GPU = node("gpu-1").label("pool", "gpu")


def is_gpu(labels: dict[str, str]) -> bool:
    return labels.get("pool") == "gpu"


def names(world: Cluster, pool: Pool) -> set[str]:
    return {world.node_name(row) for row in pool.candidates.nonzero()[0].tolist()}


def test_only_nodes_whose_labels_match_are_candidates() -> None:
    world = cluster(GPU, node("cpu-1"))
    assert names(world, world.pool(is_gpu)) == {"gpu-1"}
    assert names(world, world.pool(None)) == {"gpu-1", "cpu-1"}


def test_the_pool_follows_nodes_that_come_change_and_go() -> None:
    world = Cluster(capacity=1)
    gpus, everything = world.pool(is_gpu), world.pool(None)
    world.upsert_node(GPU.build())
    world.upsert_node(node("cpu-1").build())
    world.upsert_node(node("bare").metadata(labels={}).build())
    assert names(world, gpus) == {"gpu-1"}
    assert names(world, everything) == {"gpu-1", "cpu-1", "bare"}
    world.upsert_node(node("cpu-1").label("pool", "gpu").build())
    assert names(world, gpus) == {"gpu-1", "cpu-1"}
    world.upsert_node(node("gpu-1").build())
    world.remove_node("cpu-1")
    assert names(world, gpus) == set()
    assert names(world, everything) == {"gpu-1", "bare"}


def test_a_matcher_that_accepts_nodes_without_labels_never_sees_rows_without_a_node() -> None:
    world = cluster(node("n1").metadata(labels={}))
    pool = world.pool(lambda labels: "pool" not in labels)
    assert names(world, pool) == {"n1"}
    world.remove_node("n1")
    assert not pool.candidates.any()


def test_a_pod_that_found_no_node_in_the_pool_is_woken_by_one_that_is_inside() -> None:
    world = cluster(GPU, node("cpu-1"))
    wakes = world.pool(is_gpu).wakes_on
    waiting = pod("p").info()
    assert wakes.on == Happening.NODE_ADD | Happening.NODE_LABELS
    assert wakes.hint is not None
    assert wakes.hint(waiting, Change(Happening.NODE_LABELS, world, row(world, "gpu-1")))
    assert not wakes.hint(waiting, Change(Happening.NODE_LABELS, world, row(world, "cpu-1")))
