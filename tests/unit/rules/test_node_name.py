"""NodeName: a pod that names its node."""

import pytest
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.policy.args import Args
from pointsman.policy.predicates.node_name import NodeName
from pointsman.policy.rule import SKIP
from pointsman.testing.builders import node, pod

RULE = NodeName("NodeName", Args())
VIEW = HandView([node("n1").build(), node("n2").build()])


@pytest.mark.parametrize(("name", "nodes"), [("", ["n1", "n2"]), ("n2", ["n2"]), ("nobody", [])])
def test_only_the_named_node_is_feasible(name: str, nodes: list[str]) -> None:
    assert feasible(RULE, VIEW, pod("p").spec(node_name=name).info()) == nodes


def test_the_reason_is_kube_schedulers() -> None:
    expected = ("node(s) didn't match the requested node name",)
    assert reasons(RULE, VIEW, pod("p").spec(node_name="n2").info()) == {"n1": expected}


def test_a_pod_without_a_node_name_is_not_looked_at() -> None:
    assert RULE.prepare(pod("p").info(), VIEW) == SKIP
