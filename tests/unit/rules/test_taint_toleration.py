"""TaintToleration: hard taints keep pods away, soft ones cost score."""

import pytest
from hypothesis import given
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, feasible, raw_scores, reasons, scores

from pointsman.kube.objects import Node, Pod, Taint, Toleration
from pointsman.policy.args import Args
from pointsman.policy.predicates.taint_toleration import TaintToleration
from pointsman.policy.priorities.taint_toleration import TaintToleration as TaintTolerationPriority
from pointsman.testing.builders import PodBuilder, node, pod

PREDICATE = TaintToleration("TaintToleration", Args())
PRIORITY = TaintTolerationPriority("TaintToleration", Args())


@pytest.mark.parametrize(
    ("builder", "nodes"),
    [
        pytest.param(pod("p"), [], id="tolerates nothing"),
        pytest.param(pod("pod1").tolerate(), ["n1", "n2", "n3"], id="everything"),
        pytest.param(pod("pod2").tolerate(effect="NoSchedule"), ["n1"], id="every key, one effect"),
        pytest.param(pod("pod3").tolerate("a", operator=""), [], id="no operator means equal to the empty value"),
        pytest.param(pod("pod4").tolerate("a", operator="Equal", value="1"), ["n1"], id="equal"),
        pytest.param(pod("pod5").tolerate("", operator="Equal", value="1"), ["n1", "n2", "n3"], id="value of any key"),
        pytest.param(pod("pod6").tolerate("b").tolerate("a"), ["n1", "n2", "n3"], id="one for each"),
    ],
)
def test_a_pod_goes_where_it_tolerates_every_hard_taint(builder: PodBuilder, nodes: list[str]) -> None:
    # C36
    view = HandView(
        [
            node("n1").taint("a", "1", "NoSchedule").build(),
            node("n2").taint("b", "1", "NoExecute").build(),
            node("n3").taint("a", "1", "NoSchedule").taint("b", "1", "NoExecute").build(),
        ]
    )
    assert feasible(PREDICATE, view, builder.info()) == nodes


def test_a_toleration_without_operator_matches_the_empty_value() -> None:
    view = HandView([node("n1").taint("a", "", "NoSchedule").build()])
    assert feasible(PREDICATE, view, pod("pod3").tolerate("a", operator="").info()) == ["n1"]


@pytest.mark.parametrize("operator", ["Gt", "Lt", "Near"])
def test_operators_behind_a_gate_that_is_off_match_nothing(operator: str) -> None:
    # C37: in 1.36 the feature gate TaintTolerationComparisonOperators is off
    view = HandView([node("n1").taint("sla", "950", "NoSchedule").build()])
    assert feasible(PREDICATE, view, pod("p").tolerate("sla", operator=operator, value="900").info()) == []


def test_how_long_a_taint_is_tolerated_does_not_matter() -> None:
    # C38: tolerationSeconds is not even read
    view = HandView([node("n1").taint("foo", "", "NoExecute").build()])
    assert feasible(PREDICATE, view, pod("p").tolerate("foo", effect="NoExecute").info()) == ["n1"]


def test_the_reason_is_kube_schedulers() -> None:
    view = HandView([node("n1").taint("a").taint("b").build()])
    assert reasons(PREDICATE, view, pod("p").info()) == {"n1": ("node(s) had untolerated taint(s)",)}


def test_soft_taints_cost_score_and_all_nodes_get_full_score_without_them() -> None:
    nodes = [node("n0"), node("n1").taint("a", effect="PreferNoSchedule")]
    nodes.append(nodes[1].taint("b", effect="PreferNoSchedule").taint("c", effect="PreferNoSchedule"))
    view = HandView([builder.build() for builder in nodes])
    assert raw_scores(PRIORITY, view, pod("p").info()) == [0, 1, 3]
    assert scores(PRIORITY, view, pod("p").info()) == [100, 67, 0]  # 100 - 100 * 1 // 3
    assert scores(PRIORITY, view, pod("p").tolerate().info()) == [100, 100, 100]


def test_a_toleration_for_a_hard_effect_does_not_make_a_soft_taint_cheaper() -> None:
    view = HandView([node("n1").taint("a", effect="PreferNoSchedule").build()])
    assert raw_scores(PRIORITY, view, pod("p").tolerate("a", effect="NoSchedule").info()) == [1]
    assert raw_scores(PRIORITY, view, pod("p").tolerate("a", effect="PreferNoSchedule").info()) == [0]


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    same_value = toleration.operator in ("", "Equal") and toleration.value == taint.value
    return (
        toleration.effect in ("", taint.effect)
        and toleration.key in ("", taint.key)
        and (toleration.operator == "Exists" or same_value)
    )


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    passing, soft = [], []
    for entry in nodes:
        left = [
            taint
            for taint in entry.spec.taints
            if not any(tolerates(toleration, taint) for toleration in pending.spec.tolerations)
        ]
        if not any(taint.effect in ("NoSchedule", "NoExecute") for taint in left):
            passing.append(entry.metadata.name)
        soft.append(sum(taint.effect == "PreferNoSchedule" for taint in left))
    view, info = HandView(nodes, running), PodBuilder(pending).info()
    assert feasible(PREDICATE, view, info) == passing
    assert raw_scores(PRIORITY, view, info) == soft
    normalized = scores(PRIORITY, view, info)
    assert normalized is not None
    assert all(0 <= score <= 100 for score in normalized)
