"""Section E, and the case of section D that preemption is part of: who has to make room, and where nothing helps."""

from typing import Final

from pointsman.testing.builders import asks, node, pod, pod_term, term
from tests.cases.situation import Situation, fits, preempts, refused

HOST: Final = "kubernetes.io/hostname"
ELSEWHERE: Final = "node(s) didn't satisfy plugin(s) [NodeAffinity]"

# What pins the pod names its node, so that the others are not even looked at.
_PINNED: Final = tuple(
    Situation(
        "C43",
        f"a pod of a DaemonSet, priority {priority}",
        nodes=(node("n1").cpu("1"), node("n2"), node("n3")),
        pods=(pod("old").container(cpu="1").on("n1"),),
        pod=pod("p").container(cpu="1").priority(priority).require(term(fields=[("metadata.name", "In", "n1")])),
        expected=expected,
    )
    for priority, expected in (
        (
            0,
            refused(
                3,
                "1 Insufficient cpu",
                f"2 {ELSEWHERE}",
                preemption="0/3 nodes are available: 1 No preemption victims found for incoming pod, "
                "2 Preemption is not helpful for scheduling.",
            ),
        ),
        (1000, preempts("n1", "old")),
    )
)

_THREE: Final = (
    pod("v1").priority(10).container(cpu="2").on("n1"),
    pod("v2").priority(20).container(cpu="1").label("app", "v2").on("n1"),
    pod("v3").priority(30).container(cpu="1").on("n1"),
)
_MINIMAL: Final = (
    Situation(
        "C51",
        "the more important ones come back first",
        nodes=(node("n1").cpu("4"),),
        pods=_THREE,
        pod=pod("p").priority(100).container(cpu="1"),
        expected=preempts("n1", "v1"),
    ),
    Situation(
        "C51",
        "nobody leaves for a pod that needs one of them",
        nodes=(node("n1").cpu("4"),),
        pods=_THREE,
        pod=pod("p").priority(100).container(cpu="1").near(pod_term(HOST, asks(app="v2"))),
        expected=refused(
            1,
            "1 Insufficient cpu",
            preemption="0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
        ),
    ),
    Situation(
        "C51",
        "nobody leaves for a pod of the same priority",
        nodes=(node("n1").cpu("4"),),
        pods=_THREE,
        pod=pod("p").priority(10).container(cpu="1"),
        expected=refused(
            1,
            "1 Insufficient cpu",
            preemption="0/1 nodes are available: 1 No preemption victims found for incoming pod.",
        ),
    ),
)

# tolerationSeconds is about eviction: it is not even read for placement.
_SHORT_STAY: Final = Situation(
    "C38",
    "a toleration for a while is a toleration",
    nodes=(node("n1").taint("foo", effect="NoExecute"),),
    pod=pod("p").tolerate("foo", effect="NoExecute"),
    expected=fits("n1"),
)

SITUATIONS: Final = (*_PINNED, *_MINIMAL, _SHORT_STAY)
