"""The words for a pod that fits nowhere (scheduler-semantics.md 3.8, 14.11)."""

import pytest

from pointsman.engine.cycle import fit_error


@pytest.mark.parametrize(
    ("nodes", "counts", "message"),
    [
        pytest.param(
            12,
            {"node(s) were unschedulable": 2, "Insufficient cpu": 10},
            "0/12 nodes are available: 10 Insufficient cpu, 2 node(s) were unschedulable.",
            id="10 sorts before 2",
        ),
        pytest.param(
            4,
            {"Insufficient cpu": 3, "Too many pods": 1},
            "0/4 nodes are available: 1 Too many pods, 3 Insufficient cpu.",
            id="1 before 3",
        ),
        pytest.param(
            1,
            {"Insufficient memory": 1, "Insufficient cpu": 1},
            "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
            id="one node with two reasons counts in both",
        ),
        pytest.param(3, {}, "0/3 nodes are available:", id="no reasons"),
    ],
)
def test_nodes_are_counted_by_reason(nodes: int, counts: dict[str, int], message: str) -> None:
    assert fit_error.refused_by_nodes(nodes, counts) == message


@pytest.mark.parametrize(
    ("reasons", "message"),
    [
        pytest.param(
            ("pod affinity terms conflict",), "0/5 nodes are available: pod affinity terms conflict.", id="one"
        ),
        pytest.param(("a", "b"), "0/5 nodes are available: a, b.", id="two"),
        pytest.param((), "0/5 nodes are available:", id="none"),
    ],
)
def test_a_refusal_of_the_pod_itself_is_told_once(reasons: tuple[str, ...], message: str) -> None:
    assert fit_error.refused_at_once(5, reasons) == message


def test_predicates_that_name_nodes_are_named_themselves() -> None:
    assert fit_error.left_out(("NodeAffinity",)) == "node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert fit_error.left_out(("Z", "A")) == "node(s) didn't satisfy plugin(s) [A Z]"
    assert fit_error.irreconcilable(("A",)) == "node(s) didn't satisfy plugin A"
    assert fit_error.irreconcilable(("Z", "A")) == "node(s) didn't satisfy plugin(s) [A Z] simultaneously"
