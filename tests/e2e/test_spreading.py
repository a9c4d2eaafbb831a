"""Topology spread and pod affinity on a real control plane, with pods that a Deployment makes all at once."""

from collections import Counter
from typing import Any

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.fleet import ZONE_LABEL, Fleet
from tests.e2e.workloads import deployment, in_pool, labelled, pod, profile

pytestmark = pytest.mark.timeout(240)

HOST = "kubernetes.io/hostname"
ZONED = in_pool("zoned")


@pytest.fixture
def spreading(zoned: Fleet) -> Fleet:
    zoned.apply(profile("spreading"))
    zoned.wait_ready("spreading")
    return zoned


def constraint(app: str, key: str = ZONE_LABEL) -> dict[str, Any]:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }


def term(app: str, key: str) -> dict[str, Any]:
    selector = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}


def zones(fleet: Fleet, app: str) -> Counter[str]:
    """How many pods of an app are in each zone."""
    of_node = {node["metadata"]["name"]: node["metadata"]["labels"] for node in fleet.plane.get("nodes")["items"]}
    return Counter(of_node[name][ZONE_LABEL] for name in fleet.nodes_of(f"app={app}"))


def test_a_deployment_with_a_hard_constraint_lands_evenly(spreading: Fleet) -> None:
    spreading.apply(deployment("even", 9, "spreading", topologySpreadConstraints=[constraint("even")], **ZONED))
    spreading.wait_bound(9, "app=even")
    assert zones(spreading, "even") == {"zone-a": 3, "zone-b": 3, "zone-c": 3}
    spreading.assert_nobody_was_refused()


def test_pods_of_a_deployment_are_spread_although_they_do_not_ask(spreading: Fleet) -> None:
    """They differ in nothing, so without their ReplicaSet's selector nothing would tell the nodes apart but load."""
    spreading.apply(deployment("plain", 6, "spreading", cpu="0", memory="0", **ZONED))
    spreading.wait_bound(6, "app=plain")
    assert len(set(spreading.nodes_of("app=plain"))) == 6


def test_pods_go_where_the_pods_are_that_they_want(spreading: Fleet) -> None:
    cache = pod("cache", "spreading", **ZONED | {"nodeSelector": {ZONE_LABEL: "zone-b"}})
    spreading.apply(deployment("client", 4, "spreading", affinity={"podAffinity": term("cache", ZONE_LABEL)}, **ZONED))
    spreading.apply(labelled(cache, app="cache"))
    spreading.wait_bound(4, "app=client")
    assert zones(spreading, "client") == {"zone-b": 4}


def test_pods_that_keep_apart_get_a_node_each_and_one_too_many_is_told_why(spreading: Fleet) -> None:
    apart = {"podAntiAffinity": term("alone", HOST)}
    spreading.apply(deployment("alone", 6, "spreading", affinity=apart, **ZONED))
    spreading.wait_bound(6, "app=alone")
    assert len(set(spreading.nodes_of("app=alone"))) == 6

    spreading.apply(labelled(pod("seventh", "spreading", affinity=apart, **ZONED), app="alone"))
    spreading.wait_told("seventh", "6 node(s) didn't match pod anti-affinity rules")
    spreading.plane.kubectl("delete", "deployment", "alone")
    eventually(lambda: spreading.plane.get("pod", "seventh")["spec"].get("nodeName"), what="the seventh to be bound")
