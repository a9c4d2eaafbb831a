"""Which changes wake a pod that PodTopologySpread rejected (isSchedulableAfterPodChange and its like, 1.36)."""

import pytest
from tests.unit.rules.test_pod_topology_spread import WEB, view, web
from tests.unit.rules.view import HandView

from pointsman.kube.objects import Metadata
from pointsman.kube.workload_objects import Service, ServiceSpec
from pointsman.policy.predicates.pod_topology_spread import PodTopologySpread
from pointsman.policy.rule import Change, Happening
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, node, pod

RULE = PodTopologySpread("PodTopologySpread", PodTopologySpreadArgs())
EMPTY = HandView([])
PENDING = web().spread("zone", WEB)
HEEDING = web().spread("zone", WEB, node_taints_policy="Honor")


def wakes(pending: PodBuilder, change: Change, by: PodTopologySpread = RULE) -> bool:
    assert by.wakes_on.hint is not None
    return bool(change.happening & by.wakes_on.on) and by.wakes_on.hint(pending.info(), change)


def about(happening: Happening, other: PodBuilder, before: PodBuilder | None = None) -> Change:
    return Change(happening, EMPTY, pod=other.info(), old_pod=None if before is None else before.info())


def on_node(happening: Happening, target: NodeBuilder) -> Change:
    return Change(happening, view([target]), row=1)


@pytest.mark.parametrize(
    ("other", "woken"),
    [
        pytest.param(web("other"), True, id="one that is counted"),
        pytest.param(pod("other"), False, id="one that is not"),
        pytest.param(web("other", "elsewhere"), False, id="one of another namespace"),
    ],
)
@pytest.mark.parametrize("happening", [Happening.POD_ADD, Happening.POD_DELETE])
def test_pods_that_come_or_go_wake_if_they_are_counted(happening: Happening, other: PodBuilder, woken: bool) -> None:
    """A pod that comes may raise the minimum."""
    assert wakes(PENDING, about(happening, other.on("n"))) is woken


@pytest.mark.parametrize(
    ("before", "after", "woken"),
    [
        pytest.param(pod("o"), web("o"), True, id="is counted from now on"),
        pytest.param(web("o"), pod("o"), True, id="is counted no more"),
        pytest.param(web("o"), web("o").label("tier", "x"), False, id="is counted as before"),
        pytest.param(pod("o"), pod("o").label("tier", "x"), False, id="still is not counted"),
        pytest.param(pod("o", "elsewhere"), web("o", "elsewhere"), False, id="in another namespace"),
    ],
)
def test_new_labels_wake_if_they_change_a_count(before: PodBuilder, after: PodBuilder, woken: bool) -> None:
    assert wakes(PENDING, about(Happening.POD_LABELS, after.on("n"), before.on("n"))) is woken


def test_any_of_several_constraints_is_enough() -> None:
    pending = PENDING.spread("rack", asks(tier="x"))
    assert wakes(pending, about(Happening.POD_DELETE, pod("o").label("tier", "x").on("n")))


@pytest.mark.parametrize(
    ("target", "woken"),
    [
        pytest.param(node("n").label("zone", "a"), True, id="with the key"),
        pytest.param(node("n").label("rack", "a"), False, id="without the key"),
    ],
)
@pytest.mark.parametrize("happening", [Happening.NODE_ADD, Happening.NODE_TAINTS])
def test_nodes_that_are_part_of_a_domain_wake(happening: Happening, target: NodeBuilder, woken: bool) -> None:
    assert wakes(PENDING, on_node(happening, target)) is woken


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(on_node(Happening.NODE_LABELS, node("n")), id="labels of a node: it may have had the key"),
        pytest.param(Change(Happening.NODE_DELETE, EMPTY), id="a node is gone: it may have been the emptiest"),
        pytest.param(Change(Happening.SERVICE, EMPTY), id="a Service"),
    ],
)
def test_in_doubt_the_pod_is_woken(change: Change) -> None:
    assert wakes(PENDING, change)


def test_what_cannot_help_is_not_heard_of() -> None:
    assert not wakes(PENDING, on_node(Happening.NODE_ALLOCATABLE, node("n").label("zone", "a")))
    assert not wakes(PENDING, Change(Happening.NAMESPACE, EMPTY))


@pytest.mark.parametrize(
    ("before", "after", "woken"),
    [
        pytest.param(PENDING, PENDING.label("tier", "x"), True, id="labels"),
        pytest.param(PENDING, PENDING.select("pool", "x"), True, id="the nodes that it wants"),
        pytest.param(PENDING, PENDING.priority(5), False, id="what plays no part"),
        pytest.param(PENDING, PENDING.tolerate("a"), False, id="tolerations are told by themselves"),
    ],
)
def test_a_change_of_the_pod_itself_wakes_it_if_it_plays_a_part(
    before: PodBuilder, after: PodBuilder, woken: bool
) -> None:
    assert wakes(after, about(Happening.OWN_UPDATE, after, before)) is woken


@pytest.mark.parametrize(
    ("before", "woken"),
    [
        pytest.param(HEEDING, True, id="a constraint heeds taints"),
        pytest.param(PENDING, False, id="none does"),
    ],
)
def test_a_new_toleration_wakes_if_taints_are_heeded(before: PodBuilder, woken: bool) -> None:
    assert wakes(before.tolerate("a"), about(Happening.OWN_TOLERATIONS, before.tolerate("a"), before)) is woken


def test_default_constraints_are_looked_at_too() -> None:
    args = {
        "defaultingType": "List",
        "defaultConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    }
    by = PodTopologySpread("PodTopologySpread", PodTopologySpreadArgs.model_validate(args))
    service = Service(metadata=Metadata(name="s", namespace="default"), spec=ServiceSpec(selector={"app": "web"}))
    world = view([], services=[service])
    gone = Change(Happening.POD_DELETE, world, pod=web("other").on("n").info())
    assert wakes(web(), gone, by)
    assert not wakes(pod("p"), gone, by)
