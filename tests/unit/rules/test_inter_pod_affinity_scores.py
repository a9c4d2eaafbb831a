"""InterPodAffinity, the priority: weights of terms in both directions (scheduler-semantics.md 2.13.5 and 2.13.6).

Nodes n1 and n2 are in zone a, n3 is in zone b, n4 in none.
"""

from typing import Any

import numpy as np
import pytest
from tests.unit.rules.view import HandView, raw_scores, scores

from pointsman.kube.objects import PodAffinityTerm
from pointsman.policy.inter_pod_affinity_args import InterPodAffinityArgs
from pointsman.policy.priorities.inter_pod_affinity import InterPodAffinity
from pointsman.testing.builders import PodBuilder, asks, node, pod, pod_term

HOST = "kubernetes.io/hostname"
NODES = [
    *(node(name).label("zone", zone).build() for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))),
    node("n4").build(),
]
NAMESPACES = {"default": {"team": "red"}, "other": {"team": "blue"}}


def rule(**args: Any) -> InterPodAffinity:
    return InterPodAffinity("InterPodAffinity", InterPodAffinityArgs.model_validate(args))


def world(*running: PodBuilder) -> HandView:
    return HandView(NODES, [builder.build() for builder in running], namespaces=NAMESPACES)


def web(name: str, on: str = "", namespace: str = "default") -> PodBuilder:
    built = pod(name, namespace).label("app", "web")
    return built.on(on) if on else built


def by_zone(**fields: object) -> PodAffinityTerm:
    return pod_term("zone", asks(app="web"), **fields)


PENDING = pod("p")
WEB = web("p")
OWN: dict[str, tuple[PodBuilder, list[PodBuilder], list[int] | None]] = {
    # weight per pod that matches, for all nodes of its zone
    "affinity": (PENDING.prefer_near((5, by_zone())), [web("v", "n1"), web("w", "n1")], [10, 10, 0, 0]),
    "anti-affinity": (PENDING.prefer_far((5, by_zone())), [web("v", "n1"), web("w", "n3")], [-5, -5, -5, 0]),
    "several terms, one key": (
        PENDING.prefer_near((5, by_zone()), (2, pod_term("zone", asks(tier="1")))),
        [web("v", "n1").label("tier", "1"), web("w", "n3")],
        [7, 7, 5, 0],
    ),
    "several keys": (
        PENDING.prefer_near((5, by_zone()), (2, pod_term(HOST, asks(app="web")))),
        [web("v", "n1"), web("w", "n3")],
        [7, 5, 7, 0],
    ),
    "both, which cancel each other": (
        PENDING.prefer_near((5, by_zone())).prefer_far((5, by_zone())),
        [web("v", "n1")],
        None,
    ),
    "both": (
        PENDING.prefer_near((50, by_zone())).prefer_far((20, pod_term(HOST, asks(app="web")))),
        [web("v", "n1")],
        [30, 50, 0, 0],
    ),
    "terminating pods count": (PENDING.prefer_near((5, by_zone())), [web("v", "n3").terminating()], [0, 0, 5, 0]),
    "nobody matches": (PENDING.prefer_near((5, by_zone())), [pod("v").on("n1")], None),
    "on a node without the key": (PENDING.prefer_near((5, by_zone())), [web("v", "n4")], None),
    "another namespace": (PENDING.prefer_near((5, by_zone())), [web("v", "n1", "other")], None),
    "by the namespace's labels": (
        PENDING.prefer_near((5, by_zone(namespace_selector=asks(team="blue")))),
        [web("v", "n1", "other"), web("w", "n3")],
        [5, 5, 0, 0],
    ),
    # kubernetes issue 141526, as in the predicate
    "the quirk of namespace selectors": (
        PENDING.prefer_near((5, by_zone(namespace_selector=asks(("team", "NotIn", "blue"))))),
        [web("v", "n1", "other"), web("w", "n3")],
        [5, 5, 5, 0],
    ),
    "required terms of its own add nothing": (PENDING.near(by_zone()).far(by_zone()), [web("v", "n1")], None),
}
OTHERS: dict[str, tuple[PodBuilder, list[PodBuilder], list[int] | None]] = {
    "preferred affinity": (WEB, [pod("v").prefer_near((7, by_zone())).on("n1")], [7, 7, 0, 0]),
    "preferred anti-affinity": (WEB, [pod("v").prefer_far((7, by_zone())).on("n3")], [0, 0, -7, 0]),
    "required affinity weighs 1": (WEB, [pod("v").near(by_zone()).on("n1")], [1, 1, 0, 0]),
    "required anti-affinity weighs nothing": (WEB, [pod("v").far(by_zone()).on("n1")], None),
    "every carrier counts": (
        WEB,
        [pod(name).prefer_near((7, by_zone())).on(on) for name, on in (("u", "n1"), ("v", "n1"), ("w", "n2"))],
        [21, 21, 0, 0],
    ),
    "every term counts": (WEB, [pod("v").prefer_near((7, by_zone()), (7, by_zone())).on("n1")], [14, 14, 0, 0]),
    "the pod does not match": (PENDING, [pod("v").prefer_near((7, by_zone())).on("n1")], None),
    "from another namespace": (WEB, [pod("v", "other").prefer_near((7, by_zone())).on("n1")], None),
    "from another namespace by the labels of this one": (
        WEB,
        [pod("v", "other").prefer_near((7, by_zone(namespace_selector=asks(team="red")))).on("n1")],
        [7, 7, 0, 0],
    ),
    "no quirk in this direction": (
        WEB,
        [pod("v").prefer_near((7, by_zone(namespace_selector=asks(("team", "NotIn", "red"))))).on("n1")],
        None,
    ),
    "both directions": (
        WEB.prefer_near((5, by_zone())),
        [web("v", "n1").prefer_far((7, pod_term(HOST, asks(app="web"))))],
        [-2, 5, 0, 0],
    ),
}


