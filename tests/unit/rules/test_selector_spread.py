"""SelectorSpreadPriority and ServiceSpreadingPriority: 100 * (most - pods) / most, by node and by zone.

With zones a third of the score is the node's and two thirds are the zone's, truncated at the end.
"""

from typing import Any

import numpy as np
import pytest
from tests.unit.rules.test_pod_topology_spread import WEB, running, view, web
from tests.unit.rules.view import HandView, scores

from pointsman.kube.objects import Metadata
from pointsman.kube.workload_objects import ControllerSpec, ReplicaSet, Service, ServiceSpec
from pointsman.policy.args import Args
from pointsman.policy.priorities.selector_spread import SelectorSpreadPriority
from pointsman.policy.priorities.service_spreading import ServiceSpreadingPriority
from pointsman.policy.rule import SKIP, Priority, Skip
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, node, pod

RULE = SelectorSpreadPriority("SelectorSpreadPriority", Args())
SERVICES_ONLY = ServiceSpreadingPriority("ServiceSpreadingPriority", Args())
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
OWNED = web().controlled_by("ReplicaSet", "rs")


def service(**selector: str) -> Service:
    return Service(metadata=Metadata(name="s", namespace="default"), spec=ServiceSpec(selector=selector))


def replica_set(**labels: str) -> ReplicaSet:
    return ReplicaSet(metadata=Metadata(name="rs", namespace="default"), spec=ControllerSpec(selector=asks(**labels)))


def spread(nodes: list[NodeBuilder], *counts: int, **owners: Any) -> HandView:
    """So many pods of `web` on each node; a Service selects them unless told otherwise."""
    names = [item.build().metadata.name for item in nodes]
    pods = (running(*pair) for pair in zip(names, counts, strict=True))
    return view(nodes, *pods, **(owners or {"services": [service(app="web")]}))


def zoned(name: str, zone: str) -> NodeBuilder:
    return node(name).label(ZONE, zone)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param((3, 2, 0), [0, 33, 100], id="100 * (3 - 3, 3 - 2, 3 - 0) / 3"),
        pytest.param((1, 1, 1), [0, 0, 0], id="all have the most"),
        pytest.param((0, 0, 0), [100, 100, 100], id="no pods yet"),
    ],
)
def test_without_zones_the_node_with_the_fewest_pods_is_best(counts: tuple[int, ...], expected: list[int]) -> None:
    assert scores(RULE, spread([node("a"), node("b"), node("c")], *counts), web().info()) == expected


def test_the_zone_weighs_twice_as_much_as_the_node() -> None:
    """Nodes 1, 0, 2, 0 of most 2: 50, 100, 0, 100. Zones 1 and 2 of most 2: 50 and 0.

    50 / 3 + 2 * 50 / 3 = 50; 100 / 3 + 2 * 50 / 3 = 66.7; 0; 100 / 3 = 33.3.
    """
    nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b"), zoned("b2", "b")]
    assert scores(RULE, spread(nodes, 1, 0, 2, 0), web().info()) == [50, 66, 0, 33]


def test_a_node_without_a_zone_is_judged_by_itself() -> None:
    """Nodes 2, 1 of most 2: 0 and 50. Zone a has the most: 0 for its node."""
    assert scores(RULE, spread([zoned("a", "a"), node("n")], 2, 1), web().info()) == [0, 50]


def test_a_zone_is_told_by_region_and_name_and_by_old_labels_too() -> None:
    """Four zones: r/a (twice, once by the old labels), q/a, r alone. Pods 1 + 1, 1, 0; nodes 1, 1, 1, 0 of most 1.

    Node scores 0, 0, 0, 100; zones of most 2: 0, 0, 50, 100. 0, 0, 33.3, 100.
    """
    nodes = [
        node("new").label(ZONE, "a").label(REGION, "r"),
        node("old").label(OLD_ZONE, "a").label(OLD_REGION, "r"),
        node("elsewhere").label(ZONE, "a").label(REGION, "q"),
        node("vague").label(REGION, "r"),
    ]
    assert scores(RULE, spread(nodes, 1, 1, 1, 0), web().info()) == [0, 0, 33, 100]


def test_of_old_and_new_labels_the_old_one_counts() -> None:
    """Both are in zone a by the old label. Nodes 1, 0 of most 1: 0, 100; the zone has the most."""
    nodes = [node("x").label(OLD_ZONE, "a").label(ZONE, "b"), node("y").label(OLD_ZONE, "a")]
    assert scores(RULE, spread(nodes, 1, 0), web().info()) == [0, 33]


def test_an_empty_zone_is_none() -> None:
    assert scores(RULE, spread([node("x").label(ZONE, ""), node("y")], 1, 0), web().info()) == [0, 100]


def test_the_most_is_that_of_the_nodes_that_are_scored() -> None:
    """c has 4 pods and is not feasible: of a and b the most is 2."""
    world = spread([node("a"), node("b"), node("c")], 2, 1, 4)
    state = RULE.prepare(web().info(), world)
    assert not isinstance(state, Skip)
    assert RULE.score(state, np.array([2, 1], np.intp)).tolist() == [50, 0]


@pytest.mark.parametrize(
    ("rule", "incoming", "owners", "expected"),
    [
        # 1 pod of `web` on a, none on b
        pytest.param(RULE, web(), {"services": [service(app="web")]}, [0, 100], id="a Service"),
        pytest.param(RULE, OWNED, {"controllers": [replica_set(app="web")]}, [0, 100], id="a controller"),
        pytest.param(RULE, pod("p"), {"services": [service(app="web")]}, [100, 100], id="nobody"),
        pytest.param(SERVICES_ONLY, web(), {"services": [service(app="web")]}, [0, 100], id="Services only: a Service"),
        pytest.param(
            SERVICES_ONLY, OWNED, {"controllers": [replica_set(app="web")]}, [100, 100], id="Services only: controller"
        ),
    ],
)
def test_pods_of_the_same_owners_are_spread(
    rule: Priority[Any], incoming: PodBuilder, owners: dict[str, Any], expected: list[int]
) -> None:
    assert scores(rule, spread([node("a"), node("b")], 1, 0, **owners), incoming.info()) == expected


def test_pods_that_are_being_deleted_do_not_count() -> None:
    world = view([node("a"), node("b")], running("a", 1, web().terminating()), services=[service(app="web")])
    assert scores(RULE, world, web().info()) == [100, 100]


@pytest.mark.parametrize("rule", [RULE, SERVICES_ONLY], ids=["all owners", "Services only"])
def test_a_pod_with_spread_constraints_is_left_to_those(rule: Priority[Any]) -> None:
    world = spread([node("a"), node("b")], 1, 0)
    assert rule.prepare(web().spread("zone", WEB).info(), world) == SKIP
