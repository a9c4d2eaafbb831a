"""NodeResourcesFit, the priority: its three strategies."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, raw_scores

from pointsman.kube.objects import Node, Pod
from pointsman.kube.quantity import to_milli, to_value
from pointsman.policy.accounting import score_request
from pointsman.policy.node_resources_args import NodeResourcesFitArgs
from pointsman.policy.priorities.node_resources_fit import NodeResourcesFit
from pointsman.policy.resource_names import is_counted, is_scalar
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

LEAST, MOST, RATIO = "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"
GPU = "example.com/gpu"


def rule(kind: str = LEAST, **strategy: Any) -> NodeResourcesFit:
    args = {"scoringStrategy": {"type": kind, **strategy}}
    return NodeResourcesFit("NodeResourcesFit", NodeResourcesFitArgs.model_validate(args))


def ratio(*points: tuple[int, int], resources: list[dict[str, Any]] | None = None) -> NodeResourcesFit:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return rule(RATIO, requestedToCapacityRatio={"shape": shape}, resources=resources or [{"name": "cpu"}])


def score_on(target: NodeBuilder, pending: PodBuilder, by: NodeResourcesFit, *running: PodBuilder) -> int:
    view = HandView([target.build()], [old.on(target.build().metadata.name).build() for old in running])
    (score,) = raw_scores(by, view, pending.info()) or [0]
    return score


WORKED = [  # used cpu, used memory; the pod's; least; most
    pytest.param(("0", "0"), ("100m", "500Mi"), 97, 1, id="empty node"),
    pytest.param(("100m", "500Mi"), ("100m", "500Mi"), 95, 4, id="one like it"),
    pytest.param(("0", "0"), None, 98, 1, id="no requests"),
    pytest.param(("2000m", "4Gi"), ("1000m", "1Gi"), 54, 45, id="more cpu"),
    pytest.param(("3500m", "30Gi"), ("400m", "1Gi"), 2, 96, id="nearly full"),
    pytest.param(("1000m", "28Gi"), ("2000m", "1Gi"), 17, 82, id="evens out"),
    pytest.param(("1000m", "28Gi"), ("100m", "3Gi"), 37, 61, id="tips over"),
]


@pytest.mark.parametrize(("used", "wanted", "least", "most"), WORKED)
def test_worked_numbers_of_least_and_most_allocated(
    used: tuple[str, str], wanted: tuple[str, str] | None, least: int, most: int
) -> None:
    target = node("n1").cpu("4").memory("32Gi")
    running = pod("old").container(cpu=used[0], memory=used[1])
    pending = pod("p").container(cpu=wanted[0], memory=wanted[1]) if wanted else pod("p").container()
    assert score_on(target, pending, rule(LEAST), running) == least
    assert score_on(target, pending, rule(MOST), running) == most


@pytest.mark.parametrize(
    ("points", "utilization", "score"),
    [
        *[(((0, 10), (100, 0)), *pair) for pair in ((0, 100), (30, 70), (33, 67), (99, 1), (100, 0))],
        *[
            (((0, 0), (50, 7), (75, 10), (100, 3)), *pair)
            for pair in ((7, 9), (33, 46), (50, 70), (60, 82), (80, 86), (99, 33), (100, 30))
        ],
        # 40 + (70-40)*(25-20)//(30-20) rising; 70 + (10-70)*(31-30)/(37-30) = 70 - 60/7 = 62 falling, towards zero
        *[(((20, 4), (30, 7), (37, 1)), *pair) for pair in ((0, 40), (20, 40), (25, 55), (31, 62), (90, 10))],
    ],
)
def test_worked_numbers_of_the_ratio_function(
    points: tuple[tuple[int, int], ...], utilization: int, score: int
) -> None:
    pending = pod("p").container(cpu=f"{utilization * 10}m")
    assert score_on(node("n1").cpu("1"), pending, ratio(*points)) == score


def test_a_full_node_counts_as_fully_used_in_the_ratio_function() -> None:
    assert score_on(node("n1").cpu("1"), pod("p").container(cpu="2"), ratio((0, 0), (100, 10))) == 100


def test_a_resource_without_score_drops_out_of_the_ratio_with_its_weight() -> None:
    both = [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 3}]
    by = ratio((0, 0), (100, 10), resources=both)
    target = node("n1").cpu("1").memory("1000")
    # cpu scores 50; memory 0 drops out; with 333 of 1000 it is (50 * 1 + 33 * 3) / 4 = 37.25
    assert score_on(target, pod("p").container(cpu="500m", memory="0"), by) == 50
    assert score_on(target, pod("p").container(cpu="500m", memory="333"), by) == 37
    # (50 * 1 + 34 * 3) / 4 = 38; (52 * 1 + 34 * 3) / 4 = 38.5 rounds up
    assert score_on(target, pod("p").container(cpu="500m", memory="340"), by) == 38
    assert score_on(target, pod("p").container(cpu="520m", memory="340"), by) == 39
    assert score_on(target, pod("p").container(cpu="0", memory="0"), by) == 0


def test_an_init_peak_counts_in_scoring() -> None:
    # C03: n1 counts 3500m of 4000m, n2 1500m
    by = rule(LEAST, resources=[{"name": "cpu"}])
    peak = pod("peak").init_container(name="init", cpu="3").container(cpu="100m").on("n1")
    plain = pod("plain").container(cpu="1").on("n2")
    view = HandView([node("n1").cpu("4").build(), node("n2").cpu("4").build()], [peak.build(), plain.build()])
    assert raw_scores(by, view, pod("p").container(cpu="500m").info()) == [12, 62]


def test_pods_without_requests_spread_because_they_count_a_little() -> None:
    # C18: n1 holds 20 of them. Asked for 100m and 200Mi more: cpu (4000-2100)/4000 = 47, memory (16384-4200)/16384 = 74
    nodes = [node(name).cpu("4").memory("16Gi").build() for name in ("n1", "n2")]
    view = HandView(nodes, [pod(f"p{index}").container().on("n1").build() for index in range(20)])
    assert raw_scores(rule(), view, pod("p").container().info()) == [(47 + 74) // 2, (97 + 98) // 2]
    # explicit zeros stay zero: cpu 50, memory (16384-4000)/16384 = 75
    assert raw_scores(rule(), view, pod("zero").container(cpu="0", memory="0").info()) == [(50 + 75) // 2, 100]


def test_an_extended_resource_counts_only_for_pods_that_want_it() -> None:
    # C19
    by = rule(MOST, resources=[{"name": "cpu", "weight": 1}, {"name": GPU, "weight": 5}])
    nodes = [node("g1").cpu("8").allocatable(GPU, "4").build(), node("c1").cpu("8").build()]
    running = [pod("a").container(cpu="2", requests={GPU: "2"}).on("g1").build()]
    running.append(pod("b").container(cpu="2").on("c1").build())
    view = HandView(nodes, running)
    assert raw_scores(by, view, pod("p").container(cpu="1").info()) == [37, 37]  # 3 of 8
    # with one gpu: (37 * 1 + 75 * 5) // 6 on g1, cpu alone on c1
    assert raw_scores(by, view, pod("p").container(cpu="1", requests={GPU: "1"}).info()) == [68, 37]


def test_a_node_without_any_of_the_resources_scores_nothing() -> None:
    by = rule(LEAST, resources=[{"name": GPU}])
    assert score_on(node("n1"), pod("p").container(requests={GPU: "1"}), by) == 0
    assert score_on(node("n1"), pod("p").container(), by) == 0


def test_names_that_kube_scheduler_drops_have_no_share() -> None:
    by = rule(LEAST, resources=[{"name": "cpu"}, {"name": "unknown", "weight": 50}])
    target = node("n1").cpu("1").allocatable("unknown", "9")
    assert score_on(target, pod("p").container(cpu="500m", requests={"unknown": "1"}), by) == 50


def test_an_overcommitted_resource_scores_0_or_100() -> None:
    old = pod("old").container(cpu="9", memory="0")
    for kind, score in ((LEAST, 0), (MOST, 100)):
        by = rule(kind, resources=[{"name": "cpu"}])
        assert score_on(node("n1").cpu("4"), pod("p").container(cpu="1", memory="0"), by, old) == score


def test_pod_level_requests_of_the_incoming_pod_are_not_seen_by_its_score() -> None:
    by = rule(LEAST, resources=[{"name": "cpu"}])
    pending = pod("p").container(cpu="100m").pod_requests(cpu="2")
    assert score_on(node("n1").cpu("4"), pending, by) == 97
    assert score_on(node("n1").cpu("4"), pod("q").container(cpu="0"), by, pending) == 50


def test_products_with_what_is_beyond_all_bounds_stay_within_64_bits() -> None:
    """In kube-scheduler 100 * 3e17 is cut to -6893488147419103232, which scores -22."""
    capacity = 3 * 10**17
    by = rule(LEAST, resources=[{"name": "memory"}, {"name": "cpu"}])
    pending = pod("p").container(cpu="0", memory="0")
    assert score_on(node("n1").cpu("1").memory(capacity), pending, by) == (100 + 100) // 2


def go_divide(dividend: int, divisor: int) -> int:
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def plain_score(pending: Pod, target: Node, running: list[Pod], args: NodeResourcesFitArgs) -> int:
    """The three formulas, one node at a time."""
    strategy, info = args.scoring_strategy, PodBuilder(pending).info()
    here = [PodBuilder(old).info() for old in running if old.spec.node_name == target.metadata.name]
    total = weights = 0
    for name, weight in ((entry.name, entry.weight) for entry in strategy.resources):
        request = score_request(info, name)
        read = to_milli if name == "cpu" else to_value
        capacity = read(target.status.allocatable.get(name, "0")) if is_counted(name) else 0
        if capacity == 0 or (request == 0 and is_scalar(name)):
            continue
        used = {
            "cpu": sum(old.nonzero_usage_cpu for old in here),
            "memory": sum(old.nonzero_usage_memory for old in here),
        }.get(name, sum(old.usage.get(name, 0) for old in here))
        wanted = used + request
        if strategy.type == LEAST:
            score = 0 if wanted > capacity else (capacity - wanted) * 100 // capacity
        elif strategy.type == MOST:
            score = min(wanted, capacity) * 100 // capacity
        else:
            score = plain_ratio(args, 100 if wanted > capacity else wanted * 100 // capacity)
        counted = 0 if strategy.type == RATIO and score == 0 else weight
        total, weights = total + score * counted, weights + counted
    if weights == 0:
        return 0
    return (2 * total + weights) // (2 * weights) if strategy.type == RATIO else total // weights


def plain_ratio(args: NodeResourcesFitArgs, utilization: int) -> int:
    assert args.scoring_strategy.requested_to_capacity_ratio is not None
    shape = [(point.utilization, point.score * 10) for point in args.scoring_strategy.requested_to_capacity_ratio.shape]
    if utilization <= shape[0][0]:
        return shape[0][1]
    for (x0, y0), (x1, y1) in pairwise(shape):
        if utilization <= x1:
            return y0 + go_divide((y1 - y0) * (utilization - x0), x1 - x0)
    return shape[-1][1]


names = st.sampled_from(["cpu", "memory", "ephemeral-storage", GPU, "hugepages-2Mi", "unknown"])
points = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 10)), min_size=1, max_size=4, unique_by=lambda p: p[0])


@st.composite
def fit_args(draw: st.DrawFn) -> NodeResourcesFitArgs:
    kind = draw(st.sampled_from([LEAST, MOST, RATIO]))
    resources = [{"name": name, "weight": draw(st.integers(1, 100))} for name in draw(st.lists(names, max_size=4))]
    strategy: dict[str, Any] = {"type": kind, "resources": resources}
    if kind == RATIO:
        shape = [{"utilization": utilization, "score": score} for utilization, score in sorted(draw(points))]
        strategy["requestedToCapacityRatio"] = {"shape": shape}
    return NodeResourcesFitArgs.model_validate({"scoringStrategy": strategy})


@few_worlds
@given(clusters.worlds(), fit_args())
def test_rows_answer_like_nodes_one_by_one(
    world: tuple[tuple[Node, ...], list[Pod], Pod], args: NodeResourcesFitArgs
) -> None:
    nodes, running, pending = world
    found = raw_scores(NodeResourcesFit("fit", args), HandView(nodes, running), PodBuilder(pending).info())
    assert found == [plain_score(pending, entry, running, args) for entry in nodes]
    assert all(0 <= score <= 100 for score in found)
