"""ServiceAntiAffinity: 100 * (pods of the Service - those with the node's label value) / pods of the Service."""

import numpy as np
import pytest
from tests.unit.rules.test_pod_topology_spread import running, view, web
from tests.unit.rules.test_selector_spread import service
from tests.unit.rules.view import HandView, scores

from pointsman.policy.legacy_args import ServiceAntiAffinityArgs
from pointsman.policy.priorities.service_anti_affinity import ServiceAntiAffinity
from pointsman.testing.builders import PodBuilder, node, pod

RULE = ServiceAntiAffinity("racks", ServiceAntiAffinityArgs(label="rack"))
NODES = [node("a").label("rack", "1"), node("b").label("rack", "1"), node("c").label("rack", "2"), node("u")]


def racks(*counts: int) -> HandView:
    """So many pods of `web` on a and b (rack 1), c (rack 2) and u (no rack)."""
    return view(NODES, *(running(*pair) for pair in zip("abcu", counts, strict=True)), services=[service(app="web")])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param((1, 1, 1, 0), [33, 33, 66, 0], id="(3 - 2) / 3 and (3 - 1) / 3"),
        pytest.param((2, 0, 0, 0), [0, 0, 100, 0], id="all in one rack"),
        pytest.param((1, 0, 0, 3), [75, 75, 100, 0], id="pods without a rack count as elsewhere: (4 - 1) / 4"),
        pytest.param((0, 0, 0, 0), [100, 100, 100, 0], id="no pods yet"),
    ],
)
def test_the_value_with_the_fewest_pods_is_best(counts: tuple[int, ...], expected: list[int]) -> None:
    assert scores(RULE, racks(*counts), web().info()) == expected


@pytest.mark.parametrize(
    ("incoming", "like"),
    [
        pytest.param(pod("p"), web(), id="a pod without a Service"),
        pytest.param(web("p", "other"), web(), id="a Service of another namespace"),
        pytest.param(web(), web().terminating(), id="pods that are being deleted"),
        pytest.param(web(), pod("x"), id="pods of others"),
    ],
)
def test_only_pods_of_the_same_service_count(incoming: PodBuilder, like: PodBuilder) -> None:
    world = view(NODES, running("a", 2, like), services=[service(app="web")])
    assert scores(RULE, world, incoming.info()) == [100, 100, 100, 0]


def test_shares_are_of_the_nodes_that_are_scored() -> None:
    """a's pod is not seen: b and c have 1 and 3."""
    world = racks(1, 1, 3, 0)
    state = RULE.prepare(web().info(), world)
    assert RULE.score(state, np.array([3, 2], np.intp)).tolist() == [25, 75]
