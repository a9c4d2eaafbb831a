"""InterPodAffinity, the predicate: required terms of the pod, and of running pods (scheduler-semantics.md 2.13)."""

import pytest
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import PodAffinityTerm
from pointsman.policy.args import Args
from pointsman.policy.predicates.inter_pod_affinity import InterPodAffinity, State
from pointsman.policy.rule import SKIP
from pointsman.testing.builders import PodBuilder, asks, node, pod, pod_term

RULE = InterPodAffinity("InterPodAffinity", Args())
HOST = "kubernetes.io/hostname"
# n1 and n2 are in zone a, n3 is in zone b, n4 in none
NODES = [
    *(node(name).label("zone", zone).build() for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))),
    node("n4").build(),
]
NAMESPACES = {"default": {"team": "red"}, "other": {"team": "blue"}, "bare": {}}
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"


def world(*running: PodBuilder) -> HandView:
    return HandView(NODES, [builder.build() for builder in running], namespaces=NAMESPACES)


def web(name: str, on: str, namespace: str = "default") -> PodBuilder:
    return pod(name, namespace).label("app", "web").on(on)


def by_zone(**fields: object) -> PodAffinityTerm:
    return pod_term("zone", asks(app="web"), **fields)


ALL = ["n1", "n2", "n3", "n4"]
PENDING = pod("p")

NEAR: dict[str, tuple[PodBuilder, list[PodBuilder], list[str]]] = {
    "in the zone of a pod that matches": (PENDING.near(by_zone()), [web("w", "n1")], ["n1", "n2"]),
    "in both zones": (PENDING.near(by_zone()), [web("v", "n1"), web("w", "n3")], ["n1", "n2", "n3"]),
    "nobody matches": (PENDING.near(by_zone()), [pod("w").label("app", "db").on("n1")], []),
    "a pod without the label": (PENDING.near(by_zone()), [pod("w").on("n1")], []),
    "on a node without the key": (PENDING.near(by_zone()), [web("w", "n4")], []),
    "on an unknown node": (PENDING.near(by_zone()), [web("w", "n9")], []),
    "terminating pods count": (PENDING.near(by_zone()), [web("w", "n3").terminating()], ["n3"]),
    "an empty selector matches all": (PENDING.near(pod_term("zone", asks())), [pod("w").on("n3")], ["n3"]),
    "no selector matches none": (PENDING.near(pod_term("zone", None)), [web("w", "n3")], []),
    "by expression": (
        PENDING.near(pod_term("zone", asks(("app", "In", "web", "api"), ("tier", "DoesNotExist")))),
        [web("v", "n1").label("tier", "1"), web("w", "n3")],
        ["n3"],
    ),
    # C28's neighbour: one pod must match all terms, and the node needs every key
    "two terms, one pod matches both": (
        PENDING.near(by_zone(), pod_term(HOST, asks(tier="1"))),
        [web("v", "n1"), web("w", "n2").label("tier", "1")],
        ["n2"],
    ),
    "two terms, two pods match one each": (
        PENDING.near(by_zone(), pod_term(HOST, asks(tier="1"))),
        [web("v", "n1"), pod("w").label("tier", "1").on("n1")],
        [],
    ),
    "two terms, a pod that matches both stands where a key is missing": (
        PENDING.near(by_zone(), pod_term(HOST, asks(tier="1"))),
        [web("v", "n4").label("tier", "1")],
        [],
    ),
    # the exception for the first pod of a group
    "the first of its group": (PENDING.label("app", "web").near(by_zone()), [], ["n1", "n2", "n3"]),
    "not the first: one runs": (PENDING.label("app", "web").near(by_zone()), [web("w", "n3")], ["n3"]),
    "one runs where it counts for nothing": (
        PENDING.label("app", "web").near(by_zone()),
        [web("w", "n4")],
        ["n1", "n2", "n3"],
    ),
    "one runs in another namespace": (
        PENDING.label("app", "web").near(by_zone()),
        [web("w", "n3", "other")],
        ["n1", "n2", "n3"],
    ),
    "C28: the first pod of a group with several terms": (
        PENDING.label("app", "a")
        .label("tier", "b")
        .near(pod_term(HOST, asks(app="a")), pod_term("zone", asks(tier="b"))),
        [pod("w").label("app", "a").on("n1")],
        ["n1", "n2", "n3"],
    ),
    "the first, but it does not match all of its own terms": (
        PENDING.label("app", "web").near(by_zone(), pod_term(HOST, asks(tier="1"))),
        [],
        [],
    ),
    "the first, but its terms mean another namespace": (
        PENDING.label("app", "web").near(by_zone(namespaces=("other",))),
        [],
        [],
    ),
}

