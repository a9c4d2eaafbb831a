"""InterPodAffinity in random small worlds: columns, hand-made view and a naive telling of the rule agree."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.naive_affinity import Naive
from tests.unit.rules.view import HandView

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import LabelSelector, Metadata, Namespace, Node, Pod, PodAffinityTerm
from pointsman.policy.accounting import pod_info
from pointsman.policy.args import Args
from pointsman.policy.inter_pod_affinity_args import InterPodAffinityArgs
from pointsman.policy.predicates.inter_pod_affinity import (
    REASON_AFFINITY,
    REASON_ANTI,
    REASON_EXISTING,
    InterPodAffinity,
    State,
)
from pointsman.policy.priorities import inter_pod_affinity as priority
from pointsman.policy.rule import Skip
from pointsman.policy.view import ClusterView
from pointsman.testing.builders import PodBuilder, asks, node, pod

RULE = InterPodAffinity("InterPodAffinity", Args())
WORDS = {"affinity": REASON_AFFINITY, "anti": REASON_ANTI, "existing": REASON_EXISTING}
KEYS = ("zone", "rack", "kubernetes.io/hostname")
NAMES = ("default", "other", "unknown")
NAMESPACES = {"default": {"team": "red"}, "other": {}}

values = st.sampled_from("ab")
expressions = st.sampled_from(
    [("app", "In", "a", "b"), ("app", "NotIn", "a"), ("app", "Exists"), ("tier", "DoesNotExist")]
)
selectors = st.one_of(st.none(), st.builds(asks), values.map(lambda value: asks(app=value)), expressions.map(asks))
namespace_selectors: st.SearchStrategy[LabelSelector | None] = st.one_of(
    st.none(),
    st.none(),
    st.sampled_from([asks(), asks(team="red"), asks(("team", "NotIn", "red")), asks(("team", "Exists"))]),
)
terms = st.builds(
    PodAffinityTerm,
    label_selector=selectors,
    namespaces=st.one_of(st.just(()), st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple)),
    namespace_selector=namespace_selectors,
    topology_key=st.sampled_from(KEYS),
)
few: st.SearchStrategy[list[PodAffinityTerm]] = st.one_of(st.just([]), st.lists(terms, max_size=2))
weighted: st.SearchStrategy[list[tuple[int, PodAffinityTerm]]] = st.one_of(
    st.just([]), st.lists(st.tuples(st.integers(1, 100), terms), max_size=2)
)


@st.composite
def pods(draw: st.DrawFn, name: str) -> PodBuilder:
    built = pod(name, draw(st.sampled_from(NAMES)))
    for key in draw(st.sets(st.sampled_from(("app", "tier")))):
        built = built.label(key, draw(values))
    built = built.near(*draw(few)).far(*draw(few))
    return built.prefer_near(*draw(weighted)).prefer_far(*draw(weighted))


@st.composite
def nodes(draw: st.DrawFn, name: str) -> Node:
    built = node(name)
    for key in draw(st.sets(st.sampled_from(("zone", "rack")))):
        built = built.label(key, draw(values))
    return built.build()


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Node], list[Pod], Pod]:
    """Up to four nodes, up to five placed pods, some perhaps on a node that is not known, and a pending pod."""
    some = [draw(nodes(f"n{number}")) for number in range(draw(st.integers(1, 4)))]
    places = draw(st.lists(st.sampled_from([*(entry.metadata.name for entry in some), "gone"]), max_size=5))
    placed = [draw(pods(f"placed-{number}")).on(place).build() for number, place in enumerate(places)]
    return some, placed, draw(pods("pending")).build()


def columns(some: Sequence[Node], placed: Sequence[Pod]) -> Cluster:
    world = Cluster(capacity=1)
    for name, labels in NAMESPACES.items():
        world.set_namespace(Namespace(metadata=Metadata(name=name, labels=labels)))
    for entry in some:
        world.upsert_node(entry)
    for running in placed:
        world.upsert_pod(pod_info(running))
    return world


def views(some: Sequence[Node], placed: Sequence[Pod]) -> tuple[ClusterView, ClusterView]:
    return columns(some, placed), HandView(some, placed, namespaces=NAMESPACES)


def told(state: State | Skip, view: ClusterView, some: Sequence[Node]) -> list[str]:
    """The reason of each node, empty where it passes, in the order of the nodes."""
    rows = np.array([view.row_of(entry.metadata.name) for entry in some], np.intp)
    if isinstance(state, Skip):
        return ["" for _ in some]
    passes, reasons = RULE.feasible(state, rows), [RULE.reasons(state, row) for row in rows.tolist()]
    return ["" if passing else found for passing, (found, *_) in zip(passes, reasons, strict=True)]


def expected(pending: Pod, some: Sequence[Node], placed: Sequence[Pod]) -> list[str]:
    naive = Naive(pending, some, placed, NAMESPACES)
    return [WORDS.get(naive.refused(entry), "") for entry in some]


@few_worlds
@given(worlds())
def test_nodes_are_refused_as_told(world: tuple[list[Node], list[Pod], Pod]) -> None:
    some, placed, pending = world
    for view in views(some, placed):
        assert told(RULE.prepare(pod_info(pending), view), view, some) == expected(pending, some, placed)


@few_worlds
@given(worlds(), st.data())
def test_pods_added_and_removed_count_as_if_they_had_come_or_gone(
    world: tuple[list[Node], list[Pod], Pod], data: st.DataObject
) -> None:
    some, placed, pending = world
    name = data.draw(st.sampled_from([entry.metadata.name for entry in some]))
    here = [entry for entry in placed if entry.spec.node_name == name]
    gone = data.draw(st.lists(st.sampled_from(here), unique_by=id)) if here else []
    come = [data.draw(pods(f"come-{number}")) for number in range(data.draw(st.integers(0, 2)))]
    after = [*(entry for entry in placed if entry not in gone), *(entry.on(name).build() for entry in come)]
    add, remove = [entry.info() for entry in come], [pod_info(entry) for entry in gone]
    for view in views(some, placed):
        state, row = RULE.prepare(pod_info(pending), view), view.row_of(name)
        assert row is not None
        if isinstance(state, Skip):  # then kube-scheduler does not ask again either
            continue
        before = told(state, view, some)
        changed = RULE.with_pods(state, row, add, remove)
        assert told(changed, view, some) == expected(pending, some, after)
        assert told(state, view, some) == before
        assert told(RULE.with_pods(changed, row, remove, add), view, some) == before


@few_worlds
@given(worlds(), st.sampled_from((0, 1, 50)), st.booleans())
def test_nodes_score_as_told(world: tuple[list[Node], list[Pod], Pod], hard: int, ignore: bool) -> None:
    some, placed, pending = world
    args = {"hardPodAffinityWeight": hard, "ignorePreferredTermsOfExistingPods": ignore}
    rule = priority.InterPodAffinity("InterPodAffinity", InterPodAffinityArgs.model_validate(args))
    naive = Naive(pending, some, placed, NAMESPACES)
    points = [naive.points(entry, hard, ignore) for entry in some]
    for view in views(some, placed):
        state = rule.prepare(pod_info(pending), view)
        rows = np.array([view.row_of(entry.metadata.name) for entry in some], np.intp)
        found = [0] * len(some) if isinstance(state, Skip) else rule.score(state, rows).tolist()
        assert found == points
