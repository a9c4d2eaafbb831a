"""Pod affinity terms of placed pods, by distinct term and row; namespaces that selectors mean."""

import pytest
from tests.unit.engine.worlds import cluster, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cluster.namespaces import Namespaces
from pointsman.kube.objects import LabelSelector
from pointsman.policy.pod_query import NOTHING, Selector, selector_of
from pointsman.policy.view import TermKind
from pointsman.testing.builders import asks, node, pod, pod_term

HOST = "kubernetes.io/hostname"
FAR = pod_term(HOST, asks(app="web"))
NEAR = pod_term("zone", asks(app="db"))
APP_WEB = Selector((("app", "In", ("web",)),))


def carriers(world: Cluster, kind: TermKind) -> list[dict[str, int]]:
    """Node name -> number of carriers, for each distinct term."""
    found = [term.carriers for term in world.carried_terms(kind)]
    return [{world.node_name(at): int(counts[at]) for at in counts.nonzero()[0].tolist()} for counts in found]


def test_equal_terms_of_one_namespace_are_one_term() -> None:
    world = cluster(
        node("n1"),
        node("n2"),
        pod("a").far(FAR).on("n1"),
        pod("b").far(FAR).on("n1"),
        pod("c").far(FAR).on("n2"),
        pod("d", "other").far(FAR).on("n2"),
    )
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 2, "n2": 1}, {"n2": 1}]


def test_terms_that_list_their_namespaces_are_equal_wherever_they_stand() -> None:
    listed = pod_term(HOST, asks(app="web"), namespaces=("x", "y"))
    turned = pod_term(HOST, asks(app="web"), namespaces=("y", "x"))
    world = cluster(node("n1"), pod("a").far(listed).on("n1"), pod("b", "other").far(turned).on("n1"))
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 2}]


def test_each_kind_of_term_has_a_list_of_its_own() -> None:
    loaded = pod("a").near(NEAR).far(FAR).prefer_near((3, NEAR)).prefer_far((5, FAR), (7, FAR))
    world = cluster(node("n1"), loaded.on("n1"))
    told = {kind: [(term.topology_key, term.weight) for term in world.carried_terms(kind)] for kind in TermKind}
    assert told == {
        TermKind.REQUIRED: [("zone", 0)],
        TermKind.PREFERRED: [("zone", 3)],
        TermKind.REQUIRED_ANTI: [(HOST, 0)],
        TermKind.PREFERRED_ANTI: [(HOST, 5), (HOST, 7)],
    }


def test_a_term_tells_whom_it_means() -> None:
    everywhere = pod_term("zone", None, namespace_selector=asks())
    world = cluster(node("n1"), pod("a").far(FAR, everywhere).on("n1"))
    own, other = world.carried_terms(TermKind.REQUIRED_ANTI)
    assert (own.namespaces, own.namespace_selector, own.selector) == (frozenset({"default"}), NOTHING, APP_WEB)
    assert (other.namespaces, other.namespace_selector, other.selector) == (frozenset(), Selector(), NOTHING)


def test_a_term_that_a_pod_carries_twice_counts_twice() -> None:
    world = cluster(node("n1"), pod("a").far(FAR, FAR).on("n1"))
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 2}]


def test_a_term_goes_with_its_last_carrier() -> None:
    world = cluster(node("n1"), pod("a").far(FAR).on("n1"), pod("b").far(FAR).on("n1"))
    world.remove_pod("pod-default-a")
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 1}]
    world.remove_pod("pod-default-b")
    assert carriers(world, TermKind.REQUIRED_ANTI) == []


def test_assumed_pods_carry_their_terms_until_they_are_forgotten() -> None:
    """C33: the second replica must see the first while its binding is on the way."""
    world = cluster(node("n1"))
    world.assume(pod("a").far(FAR).info(), "n1")
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 1}]
    world.forget("pod-default-a")
    assert carriers(world, TermKind.REQUIRED_ANTI) == []


def test_pods_carry_their_terms_while_their_node_is_known() -> None:
    world = cluster(pod("a").far(FAR).on("n1"))
    assert carriers(world, TermKind.REQUIRED_ANTI) == []
    world.upsert_node(node("n1").build())
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 1}]
    world.remove_node("n1")
    assert carriers(world, TermKind.REQUIRED_ANTI) == []


def test_a_pod_that_is_seen_again_is_counted_once() -> None:
    world = cluster(node("n1"), pod("a").far(FAR).on("n1"))
    world.upsert_pod(pod("a").label("version", "2").far(FAR).on("n1").info())
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 1}]


def test_a_running_pods_terms_that_cannot_be_read_are_told_once_and_its_others_count(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bad = pod("a").near(pod_term("zone", asks(("app", "Like", "web")))).far(FAR)
    world = cluster(node("n1"), bad.on("n1"), bad.label("version", "2").on("n1"))
    assert carriers(world, TermKind.REQUIRED) == []
    assert carriers(world, TermKind.REQUIRED_ANTI) == [{"n1": 1}]
    (told,) = caplog.messages
    assert told.startswith("pod default/a: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]")
    assert told.endswith('"Like" is not one of In, NotIn, Exists, DoesNotExist; counted as nothing')


def test_columns_grow_with_the_cluster() -> None:
    world = Cluster(capacity=1)
    world.upsert_node(node("n1").build())
    world.upsert_pod(pod("a").far(FAR).on("n1").info())
    for name in ("n2", "n3"):
        world.upsert_node(node(name).build())
    world.upsert_pod(pod("b").far(FAR).on("n3").info())
    (term,) = world.carried_terms(TermKind.REQUIRED_ANTI)
    assert len(term.carriers) == world.capacity
    assert [int(term.carriers[row(world, name)]) for name in ("n1", "n2", "n3")] == [1, 0, 1]


def test_declared_features_follow_the_node() -> None:
    world = cluster(node("n1").status(declared_features=("A", "B")), node("n2"))
    assert world.declares("A")[[row(world, "n1"), row(world, "n2")]].tolist() == [True, False]
    world.upsert_node(node("n1").status(declared_features=("B",)).build())
    assert not world.declares("A").any()
    world.remove_node("n1")
    assert not world.declares("B").any()


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        (asks(), {"a", "b", "c"}),
        (asks(team="red"), {"a"}),
        (asks(("team", "Exists")), {"a", "b"}),
        (asks(("team", "NotIn", "red")), {"b", "c"}),
        (None, set()),
    ],
)
def test_a_selector_means_the_namespaces_whose_labels_match(selector: LabelSelector | None, names: set[str]) -> None:
    known = Namespaces()
    for name, labels in (("a", {"team": "red"}), ("b", {"team": "blue"}), ("c", {})):
        assert known.put(name, labels)
    assert known.matching(selector_of(selector)) == names


def test_what_a_selector_means_follows_the_namespaces() -> None:
    known = Namespaces(max_selectors=1)
    red, blue = (selector_of(asks(team=team)) for team in ("red", "blue"))
    assert known.matching(red) == set()
    known.put("a", {"team": "red"})
    assert not known.put("a", {"team": "red"})
    assert known.matching(red) == {"a"}
    known.put("a", {"team": "blue"})
    assert known.matching(red) == set()
    assert known.matching(blue) == {"a"}
    assert known.discard("a")
    assert not known.discard("a")
    assert known.matching(red) == set()
    assert known.matching(blue) == set()
