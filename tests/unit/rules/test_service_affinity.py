"""ServiceAffinity: where nodeSelector leaves a label open, the node of a running pod that looks alike decides."""

import pytest
from tests.unit.rules.test_pod_topology_spread import running, view, web
from tests.unit.rules.test_selector_spread import service
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.workload_objects import Service
from pointsman.policy.legacy_args import ServiceAffinityArgs
from pointsman.policy.predicates.service_affinity import ServiceAffinity
from pointsman.policy.rule import Change, Happening
from pointsman.testing.builders import PodBuilder, node, pod

RULE = ServiceAffinity("same-rack", ServiceAffinityArgs(labels=("rack", "row")))
SERVICE = service(app="web")
NODES = [
    node("a").label("rack", "1").label("row", "x"),
    node("b").label("rack", "1").label("row", "y"),
    node("c").label("rack", "2").label("row", "x"),
    node("r").label("rack", "1"),
    node("u"),
]


def world(*pods: list[PodBuilder], services: tuple[Service, ...] = (SERVICE,)) -> HandView:
    return view(NODES, *pods, services=services)


@pytest.mark.parametrize(
    ("incoming", "at", "expected"),
    [
        pytest.param(web(), "", "abcru", id="nobody runs yet"),
        pytest.param(web(), "a", "a", id="rack and row of the running pod"),
        pytest.param(web(), "r", "abr", id="its node has no row: that stays open"),
        pytest.param(web(), "u", "abcru", id="its node has neither"),
        pytest.param(web().select("rack", "2"), "", "c", id="a rack that the pod names"),
        pytest.param(web().select("rack", "2"), "a", "c", id="it names the rack, and the row comes from the other"),
        pytest.param(web().select("rack", "2").select("row", "y"), "a", "", id="it names both, and nothing has both"),
        pytest.param(web().select("other", "z"), "a", "a", id="other labels are not this rule's affair"),
        pytest.param(web().label("tier", "x"), "a", "abcru", id="the running pod lacks one of its labels"),
        pytest.param(web("p", "other"), "a", "abcru", id="another namespace"),
    ],
)
def test_pods_that_look_alike_stay_together(incoming: PodBuilder, at: str, expected: str) -> None:
    pods = running(at, 1) if at else []
    assert feasible(RULE, world(pods), incoming.info()) == list(expected)


def test_a_pod_without_a_service_follows_nobody() -> None:
    assert feasible(RULE, world(running("a", 1), services=()), web().info()) == list("abcru")


def test_a_running_pod_may_have_more_labels() -> None:
    assert feasible(RULE, world(running("a", 1, web().label("more", "x"))), web().info()) == ["a"]


def test_of_several_pods_the_one_on_the_first_row_decides() -> None:
    assert feasible(RULE, world(running("c", 3), running("b", 1)), web().info()) == ["b"]


def test_the_reason_is_kube_schedulers_and_preemption_may_help() -> None:
    on = world(running("a", 1))
    assert set(reasons(RULE, on, web().info()).values()) == {("node(s) didn't match service affinity",)}
    assert RULE.resolvable(RULE.prepare(web().info(), on), on.rows).all()


def test_without_the_pod_that_decides_the_next_one_does() -> None:
    on = world(running("a", 1), running("c", 1))
    state = RULE.prepare(web().info(), on)
    without = RULE.with_pods(state, 1, (), [running("a", 1)[0].info()])
    assert RULE.feasible(without, on.rows).tolist() == [False, False, True, False, False]
    alone = RULE.with_pods(without, 3, (), [running("c", 1)[0].info()])
    assert RULE.feasible(alone, on.rows).all()
    assert RULE.with_pods(state, 1, [pod("x").info()], ()) is state


@pytest.mark.parametrize(
    ("change", "woken"),
    [
        pytest.param(Change(Happening.POD_DELETE, HandView([]), pod=web("o").on("a").info()), True, id="alike"),
        pytest.param(Change(Happening.POD_DELETE, HandView([]), pod=pod("o").on("a").info()), False, id="unlike"),
        pytest.param(
            Change(Happening.POD_LABELS, HandView([]), pod=pod("o").info(), old_pod=web("o").info()),
            True,
            id="alike before",
        ),
        pytest.param(Change(Happening.NODE_LABELS, HandView([])), True, id="labels of a node"),
        pytest.param(Change(Happening.SERVICE, HandView([])), True, id="a Service"),
    ],
)
def test_changes_that_may_help_wake(change: Change, woken: bool) -> None:
    assert RULE.wakes_on.hint is not None
    assert bool(change.happening & RULE.wakes_on.on)
    assert RULE.wakes_on.hint(web().info(), change) is woken
