"""NodeDeclaredFeatures: features of the kubelet that a pod needs (scheduler-semantics.md 2.17)."""

import numpy as np
import pytest
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import Container, ContainerRestartRule
from pointsman.policy.args import Args
from pointsman.policy.predicates.node_declared_features import NodeDeclaredFeatures
from pointsman.policy.rule import SKIP, Change, Happening, Skip
from pointsman.testing.builders import PodBuilder, node, pod

RULE = NodeDeclaredFeatures("NodeDeclaredFeatures", Args())
RESTART = "RestartAllContainersOnContainerExits"
USERS = "UserNamespacesHostNetworkSupport"
VIEW = HandView(
    [
        node("neither").build(),
        node("restart").status(declared_features=(RESTART,)).build(),
        node("users").status(declared_features=("GuaranteedQoSPodCPUResize", USERS)).build(),
        node("both").status(declared_features=(RESTART, USERS)).build(),
    ]
)
ALL = ["neither", "restart", "users", "both"]


def restarting(action: str) -> Container:
    return Container(restart_policy_rules=(ContainerRestartRule(action=action),))


ISOLATED = pod("p").spec(host_network=True, host_users=False)
RESTARTING = pod("p").spec(containers=(Container(), restarting("RestartAllContainers")))


@pytest.mark.parametrize(
    ("pending", "fits"),
    [
        pytest.param(pod("p").container(), None, id="nothing needed"),
        pytest.param(pod("p").spec(containers=(restarting("Restart"),)), None, id="another action"),
        pytest.param(pod("p").spec(host_network=True), None, id="host network"),
        pytest.param(pod("p").spec(host_network=True, host_users=True), None, id="host network and host users"),
        pytest.param(pod("p").spec(host_users=False), None, id="user namespaces"),
        pytest.param(RESTARTING, ["restart", "both"], id="restart of all containers"),
        pytest.param(
            pod("p").spec(init_containers=(restarting("RestartAllContainers"),)),
            ["restart", "both"],
            id="restart of all containers by an init container",
        ),
        pytest.param(ISOLATED, ["users", "both"], id="user namespaces with the host's network"),
        pytest.param(RESTARTING.spec(host_network=True, host_users=False), ["both"], id="two features"),
    ],
)
def test_a_pod_runs_where_the_node_declares_what_it_needs(pending: PodBuilder, fits: list[str] | None) -> None:
    if fits is None:
        assert RULE.prepare(pending.info(), VIEW) is SKIP
        return
    assert feasible(RULE, VIEW, pending.info()) == fits
    why = ("node(s) didn't match Pod's required features",)
    assert reasons(RULE, VIEW, pending.info()) == {name: why for name in ALL if name not in fits}


def test_fewer_pods_on_a_node_do_not_help() -> None:
    state = RULE.prepare(ISOLATED.info(), VIEW)
    assert not isinstance(state, Skip)
    assert not RULE.resolvable(state, np.array([1, 2])).any()


@pytest.mark.parametrize(
    ("happening", "row", "wakes"),
    [
        (Happening.NODE_ADD, 4, True),
        (Happening.NODE_ADD, 1, False),
        (Happening.NODE_FEATURES, 3, True),
        (Happening.NODE_FEATURES, 2, False),
        (Happening.OWN_UPDATE, None, True),
        (Happening.NODE_LABELS, 4, False),
        (Happening.POD_DELETE, 4, False),
    ],
)
def test_a_node_that_declares_the_feature_wakes_the_pod(happening: Happening, row: int | None, wakes: bool) -> None:
    assert RULE.wakes_on.hint is not None
    change = Change(happening, VIEW, row)
    heard = bool(happening & RULE.wakes_on.on)
    assert (heard and RULE.wakes_on.hint(ISOLATED.info(), change)) == wakes
