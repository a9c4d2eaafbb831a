"""PodTopologySpread, the priority: raw is the sum of pods * ln(domains + 2) + (maxSkew - 1), rounded."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.unit.rules.test_pod_topology_spread import WEB, running, view, web, zone
from tests.unit.rules.view import HandView, raw_scores, scores

from pointsman.kube.objects import Metadata
from pointsman.kube.workload_objects import (
    ControllerSpec,
    ReplicaSet,
    ReplicationController,
    ReplicationControllerSpec,
    Service,
    ServiceSpec,
)
from pointsman.policy.priorities.pod_topology_spread import PodTopologySpread
from pointsman.policy.rule import SKIP, Skip
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.testing.builders import PodBuilder, asks, node, pod, term

SOFT = "ScheduleAnyway"
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"


def rule(**args: Any) -> PodTopologySpread:
    return PodTopologySpread("PodTopologySpread", PodTopologySpreadArgs.model_validate(args))


def zones(*counts: int) -> HandView:
    """One node per zone with so many pods of `web`."""
    names = "abcde"[: len(counts)]
    return view([zone(name) for name in names], *(running(*pair) for pair in zip(names, counts, strict=True)))


@pytest.mark.parametrize(
    ("counts", "max_skew", "raw", "expected"),
    [
        # 3 zones: ln 5 = 1.6094. 5 * 1.6094 = 8.05, 4.83, 1.61; then 100 * (8 + 2 - raw) // 8
        pytest.param((5, 3, 1), 1, [8, 5, 2], [25, 62, 100], id="skew 1"),
        # 3.22 + 4, 1.61 + 4, 0 + 4; then 100 * (7 + 4 - raw) // 7
        pytest.param((2, 1, 0), 5, [7, 6, 4], [57, 71, 100], id="a larger skew evens out"),
        pytest.param((0, 0, 0), 1, [0, 0, 0], [100, 100, 100], id="no pods yet"),
        pytest.param((0, 0, 0), 5, [4, 4, 4], [100, 100, 100], id="no pods yet, larger skew"),
        # 2 zones: ln 4 = 1.3863; 1.39, 2.77; then 100 * (3 + 1 - raw) // 3
        pytest.param((1, 2), 1, [1, 3], [100, 33], id="two zones weigh less"),
    ],
)
def test_fewer_pods_in_the_domain_score_higher(
    counts: Sequence[int], max_skew: int, raw: list[int], expected: list[int]
) -> None:
    incoming = web().spread("zone", WEB, SOFT, max_skew=max_skew).info()
    assert raw_scores(rule(), zones(*counts), incoming) == raw
    assert scores(rule(), zones(*counts), incoming) == expected


def test_constraints_add_up() -> None:
    """Zone: 2 domains, ln 4 = 1.386; rack: 3 domains, ln 5 = 1.609. a1 has 1 pod in its rack and 3 in its zone."""
    nodes = [
        node("a1").label("zone", "a").label("rack", "1"),
        node("a2").label("zone", "a").label("rack", "2"),
        node("b1").label("zone", "b").label("rack", "3"),
    ]
    world = view(nodes, running("a1", 1), running("a2", 2))
    incoming = web().spread("zone", WEB, SOFT).spread("rack", WEB, SOFT).info()
    # 3 * 1.386 + 1 * 1.609 = 5.77; 3 * 1.386 + 2 * 1.609 = 7.38; 0
    assert raw_scores(rule(), world, incoming) == [6, 7, 0]
    assert scores(rule(), world, incoming) == [14, 0, 100]


def test_a_hostname_counts_the_pods_of_the_node_itself_whatever_the_policies() -> None:
    """n1 is tainted and the constraint heeds taints: its 2 pods count all the same. 2 * ln 4 = 2.77."""
    world = view([node("n1").taint("x"), node("n2")], running("n1", 2))
    incoming = web().spread(HOSTNAME, WEB, SOFT, node_taints_policy="Honor").info()
    assert raw_scores(rule(), world, incoming) == [3, 0]


def test_pods_on_nodes_that_the_constraint_leaves_out_do_not_count() -> None:
    """Zone a has 1 pod on a1 and 2 on the tainted a2; b has 1. 1 * ln 4 = 1.39 for all, since a2 does not count."""
    world = view(
        [zone("a"), node("a2").label("zone", "a").taint("x"), zone("b")],
        running("a", 1),
        running("a2", 2),
        running("b", 1),
    )
    assert raw_scores(rule(), world, web().spread("zone", WEB, SOFT, node_taints_policy="Honor").info()) == [1, 1, 1]
    # 3 * 1.39 = 4.16
    assert raw_scores(rule(), world, web().spread("zone", WEB, SOFT).info()) == [4, 4, 1]


def test_nodes_that_lack_a_key_get_nothing_and_their_pods_do_not_count() -> None:
    """u has a zone but no rack: its 5 pods are not part of zone a. 1 * ln 4 + 1 * ln 4 = 2.77 on a, 0 on b."""
    nodes = [zone("a").label("rack", "1"), zone("b").label("rack", "2"), node("u").label("zone", "a")]
    world = view(nodes, running("a", 1), running("u", 5))
    incoming = web().spread("zone", WEB, SOFT).spread("rack", WEB, SOFT).info()
    assert scores(rule(), world, incoming) == [0, 100, 0]


def test_where_every_node_lacks_the_key_all_get_nothing() -> None:
    world = view([node("n1"), node("n2")])
    assert scores(rule(), world, web().spread("rack", WEB, SOFT).info()) == [0, 0]


def test_domains_are_those_of_the_nodes_that_are_scored_but_pods_count_everywhere() -> None:
    """Of 4 zones two are feasible: ln 4 = 1.386. Zone a: 1 pod on the feasible a, 2 on a2, which is not."""
    nodes = [zone("a"), zone("b"), zone("c"), zone("d"), node("a2").label("zone", "a")]
    world = view(nodes, running("a", 1), running("a2", 2))
    state = rule().prepare(web().spread("zone", WEB, SOFT).info(), world)
    assert not isinstance(state, Skip)
    assert rule().score(state, np.array([2, 1], np.intp)).tolist() == [0, 4]


@pytest.mark.parametrize(
    "incoming",
    [
        pytest.param(web(), id="no constraint"),
        pytest.param(web().spread("zone", WEB), id="only hard ones"),
    ],
)
def test_a_pod_without_soft_constraints_is_not_looked_at(incoming: PodBuilder) -> None:
    assert rule().prepare(incoming.info(), zones(1, 0)) == SKIP


def service(**selector: str) -> Service:
    return Service(metadata=Metadata(name="s", namespace="default"), spec=ServiceSpec(selector=selector))


def replica_set(**labels: str) -> ReplicaSet:
    return ReplicaSet(metadata=Metadata(name="rs", namespace="default"), spec=ControllerSpec(selector=asks(**labels)))


OWNED = web().controlled_by("ReplicaSet", "rs")


def test_the_systems_constraints_spread_pods_of_a_service() -> None:
    """Hostname, skew 3, 3 nodes: ln 5 = 1.609; zone, skew 5, 2 zones: ln 4 = 1.386.

    n1: 1 * 1.609 + 2 + 1 * 1.386 + 4 = 8.995; n2: 0 + 2 + 1.386 + 4 = 7.386; n3: 2 + 4 = 6.
    100 * (9 + 6 - raw) // 9
    """
    nodes = [node("n1").label(ZONE, "a"), node("n2").label(ZONE, "a"), node("n3").label(ZONE, "b")]
    world = view(nodes, running("n1", 1), services=[service(app="web")])
    assert raw_scores(rule(), world, web().info()) == [9, 7, 6]
    assert scores(rule(), world, web().info()) == [66, 88, 100]


def test_the_systems_constraints_spread_over_hostnames_where_nodes_have_no_zone() -> None:
    """Nodes without a zone make one domain, which is not scored: 1 * ln 4 + 2 = 3.39, and 2. With zones, see above.

    n3 has a zone: 2 + (0 + 4) = 6, and hostnames weigh ln 5.
    """
    without = view([node("n1"), node("n2")], running("n1", 1), services=[service(app="web")])
    assert raw_scores(rule(), without, web().info()) == [3, 2]
    mixed = view([node("n1"), node("n2"), node("n3").label(ZONE, "b")], running("n1", 1), services=[service(app="web")])
    # 1 * 1.609 + 2 = 3.61, 2, 6
    assert raw_scores(rule(), mixed, web().info()) == [4, 2, 6]


def test_nodes_without_a_zone_are_in_the_zone_without_a_name() -> None:
    """Two zones, "" and b: ln 4 = 1.386. n2 is in "" by its label, n1 by the lack of one: 1 pod there.

    n2: hostname 0 + 2, zone 1.386 + 4 = 7.39; n3: 2 + 4; n1 has no zone: 1 * ln 5 + 2 = 3.61.
    """
    nodes = [node("n1"), node("n2").label(ZONE, ""), node("n3").label(ZONE, "b")]
    world = view(nodes, running("n1", 1), services=[service(app="web")])
    assert raw_scores(rule(), world, web().info()) == [4, 7, 6]


@pytest.mark.parametrize(
    ("incoming", "services", "controllers", "spread"),
    [
        pytest.param(web(), [service(app="web")], [], True, id="a Service"),
        pytest.param(web(), [service(app="db")], [], False, id="a Service of others"),
        pytest.param(web(), [service()], [], False, id="a Service without a selector"),
        pytest.param(OWNED, [], [replica_set(app="web")], True, id="a ReplicaSet"),
        pytest.param(web(), [], [replica_set(app="web")], False, id="a ReplicaSet that is not its controller"),
        pytest.param(OWNED, [], [], False, id="a ReplicaSet that is not known"),
        pytest.param(web().controlled_by("Job", "rs", "batch/v1"), [], [], False, id="a Job"),
        pytest.param(web(), [], [], False, id="nobody"),
    ],
)
def test_default_constraints_are_for_pods_of_services_and_controllers(
    incoming: PodBuilder, services: list[Service], controllers: list[ReplicaSet], spread: bool
) -> None:
    world = view([node("n1"), node("n2")], running("n1", 2), services=services, controllers=controllers)
    # 2 * ln 4 + 2 = 4.77 and 2: 100 * (5 + 2 - raw) // 5
    assert scores(rule(), world, incoming.info()) == ([40, 100] if spread else None)


def test_service_and_controller_are_asked_for_together() -> None:
    """Only pods of both count: 1 on n1, not the 3 on n2 that the Service selects alone."""
    world = view(
        [node("n1"), node("n2")],
        running("n1", 1, web().label("version", "2")),
        running("n2", 3),
        services=[service(app="web")],
        controllers=[replica_set(version="2")],
    )
    assert raw_scores(rule(), world, OWNED.label("version", "2").info()) == [3, 2]


def test_the_labels_of_a_replication_controller_go_before_those_of_a_service() -> None:
    """It asks for app=old and does not select the pod itself: pods of app=old and tier=x count, 2 on n2."""
    controller = ReplicationController(
        metadata=Metadata(name="rc", namespace="default"), spec=ReplicationControllerSpec(selector={"app": "old"})
    )
    old = pod("o").label("app", "old")
    world = view(
        [node("n1"), node("n2")],
        running("n1", 3, old),
        running("n2", 2, old.label("tier", "x")),
        services=[service(app="web", tier="x")],
        controllers=[controller],
    )
    incoming = web().label("tier", "x").controlled_by("ReplicationController", "rc", "v1")
    # 0 + 2 and 2 * ln 4 + 2 = 4.77
    assert raw_scores(rule(), world, incoming.info()) == [2, 5]


def test_a_replica_set_that_asks_for_other_labels_than_a_service_leaves_no_pods_to_count() -> None:
    world = view(
        [node("n1"), node("n2")],
        running("n1", 3),
        services=[service(app="web")],
        controllers=[replica_set(app="old")],
    )
    assert raw_scores(rule(), world, OWNED.info()) == [2, 2]


def test_a_list_replaces_the_systems_constraints() -> None:
    """Zone with skew 1 over 2 zones: 2 * 1.386 = 2.77, and nothing by hostname. u has no zone."""
    listed = rule(
        defaultingType="List",
        defaultConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": SOFT}],
    )
    world = view([zone("a"), zone("b"), node("u")], running("a", 2), services=[service(app="web")])
    assert scores(listed, world, web().info()) == [0, 100, 0]
    assert rule(defaultingType="List").prepare(web().info(), world) == SKIP


def test_constraints_of_the_pods_own_leave_no_room_for_defaults() -> None:
    """Hard ones too: nothing soft is left."""
    world = view([node("n1")], services=[service(app="web")])
    assert rule().prepare(web().spread("zone", WEB).info(), world) == SKIP


def test_a_node_that_the_pod_does_not_want_does_not_count() -> None:
    """Zone a: 2 pods on a2, which is out of the pod's reach; b has 1: ln 4."""
    nodes = [zone("a").label("pool", "x"), node("a2").label("zone", "a"), zone("b").label("pool", "x")]
    world = view(nodes, running("a2", 2), running("b", 1))
    incoming = web().spread("zone", WEB, SOFT).require(term(("pool", "In", "x")))
    assert raw_scores(rule(), world, incoming.info()) == [0, 0, 1]


def test_an_empty_selector_counts_nothing() -> None:
    assert scores(rule(), zones(3, 0), pod("p").spread("zone", asks(), SOFT).info()) == [100, 100]
