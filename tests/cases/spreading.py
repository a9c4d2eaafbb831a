"""Section B: topology spread constraints."""

from typing import Any, Final

from pointsman.kube.objects import LabelSelector
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, node, pod
from tests.cases.situation import Situation, fits, refused

HOST: Final = "kubernetes.io/hostname"
SKEWED: Final = "node(s) didn't match pod topology spread constraints"
UNLABELLED: Final = f"{SKEWED} (missing required label)"
TAINTED: Final = "node(s) had untolerated taint(s)"
APP: Final = asks(app="x")


def _spread(incoming: PodBuilder, selector: LabelSelector | None = APP, **fields: Any) -> PodBuilder:
    """One constraint over nodes, with a skew of at most 1."""
    return incoming.spread(fields.pop("key", HOST), selector, max_skew=1, **fields)


def _apps(**counts: int) -> tuple[PodBuilder, ...]:
    """So many pods of the app on each node."""
    return tuple(pod(f"{name}-{i}").label("app", "x").on(name) for name, count in counts.items() for i in range(count))


_NEW: Final = pod("p").label("app", "x")

# The empty tainted node keeps the minimum at 0: 1 + 1 - 0 > 1. With Honor it is none of the domains: 1 + 1 - 1 <= 1.
_CONTROL_PLANE: Final = tuple(
    Situation(
        "C20",
        f"one pod on each worker, taints: {policy}",
        nodes=(node("cp").taint("role", "cp"), node("w1"), node("w2"), node("w3")),
        pods=_apps(w1=1, w2=1, w3=1),
        pod=_spread(_NEW, node_taints_policy=policy),
        expected=expected,
    )
    for policy, expected in (
        ("Ignore", refused(4, f"1 {TAINTED}", f"3 {SKEWED}")),
        ("Honor", fits("w1", "w2", "w3")),
    )
)

_CORDON: Final = tuple(
    Situation(
        "C21",
        name,
        nodes=nodes,
        pods=_apps(a=2, b=2),
        pod=_spread(_NEW, node_taints_policy=policy),
        expected=expected,
    )
    for old in [node("old").unschedulable().taint("node.kubernetes.io/unschedulable")]
    for name, nodes, policy, expected in (
        (
            "the cordoned node counts",
            (node("a"), node("b"), old),
            "Ignore",
            refused(3, "1 node(s) were unschedulable", f"2 {SKEWED}"),
        ),
        ("it is gone", (node("a"), node("b")), "Ignore", fits("a", "b")),
        ("taints are honoured", (node("a"), node("b"), old), "Honor", fits("a", "b")),
    )
)

_LABELLED: Final = (node("n1").label("zone", "a"), node("n2"))
_KEYLESS: Final = (
    Situation("C22", "a node lacks the key", nodes=_LABELLED, pod=_spread(_NEW, key="zone"), expected=fits("n1")),
    Situation(
        "C22",
        "no node has the key",
        nodes=_LABELLED,
        pod=_spread(_NEW, key="rack"),
        expected=refused(
            2, f"2 {UNLABELLED}", preemption="0/2 nodes are available: 2 Preemption is not helpful for scheduling."
        ),
    ),
    Situation(
        "C22",
        "no node has the key of a wish",
        nodes=_LABELLED,
        pod=_spread(_NEW, key="rack", when="ScheduleAnyway"),
        expected=fits("n1", "n2"),
    ),
)

# An absent selector matches nothing. An empty one matches every pod, yet kube-scheduler 1.36 counts none for it
# (fixed in 1.38): on both nodes 0 + 1 - 0 <= 1.
_SELECTORS: Final = tuple(
    Situation(
        "C23",
        name,
        nodes=(node("n1"), node("n2")),
        pods=tuple(pod(f"any-{i}").label("any", str(i)).on("n1") for i in range(5)),
        pod=_spread(pod("p"), selector),
        expected=fits("n1", "n2"),
    )
    for name, selector in (("no selector", None), ("an empty selector", LabelSelector()))
)

_HASH: Final = "pod-template-hash"
_OLD: Final = tuple(old.label(_HASH, "old") for old in _apps(n1=2, n2=2, n3=1))
_REVISION: Final = _NEW.label(_HASH, "new")
# By app alone 2 + 1 - 1 > 1 on n1 and n2; the new revision has 0 everywhere.
_ROLLOUTS: Final = tuple(
    Situation("C24", name, nodes=(node("n1"), node("n2"), node("n3")), pods=_OLD, pod=incoming, expected=expected)
    for name, incoming, expected in (
        ("all revisions count", _spread(_REVISION), fits("n3")),
        ("only the new one counts", _spread(_REVISION, match_label_keys=(_HASH,)), fits("n1", "n2", "n3")),
        ("a key that the pod lacks is ignored", _spread(_REVISION, match_label_keys=("not-on-this-pod",)), fits("n3")),
    )
)
_MERGED: Final = Situation(
    "C24",
    "selector and key say the same",
    nodes=(node("n1"), node("n2"), node("n3")),
    pods=_OLD,
    pod=_spread(_REVISION, asks((_HASH, "In", "new"), app="x"), match_label_keys=(_HASH,)),
    expected=fits("n1", "n2", "n3"),
    engine_only="the API server merges keys into selectors and takes no pod that has them in both",
)

# Pods of other namespaces and those that end do not count, the pod itself is not selected: skew 1 - 0 and 2 - 0.
_STRANGERS: Final = tuple(
    Situation(
        "C25",
        f"{count} on n1 that count",
        nodes=(node("n1"), node("n2")),
        pods=(
            *(pod(f"web-{i}").label("app", "web").on("n1") for i in range(count)),
            *(pod(f"web-{i}", "other").label("app", "web").on("n2") for i in range(3)),
            *(pod(f"going-{i}").label("app", "web").on("n2").terminating() for i in range(2)),
        ),
        pod=_spread(pod("p").label("app", "api"), asks(app="web")),
        expected=expected,
    )
    for count, expected in ((1, fits("n1", "n2")), (2, fits("n2")))
)


def _zone(name: str) -> NodeBuilder:
    return node(name).label("zone", name)


# 2 + 1 - 2 <= 1 over two domains; with fewer domains than wanted the minimum is 0: 2 + 1 - 0 > 1.
_OUTAGE: Final = tuple(
    Situation(
        "C27",
        f"a zone is out, at least {domains or 1} domains",
        nodes=(_zone("a"), _zone("b"), _zone("c").taint("out")),
        pods=_apps(a=2, b=2),
        pod=_spread(_NEW, key="zone", node_taints_policy="Honor", min_domains=domains),
        expected=expected,
    )
    for domains, expected in ((None, fits("a", "b")), (3, refused(3, f"1 {TAINTED}", f"2 {SKEWED}")))
)

SITUATIONS: Final = (
    *_CONTROL_PLANE,
    *_CORDON,
    *_KEYLESS,
    *_SELECTORS,
    *_ROLLOUTS,
    _MERGED,
    *_STRANGERS,
    *_OUTAGE,
)
