"""LeastRequested-, MostRequested- and RequestedToCapacityRatioPriority: the 1.22 formulas, and where they differ from
NodeResourcesFit's."""

from typing import Any

import pytest
from pydantic import ValidationError
from tests.unit.rules.view import HandView, raw_scores, scores

from pointsman.policy.legacy_args import (
    NodeResourcesLeastAllocatedArgs,
    NodeResourcesMostAllocatedArgs,
    RequestedToCapacityRatioArgs,
)
from pointsman.policy.priorities.least_requested import LeastRequestedPriority
from pointsman.policy.priorities.most_requested import MostRequestedPriority
from pointsman.policy.priorities.requested_share import RequestedShare
from pointsman.policy.priorities.requested_to_capacity_ratio import RequestedToCapacityRatioPriority
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

GPU = "example.com/gpu"


def least(*resources: tuple[str, int]) -> RequestedShare:
    return LeastRequestedPriority("least", NodeResourcesLeastAllocatedArgs.model_validate(listed(resources)))


def most(*resources: tuple[str, int]) -> RequestedShare:
    return MostRequestedPriority("most", NodeResourcesMostAllocatedArgs.model_validate(listed(resources)))


def ratio(*points: tuple[int, int], resources: tuple[tuple[str, int], ...] = (("cpu", 1),)) -> RequestedShare:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    args = RequestedToCapacityRatioArgs.model_validate({"shape": shape, **listed(resources)})
    return RequestedToCapacityRatioPriority("ratio", args)


def listed(resources: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    return {"resources": [{"name": name, "weight": weight} for name, weight in resources]}


def score_on(target: NodeBuilder, pending: PodBuilder, by: RequestedShare, *running: PodBuilder) -> int:
    view = HandView([target.build()], [old.on(target.build().metadata.name).build() for old in running])
    (score,) = scores(by, view, pending.info()) or [0]
    return score


@pytest.mark.parametrize(
    ("used", "wanted", "free", "taken"),
    [
        # of 4000m and 32Gi = 32768Mi, truncated: free (4000-100)/4000 = 97, (32768-500)/32768 = 98; taken 2, 1
        pytest.param(("0", "0"), ("100m", "500Mi"), 97, 1, id="empty node"),
        # free 25, (32768-5120)/32768 = 84; taken 75, 15
        pytest.param(("2000m", "4Gi"), ("1000m", "1Gi"), 54, 45, id="more cpu"),
        # 4400m of 4000m: 0 both ways, where the fit's MostAllocated would give 100; memory free 3, taken 96
        pytest.param(("3500m", "30Gi"), ("900m", "1Gi"), 1, 48, id="too much cpu"),
    ],
)
def test_worked_numbers_of_least_and_most_requested(
    used: tuple[str, str], wanted: tuple[str, str], free: int, taken: int
) -> None:
    target = node("n1").cpu("4").memory("32Gi")
    running = pod("old").container(cpu=used[0], memory=used[1])
    pending = pod("p").container(cpu=wanted[0], memory=wanted[1])
    assert score_on(target, pending, least(), running) == free
    assert score_on(target, pending, most(), running) == taken


def test_a_pod_without_requests_counts_a_little() -> None:
    # 100m of 4000m: 97 free; 200Mi of 32768Mi: 99 free
    assert score_on(node("n1").cpu("4").memory("32Gi"), pod("p").container(), least()) == (97 + 99) // 2


def test_a_resource_that_a_node_lacks_keeps_its_weight() -> None:
    by = ("cpu", 1), (GPU, 3)
    pending = pod("p").container(cpu="1", requests={GPU: 1})
    bare = node("n1").cpu("4")
    rich = bare.allocatable(GPU, "4")
    # cpu 75 free, 25 taken, the same of the devices; without devices (75 * 1 + 0 * 3) / 4 = 18 and 25 / 4 = 6
    assert (score_on(rich, pending, least(*by)), score_on(bare, pending, least(*by))) == (75, 18)
    assert (score_on(rich, pending, most(*by)), score_on(bare, pending, most(*by))) == (25, 6)


def test_a_resource_that_the_pod_does_not_want_counts_all_the_same() -> None:
    target = node("n1").cpu("4").allocatable(GPU, "4")
    # the fit would leave the devices out; here (75 * 1 + 100 * 1) / 2 = 87
    assert score_on(target, pod("p").container(cpu="1"), least(("cpu", 1), (GPU, 1))) == 87


def test_nodes_have_nothing_of_a_name_that_is_no_resource() -> None:
    target = node("n1").cpu("4").allocatable("unknown", "9")
    assert score_on(target, pod("p").container(cpu="1"), least(("cpu", 1), ("unknown", 1))) == 75 // 2


@pytest.mark.parametrize(
    ("points", "request_of_1000m", "score"),
    [
        *[(((0, 10), (100, 0)), *pair) for pair in ((0, 100), (300, 70), (1000, 0))],
        *[(((0, 0), (50, 7), (75, 10), (100, 3)), *pair) for pair in ((70, 9), (330, 46), (600, 82), (990, 33))],
        # used 305 of 1000: 100 - 69.5 cut to 69 = 31, where the fit counts 30; 70 to 69
        (((0, 10), (100, 0)), 305, 69),
        (((20, 4), (30, 7)), 0, 40),
        (((20, 4), (30, 7)), 900, 70),
    ],
)
def test_worked_numbers_of_the_ratio_function(
    points: tuple[tuple[int, int], ...], request_of_1000m: int, score: int
) -> None:
    pending = pod("p").container(cpu=f"{request_of_1000m}m")
    assert score_on(node("n1").cpu("1"), pending, ratio(*points)) == score


def test_what_a_node_lacks_or_has_too_little_of_counts_as_fully_used_in_the_ratio() -> None:
    pending = pod("p").container(cpu="2", requests={GPU: 1})
    by = ratio((0, 0), (100, 10), resources=(("cpu", 1), (GPU, 1)))
    assert score_on(node("n1").cpu("1"), pending, by) == 100


def test_a_resource_without_score_drops_out_of_the_ratio_with_its_weight() -> None:
    by = ratio((0, 0), (100, 10), resources=(("cpu", 1), ("memory", 3)))
    target = node("n1").cpu("1").memory("1000")
    assert score_on(target, pod("p").container(cpu="500m", memory="0"), by) == 50
    # (520 of 1000: 52) * 1 + (340 of 1000: 34) * 3 = 154, / 4 = 38.5, rounded up
    assert score_on(target, pod("p").container(cpu="520m", memory="340"), by) == 39


def test_only_the_rows_asked_for_are_scored() -> None:
    view = HandView([node("n1").cpu("1").build(), node("n2").cpu("2").build()])
    assert raw_scores(most(("cpu", 1)), view, pod("p").container(cpu="1").info()) == [100, 50]


@pytest.mark.parametrize(
    ("args", "location"),
    [
        ({}, ("shape",)),
        ({"shape": []}, ("shape",)),
        ({"shape": [{"utilization": 0, "score": 11}]}, ("shape", 0, "score")),
        ({"shape": [{"utilization": 5, "score": 1}, {"utilization": 5, "score": 2}]}, ("shape",)),
        (
            {"shape": [{"utilization": 5, "score": 1}], "resources": [{"name": "cpu", "weight": 0}]},
            ("resources", 0, "weight"),
        ),
    ],
)
def test_bad_args_of_the_ratio_are_told_with_their_place(args: dict[str, Any], location: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        RequestedToCapacityRatioArgs.model_validate(args)
    assert [error["loc"] for error in caught.value.errors()] == [location]