@pytest.mark.parametrize(("pending", "running", "points"), OWN.values(), ids=OWN)
def test_its_own_terms_weigh_once_for_each_pod_that_matches(
    pending: PodBuilder, running: list[PodBuilder], points: list[int] | None
) -> None:
    assert raw_scores(rule(), world(*running), pending.info()) == points


@pytest.mark.parametrize(("pending", "running", "points"), OTHERS.values(), ids=OTHERS)
def test_terms_of_running_pods_weigh_when_they_mean_it(
    pending: PodBuilder, running: list[PodBuilder], points: list[int] | None
) -> None:
    assert raw_scores(rule(), world(*running), pending.info()) == points


HARD = pod("v").near(by_zone()).on("n1")
SOFT = pod("w").prefer_far((7, by_zone())).on("n3")


@pytest.mark.parametrize(
    ("args", "pending", "points"),
    [
        pytest.param({}, WEB, [1, 1, -7, 0], id="defaults"),
        pytest.param({"hardPodAffinityWeight": 100}, WEB, [100, 100, -7, 0], id="a heavy required affinity"),
        pytest.param({"hardPodAffinityWeight": 0}, WEB, [0, 0, -7, 0], id="a weightless required affinity"),
        pytest.param({"ignorePreferredTermsOfExistingPods": True}, WEB, None, id="others ignored"),
        pytest.param(
            {"ignorePreferredTermsOfExistingPods": True},
            WEB.prefer_near((3, pod_term(HOST, asks(app="none")))),
            [1, 1, -7, 0],
            id="others ignored, but the pod has preferences",
        ),
    ],
)
def test_args_change_what_terms_of_running_pods_weigh(
    args: dict[str, Any], pending: PodBuilder, points: list[int] | None
) -> None:
    assert raw_scores(rule(**args), world(HARD, SOFT), pending.info()) == points


@pytest.mark.parametrize(
    ("raw", "normalized"),
    [
        # scheduler-semantics.md 14.5: 100 * (s - min) / (max - min), cut
        ([-10, 0, 20], [0, 33, 100]),
        ([1, 2, 4, 8], [0, 14, 42, 100]),
        ([5, 5], [0, 0]),
        ([-3], [0]),
        ([], []),
        # 29 of 100 is 28.999999999999996 in binary
        ([0, 29, 100], [0, 28, 100]),
        # 2**31 - 1 a pod, a thousand pods on each of two rows
        ([-(2**31) * 1000, 0, (2**31 - 1) * 1000], [0, 50, 100]),
    ],
)
def test_points_are_stretched_between_the_least_and_the_most(raw: list[int], normalized: list[int]) -> None:
    result = rule().normalize((), np.array(raw, dtype=np.int64))
    assert result.dtype == np.int64
    assert result.tolist() == normalized


def test_a_pod_draws_others_of_its_kind() -> None:
    """Raw 10, 10, -5, 0: stretched over 15, (0 + 5) / 15 is 33."""
    pending = PENDING.prefer_near((5, by_zone())).prefer_far((5, pod_term(HOST, asks(app="db"))))
    view = world(web("v", "n1"), web("w", "n2"), pod("x").label("app", "db").on("n3"))
    assert scores(rule(), view, pending.info()) == [100, 100, 0, 33]