FAR: dict[str, tuple[PodBuilder, list[PodBuilder], list[str]]] = {
    "out of the zone of a pod that matches": (PENDING.far(by_zone()), [web("w", "n1")], ["n3", "n4"]),
    "nobody matches": (PENDING.far(by_zone()), [], ALL),
    "on a node without the key": (PENDING.far(by_zone()), [web("w", "n4")], ALL),
    "terminating pods count": (PENDING.far(by_zone()), [web("w", "n3").terminating()], ["n1", "n2", "n4"]),
    "each term on its own": (
        PENDING.far(by_zone(), pod_term(HOST, asks(tier="1"))),
        [web("v", "n3"), pod("w").label("tier", "1").on("n2")],
        ["n1", "n4"],
    ),
    "two terms with one key": (
        PENDING.far(pod_term(HOST, asks(app="web")), pod_term(HOST, asks(tier="1"))),
        [web("v", "n3"), pod("w").label("tier", "1").on("n2")],
        ["n1", "n4"],
    ),
    "itself does not count": (PENDING.label("app", "web").far(by_zone()), [], ALL),
}


def shunning(*terms: PodAffinityTerm, on: str = "n1", namespace: str = "default") -> PodBuilder:
    return pod("z", namespace).far(*terms).on(on)


KEPT_AWAY: dict[str, tuple[PodBuilder, list[PodBuilder], list[str]]] = {
    "C31: a running pod's term matches": (
        PENDING.label("tier", "x"),
        [shunning(pod_term(HOST, asks(tier="x"))).label("app", "z")],
        ["n2", "n3", "n4"],
    ),
    "C31: a pod without the label": (PENDING, [shunning(pod_term(HOST, asks(tier="x")))], ALL),
    "in the whole zone": (web("p", ""), [shunning(by_zone())], ["n3", "n4"]),
    "its node lacks the key": (web("p", ""), [shunning(by_zone(), on="n4")], ALL),
    "on an unknown node": (web("p", ""), [shunning(by_zone(), on="n9")], ALL),
    "terminating": (web("p", ""), [shunning(by_zone()).terminating()], ["n3", "n4"]),
    "an empty selector matches all": (PENDING, [shunning(pod_term("zone", asks()))], ["n3", "n4"]),
    "no selector matches none": (PENDING, [shunning(pod_term("zone", None))], ALL),
    "from another namespace": (web("p", ""), [shunning(by_zone(), namespace="other")], ALL),
    "from another namespace that names this one": (
        web("p", ""),
        [shunning(by_zone(namespaces=("default",)), namespace="other")],
        ["n3", "n4"],
    ),
    "that names another": (web("p", ""), [shunning(by_zone(namespaces=("other",)))], ALL),
    "by the namespace's labels": (
        web("p", ""),
        [shunning(by_zone(namespace_selector=asks(team="red")), namespace="other")],
        ["n3", "n4"],
    ),
    "not by the namespace's labels": (web("p", ""), [shunning(by_zone(namespace_selector=asks(team="blue")))], ALL),
    # unlike the incoming pod's own selectors, a running pod's are asked with the labels
    "a selector that the namespace does not satisfy": (
        web("p", ""),
        [shunning(by_zone(namespace_selector=asks(("team", "DoesNotExist"))))],
        ALL,
    ),
    "a selector that an unknown namespace satisfies": (
        web("p", "", "unknown"),
        [shunning(by_zone(namespace_selector=asks(("team", "DoesNotExist"))))],
        ["n3", "n4"],
    ),
    "all namespaces": (
        web("p", ""),
        [shunning(by_zone(namespace_selector=asks()), namespace="other")],
        ["n3", "n4"],
    ),
    "its required affinity and preferences keep nobody away": (
        web("p", ""),
        [pod("z").near(by_zone()).prefer_far((100, by_zone())).on("n1")],
        ALL,
    ),
}

