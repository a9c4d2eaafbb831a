"""NodeResourcesBalancedAllocation: how evenly the resources of a node are used."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, raw_scores

from pointsman.kube.objects import Node, Pod
from pointsman.kube.quantity import to_milli, to_value
from pointsman.policy.node_resources_args import NodeResourcesBalancedAllocationArgs
from pointsman.policy.priorities.balanced_allocation import BalancedAllocation
from pointsman.policy.resource_names import is_counted, is_scalar
from pointsman.testing.builders import PodBuilder, node, pod

GPU = "example.com/gpu"


def rule(*names: str) -> BalancedAllocation:
    args = {"resources": [{"name": name} for name in names]}
    return BalancedAllocation("balanced", NodeResourcesBalancedAllocationArgs.model_validate(args))


RULE = rule()


@pytest.mark.parametrize(
    ("used", "wanted", "score"),
    [
        pytest.param(("0", "0"), ("100m", "500Mi"), 74, id="empty node"),
        pytest.param(("100m", "500Mi"), ("100m", "500Mi"), 75, id="one like it"),
        pytest.param(("2000m", "4Gi"), ("1000m", "1Gi"), 69, id="more cpu"),
        pytest.param(("3500m", "30Gi"), ("400m", "1Gi"), 76, id="nearly full"),
        pytest.param(("1000m", "28Gi"), ("2000m", "1Gi"), 87, id="evens out"),
        pytest.param(("1000m", "28Gi"), ("100m", "3Gi"), 73, id="tips over"),
    ],
)
def test_worked_numbers(used: tuple[str, str], wanted: tuple[str, str], score: int) -> None:
    running = pod("old").container(cpu=used[0], memory=used[1]).on("n1").build()
    view = HandView([node("n1").cpu("4").memory("32Gi").build()], [running])
    assert raw_scores(RULE, view, pod("p").container(cpu=wanted[0], memory=wanted[1]).info()) == [score]


def test_a_pod_without_requests_is_not_scored() -> None:
    view = HandView([node("n1").build()])
    assert raw_scores(RULE, view, pod("p").container().info()) is None
    assert raw_scores(RULE, view, pod("p").container(ephemeral_storage="1Gi").info()) is None


@pytest.mark.parametrize(
    ("used", "wanted", "balance_before", "balance_after"),
    [
        # fractions 0.5, 0.25, 0 deviate by 0.2041: 79; 0.9, 0.1, 0.2 by 0.3559: 64; all 0: 100
        pytest.param((0, 0, 0), (5000, 250, 0), 100, 79, id="0.5, 0.25, 0"),
        pytest.param((0, 0, 0), (9000, 100, 200), 100, 64, id="0.9, 0.1, 0.2"),
        # 0.9, 0.25, 0 have the mean 0.38333 and deviate by sqrt(0.43167 / 3) = 0.3793: 62
        pytest.param((5000, 250, 0), (4000, 0, 0), 79, 62, id="0.9, 0.25, 0"),
    ],
)
def test_three_resources_count_by_standard_deviation(
    used: tuple[int, int, int], wanted: tuple[int, int, int], balance_before: int, balance_after: int
) -> None:
    def asking(name: str, amounts: tuple[int, int, int]) -> PodBuilder:
        cpu, memory, storage = amounts
        return pod(name).container(cpu=f"{cpu}m", memory=memory, ephemeral_storage=storage)

    target = node("n1").cpu("10").memory("1000").allocatable("ephemeral-storage", "1000")
    view = HandView([target.build()], [asking("old", used).on("n1").build()])
    found = raw_scores(rule("cpu", "memory", "ephemeral-storage"), view, asking("p", wanted).info())
    assert found == [50 + (50 + balance_after - balance_before) // 2]


def test_nodes_are_compared_on_the_resources_that_they_have() -> None:
    nodes = [
        node("all").cpu("10").memory("1000").allocatable(GPU, "10"),
        node("no-gpu").cpu("10").memory("1000"),
        node("only-cpu").cpu("10").memory("0"),
        node("none").cpu("0").memory("0"),
    ]
    view = HandView([builder.build() for builder in nodes])
    pending = pod("p").container(cpu="5", memory="250", requests={GPU: "0"}).info()
    # cpu 0.5 and memory 0.25 deviate by 0.125: 87, so 50 + (50 + 87 - 100) // 2 = 68; one fraction alone: 75
    assert raw_scores(rule("cpu", "memory", GPU), view, pending) == [68, 68, 75, 75]
    # with a gpu of 0.5 too: mean 0.41667, deviation 0.11785: 88, so 69
    wanting = pod("p").container(cpu="5", memory="250", requests={GPU: "5"}).info()
    assert raw_scores(rule("cpu", "memory", GPU), view, wanting) == [69, 68, 75, 75]


def test_an_overcommitted_resource_counts_as_full() -> None:
    running = pod("old").container(cpu="9", memory="500").on("n1").build()
    view = HandView([node("n1").cpu("4").memory("1000").build()], [running])
    # before 1 and 0.5: 75; after 1 and 0.6: 80
    assert raw_scores(RULE, view, pod("p").container(cpu="1", memory="100").info()) == [50 + (50 + 80 - 75) // 2]


def added_in_order(numbers: list[float]) -> float:
    """Like Go adds them; Python's own sum compensates for rounding from 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def plain_balance(fractions: list[float]) -> int:
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        mean = added_in_order(fractions) / len(fractions)
        squares = [(fraction - mean) * (fraction - mean) for fraction in fractions]
        deviation = math.sqrt(added_in_order(squares) / len(fractions))
    return int((1 - deviation) * 100)


def plain_score(pending: Pod, target: Node, running: list[Pod], names: list[str]) -> int:
    info = PodBuilder(pending).info()
    here = [PodBuilder(old).info() for old in running if old.spec.node_name == target.metadata.name]
    before, after = [], []
    for name in names:
        request = info.usage.get(name, 0)
        capacity = (to_milli if name == "cpu" else to_value)(target.status.allocatable.get(name, "0"))
        if not is_counted(name) or capacity == 0 or (request == 0 and is_scalar(name)):
            continue
        used = sum(old.usage.get(name, 0) for old in here)
        before.append(min(1.0, used / capacity))
        after.append(min(1.0, (used + request) / capacity))
    return 50 + (50 + plain_balance(after) - plain_balance(before)) // 2


@few_worlds
@given(
    clusters.worlds(),
    st.lists(st.sampled_from(["cpu", "memory", "ephemeral-storage", GPU, "hugepages-2Mi", "unknown"]), unique=True),
)
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod], names: list[str]) -> None:
    nodes, running, pending = world
    found: Any = raw_scores(rule(*names), HandView(nodes, running), PodBuilder(pending).info())
    chosen = names or ["cpu", "memory"]
    if not any(PodBuilder(pending).info().usage.get(name, 0) for name in chosen):
        assert found is None
    else:
        assert found == [plain_score(pending, entry, running, chosen) for entry in nodes]
        assert all(0 <= score <= 100 for score in found)
