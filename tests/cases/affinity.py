"""Section C: affinity and anti-affinity between pods."""

from typing import Final

from pointsman.testing.builders import asks, node, pod, pod_term
from tests.cases.situation import Situation, fits, refused

HOST: Final = "kubernetes.io/hostname"
EXISTING: Final = "node(s) didn't satisfy existing pods anti-affinity rules"
OWN: Final = "node(s) didn't match pod anti-affinity rules"

# A pod counts only if it matches all terms: the running one does not, and the new one matches its own.
_FIRST: Final = Situation(
    "C28",
    "the first pod of its group",
    nodes=(node("n1").label("zone", "a"), node("n2").label("zone", "b")),
    pods=(pod("a").label("app", "a").on("n1"),),
    pod=pod("p")
    .label("app", "a")
    .label("tier", "b")
    .near(pod_term(HOST, asks(app="a")), pod_term("zone", asks(tier="b"))),
    expected=fits("n1", "n2"),
)

_GUARD: Final = pod("z").label("app", "z").far(pod_term(HOST, asks(tier="x"))).on("n1")
_SYMMETRIC: Final = tuple(
    Situation("C31", name, nodes=(node("n1"), node("n2")), pods=pods, pod=incoming, expected=expected)
    for name, pods, incoming, expected in (
        ("a running pod keeps others away", (_GUARD,), pod("p").label("tier", "x"), fits("n2")),
        ("those that it does not name may come", (_GUARD,), pod("p").label("tier", "y"), fits("n1", "n2")),
        ("it is gone", (), pod("p").label("tier", "x"), fits("n1", "n2")),
    )
)

_APART: Final = pod_term(HOST, asks(app="a"))
_MUTUAL: Final = Situation(
    "C33",
    "the other half of a pair is there already",
    nodes=(node("n1").cpu("4"),),
    pods=(pod("p1").label("app", "a").far(_APART).on("n1"),),
    pod=pod("p2").label("app", "a").far(_APART),
    expected=refused(1, f"1 {OWN}"),
)

SITUATIONS: Final = (_FIRST, *_SYMMETRIC, _MUTUAL)
