"""NodeUnschedulable keeps pods off cordoned nodes."""

import pytest
from hypothesis import given
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import Node, Pod
from pointsman.policy.args import Args
from pointsman.policy.predicates.node_unschedulable import NodeUnschedulable
from pointsman.testing.builders import PodBuilder, node, pod

RULE = NodeUnschedulable("NodeUnschedulable", Args())
CORDON = "node.kubernetes.io/unschedulable"


@pytest.mark.parametrize(
    ("builder", "nodes"),
    [
        pytest.param(pod("p1"), ["open"], id="no toleration"),
        pytest.param(pod("p2").tolerate(CORDON, effect="NoSchedule"), ["open", "cordoned"], id="tolerates the cordon"),
        pytest.param(pod("p3").tolerate(), ["open", "cordoned"], id="tolerates everything"),
        pytest.param(pod("p4").tolerate(CORDON, effect="NoExecute"), ["open"], id="another effect"),
        pytest.param(pod("p5").tolerate(CORDON, operator="Equal"), ["open", "cordoned"], id="equal to the empty value"),
    ],
)
def test_a_cordoned_node_takes_only_pods_that_tolerate_it(builder: PodBuilder, nodes: list[str]) -> None:
    # C39: the field decides, also before the taint is there
    view = HandView([node("open").build(), node("cordoned").unschedulable().build()])
    assert feasible(RULE, view, builder.info()) == nodes


def test_the_reason_is_kube_schedulers() -> None:
    view = HandView([node("cordoned").unschedulable().build()])
    assert reasons(RULE, view, pod("p").info()) == {"cordoned": ("node(s) were unschedulable",)}


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    tolerated = any(
        entry.effect in ("", "NoSchedule")
        and entry.key in ("", CORDON)
        and (entry.operator == "Exists" or (entry.operator in ("", "Equal") and entry.value == ""))
        for entry in pending.spec.tolerations
    )
    expected = [entry.metadata.name for entry in nodes if not entry.spec.unschedulable or tolerated]
    view = HandView(nodes, running)
    assert feasible(RULE, view, PodBuilder(pending).info()) == expected