# Where the pods of app web run: n1 in default, n3 in other.
SPREAD_OUT = [web("v", "n1"), web("w", "n3", "other")]
NAMESPACED: dict[str, tuple[PodBuilder, list[PodBuilder], list[str]]] = {
    "its own namespace": (PENDING.near(by_zone()), SPREAD_OUT, ["n1", "n2"]),
    "a listed one": (PENDING.near(by_zone(namespaces=("other",))), SPREAD_OUT, ["n3"]),
    "by labels": (PENDING.near(by_zone(namespace_selector=asks(team="blue"))), SPREAD_OUT, ["n3"]),
    "by labels that none has": (PENDING.near(by_zone(namespace_selector=asks(team="green"))), SPREAD_OUT, []),
    "listed or by labels": (
        PENDING.near(by_zone(namespaces=("default",), namespace_selector=asks(team="blue"))),
        SPREAD_OUT,
        ["n1", "n2", "n3"],
    ),
    "all": (PENDING.near(by_zone(namespace_selector=asks())), SPREAD_OUT, ["n1", "n2", "n3"]),
    # kubernetes issue 141526: a selector that no labels satisfy means every namespace, even one that has the label
    "the quirk, NotIn": (
        PENDING.near(by_zone(namespace_selector=asks(("team", "NotIn", "blue")))),
        SPREAD_OUT,
        ["n1", "n2", "n3"],
    ),
    "the quirk, DoesNotExist": (
        PENDING.near(by_zone(namespace_selector=asks(("team", "DoesNotExist")))),
        SPREAD_OUT,
        ["n1", "n2", "n3"],
    ),
    "no quirk, Exists": (
        PENDING.near(by_zone(namespace_selector=asks(("team", "Exists")))),
        SPREAD_OUT,
        ["n1", "n2", "n3"],
    ),
    "no quirk with another requirement": (
        PENDING.near(by_zone(namespace_selector=asks(("team", "NotIn", "red"), ("team", "Exists")))),
        SPREAD_OUT,
        ["n3"],
    ),
    "anti-affinity by labels": (
        PENDING.far(by_zone(namespace_selector=asks(team="blue"))),
        SPREAD_OUT,
        ["n1", "n2", "n4"],
    ),
    "anti-affinity, the quirk": (
        PENDING.far(by_zone(namespace_selector=asks(("team", "NotIn", "blue")))),
        SPREAD_OUT,
        ["n4"],
    ),
}


@pytest.mark.parametrize(("pending", "running", "fits"), NEAR.values(), ids=NEAR)
def test_it_runs_near_the_pods_that_it_asks_for(
    pending: PodBuilder, running: list[PodBuilder], fits: list[str]
) -> None:
    view = world(*running)
    assert feasible(RULE, view, pending.info()) == fits
    assert reasons(RULE, view, pending.info()) == {name: (AFFINITY,) for name in ALL if name not in fits}


@pytest.mark.parametrize(("pending", "running", "fits"), FAR.values(), ids=FAR)
def test_it_runs_far_from_the_pods_that_it_shuns(
    pending: PodBuilder, running: list[PodBuilder], fits: list[str]
) -> None:
    view = world(*running)
    assert feasible(RULE, view, pending.info()) == fits
    assert reasons(RULE, view, pending.info()) == {name: (ANTI,) for name in ALL if name not in fits}


@pytest.mark.parametrize(("pending", "running", "fits"), KEPT_AWAY.values(), ids=KEPT_AWAY)
def test_it_runs_far_from_the_pods_that_shun_it(
    pending: PodBuilder, running: list[PodBuilder], fits: list[str]
) -> None:
    view = world(*running)
    if fits == ALL:
        assert RULE.prepare(pending.info(), view) is SKIP
        return
    assert feasible(RULE, view, pending.info()) == fits
    assert reasons(RULE, view, pending.info()) == {name: (EXISTING,) for name in ALL if name not in fits}


@pytest.mark.parametrize(("pending", "running", "fits"), NAMESPACED.values(), ids=NAMESPACED)
def test_its_terms_mean_pods_of_certain_namespaces(
    pending: PodBuilder, running: list[PodBuilder], fits: list[str]
) -> None:
    assert feasible(RULE, world(*running), pending.info()) == fits


def test_the_first_check_that_fails_gives_the_reason_and_says_whether_fewer_pods_could_help() -> None:
    """n1 fails all three, n2 its own anti-affinity and the running pod's, n3 the running pod's, n4 none."""
    pending = pod("p").label("app", "web").near(pod_term("rack", asks(app="db"))).far(pod_term("row", asks(app="db")))
    racks = {"n1": ("0", "x"), "n2": ("1", "x"), "n3": ("1", "y"), "n4": ("1", "z")}
    nodes = [
        node(name).label("rack", rack).label("row", row).label("free", str(name == "n4")).build()
        for name, (rack, row) in racks.items()
    ]
    running = [
        pod("db").label("app", "db").on("n2"),
        shunning(pod_term("free", asks(app="web")), on="n3"),
    ]
    view = HandView(nodes, [builder.build() for builder in running])
    assert reasons(RULE, view, pending.info()) == {"n1": (AFFINITY,), "n2": (ANTI,), "n3": (EXISTING,)}
    state = RULE.prepare(pending.info(), view)
    assert isinstance(state, State)
    assert RULE.count_reasons(state, view.rows[:3]) == {AFFINITY: 1, ANTI: 1, EXISTING: 1}
    assert RULE.resolvable(state, view.rows[:3]).tolist() == [False, True, True]
