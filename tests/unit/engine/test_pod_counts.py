"""Pods per row for a question: asked before, between or after the events, the counts are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.worlds import cluster, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cluster.pod_counts import PodCounts
from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup, PodQuery, Selector, selector_of
from pointsman.testing.builders import PodBuilder, node, pod

DEFAULT = frozenset({"default"})
NODES = ("n1", "n2", "n3")


def asks(app: str = "", namespaces: frozenset[str] | None = DEFAULT, *, terminating: bool = False) -> PodQuery:
    selector = Selector().also({"app": app} if app else {})
    return PodQuery((PodGroup(namespaces, selector),), terminating=terminating)


WEB = asks("web")
IN_TWICE = Requirement(key="app", operator="In", values=("web", "web"))
QUERIES = (
    WEB,
    asks("web", terminating=True),
    asks("web", None),
    asks(),
    asks("", frozenset({"default", "other"}), terminating=True),
    PodQuery((PodGroup(DEFAULT, Selector().also({"app": "web"})), PodGroup(None, Selector().also({"tier": "x"})))),
    PodQuery((PodGroup(DEFAULT, Selector()), PodGroup(frozenset({"other"}), Selector()))),
)


def web(name: str, namespace: str = "default") -> PodBuilder:
    return pod(name, namespace).label("app", "web")


def counted(on: Cluster, query: PodQuery = WEB) -> dict[str, int]:
    counts = on.pod_counts(query)
    assert counts.dtype == np.int64
    assert len(counts) == on.capacity
    assert counts.sum() == sum(counts[found] for name in NODES if (found := on.row_of(name)) is not None)
    return {name: int(counts[found]) for name in NODES if (found := on.row_of(name)) is not None}


@pytest.mark.parametrize("asked_early", [True, False], ids=["asked before", "asked after"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param(WEB, {"n1": 2, "n2": 0}, id="labels and namespace must match"),
        pytest.param(asks("web", terminating=True), {"n1": 2, "n2": 1}, id="pods being deleted count if asked for"),
        pytest.param(asks("web", None), {"n1": 3, "n2": 0}, id="any namespace"),
        pytest.param(asks(), {"n1": 2, "n2": 1}, id="an empty selector counts every pod of the namespace"),
        pytest.param(QUERIES[5], {"n1": 1, "n2": 0}, id="a pod must be in every group"),
        pytest.param(QUERIES[6], {"n1": 0, "n2": 0}, id="no pod is in two namespaces"),
        pytest.param(PodQuery(()), {"n1": 3, "n2": 2}, id="without groups everything counts"),
    ],
)
def test_a_question_counts_the_pods_that_are_meant(
    query: PodQuery, expected: dict[str, int], asked_early: bool
) -> None:
    world = cluster(node("n1"), node("n2"))
    if asked_early:
        world.pod_counts(query)
    for placed in (
        web("a").label("tier", "x").on("n1"),
        web("b").on("n1"),
        web("c", "other").on("n1"),
        web("d").terminating().on("n2"),
        pod("e").on("n2"),
    ):
        world.upsert_pod(placed.info())
    assert counted(world, query) == expected


def test_a_pod_that_gets_other_labels_is_counted_by_those() -> None:
    world = cluster(node("n1"), web("a").on("n1"))
    assert counted(world) == {"n1": 1}
    world.upsert_pod(web("a").label("app", "db").on("n1").info())
    assert (counted(world), counted(world, asks("db"))) == ({"n1": 0}, {"n1": 1})


def test_a_pod_that_begins_to_end_is_counted_no_more() -> None:
    world = cluster(node("n1"), web("a").on("n1"))
    assert counted(world) == {"n1": 1}
    world.upsert_pod(web("a").terminating().on("n1").info())
    assert (counted(world), counted(world, asks("web", terminating=True))) == ({"n1": 0}, {"n1": 1})


def test_an_assumed_pod_counts_until_it_is_forgotten() -> None:
    world = cluster(node("n1"))
    world.pod_counts(WEB)
    info = web("a").info()
    world.assume(info, "n1")
    assert counted(world) == {"n1": 1}
    world.forget(info.uid)
    assert counted(world) == {"n1": 0}


def test_pods_of_an_unknown_node_count_from_when_it_is_known_until_it_goes() -> None:
    world = cluster(web("a").on("n1"), web("b").on("n1"))
    world.pod_counts(WEB)
    world.upsert_node(node("n1").build())
    assert counted(world) == {"n1": 2}
    world.remove_node("n1")
    world.upsert_node(node("n2").build())
    assert counted(world) == {"n2": 0}


def test_counts_reach_the_rows_of_a_cluster_that_grew() -> None:
    world = Cluster(capacity=1)
    world.pod_counts(WEB)
    for name in NODES:
        world.upsert_node(node(name).build())
        world.upsert_pod(web(name).on(name).info())
    assert counted(world) == dict.fromkeys(NODES, 1)


def test_what_was_asked_long_ago_is_forgotten_and_counted_anew() -> None:
    counts = PodCounts(capacity=2, max_queries=2)
    first, second = web("a").info(), web("b").info()
    counts.charge(0, first)
    assert counts.counts(WEB).tolist() == [1, 0]
    counts.counts(asks("db"))
    assert counts.counts(WEB).tolist() == [1, 0]  # asked again: now the other one is the oldest
    counts.counts(asks())
    counts.counts(asks("cache"))
    counts.charge(1, second)
    counts.discharge(0, first)
    assert counts.counts(WEB).tolist() == [0, 1]


def test_a_value_that_is_listed_twice_does_not_count_pods_twice() -> None:
    twice = PodQuery((PodGroup(DEFAULT, selector_of(LabelSelector(match_expressions=(IN_TWICE,)))),))
    world = cluster(node("n1"))
    assert counted(world, twice) == {"n1": 0}
    world.upsert_pod(web("a").on("n1").info())
    assert counted(world, twice) == {"n1": 1}


def test_the_column_is_read_only() -> None:
    world = cluster(node("n1"))
    with pytest.raises(ValueError, match="read-only"):
        world.pod_counts(WEB)[row(world, "n1")] = 3


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("place"),
            st.integers(0, 4),
            st.sampled_from(NODES),
            st.sampled_from(("default", "other")),
            st.sampled_from(("", "web", "db")),
            st.sampled_from(("", "x")),
            st.booleans(),
        ),
        st.tuples(st.just("remove"), st.integers(0, 4)),
        st.tuples(st.just("ask"), st.sampled_from(QUERIES)),
    ),
    max_size=25,
)


@given(steps)
def test_any_history_leaves_the_counts_of_its_last_state(history: list[tuple[object, ...]]) -> None:
    """At most three questions are kept, so that they come and go on the way."""
    counts = PodCounts(capacity=3, max_queries=3)
    placed: dict[object, tuple[int, PodInfo]] = {}
    for step in history:
        match step:
            case ("ask", PodQuery() as query):
                counts.counts(query)
            case ("remove" | "place", number, *where):
                if number in placed:
                    counts.discharge(*placed.pop(number))
                if where:
                    name, namespace, app, tier, terminating = where
                    built = pod(f"p{number}", str(namespace)).label("app", str(app)).label("tier", str(tier))
                    info = (built.terminating() if terminating else built).info()
                    placed[number] = (NODES.index(str(name)), info)
                    counts.charge(*placed[number])
    for query in QUERIES:
        expected = [0, 0, 0]
        for at, info in placed.values():
            expected[at] += query.counts(info.namespace, info.pod.metadata.labels, terminating=info.terminating)
        assert counts.counts(query).tolist() == expected
