"""What the demo makes: nodes that the examples ask for, pods that fit them, and pods that fit nowhere."""

from collections import Counter

import pytest

from pointsman.api.spec import parse_spec
from pointsman.kube.quantity import to_milli
from pointsman.sandbox.demo.cluster import NAMESPACES, ZONE_LABEL, shapes, sizes
from pointsman.sandbox.demo.install import pointsman, profiles
from pointsman.sandbox.demo.workload import WORKLOADS, Workload

SCHEDULERS = [workload.scheduler for workload in WORKLOADS]
by_scheduler = pytest.mark.parametrize("workload", WORKLOADS, ids=SCHEDULERS)


def test_two_hundred_nodes_are_three_pools_in_three_zones() -> None:
    nodes = shapes(200)

    assert len({node.name for node in nodes}) == 200
    assert Counter(node.labels["pool"] for node in nodes) == {"general": 120, "gpu": 40, "payments": 40}
    assert Counter(node.labels[ZONE_LABEL] for node in nodes) == {"a": 68, "b": 66, "c": 66}  # 40 = 14 + 13 + 13


@pytest.mark.parametrize("count", [15, 16, 99, 5000])
def test_no_node_is_lost_in_division(count: int) -> None:
    assert sum(sizes(count).values()) == len(shapes(count)) == count


def test_three_examples_serve_the_three_workloads() -> None:
    assert sorted(profile["spec"]["schedulerName"] for profile in profiles(SCHEDULERS)) == sorted(SCHEDULERS)


def test_what_is_installed_has_the_kind_and_the_operator() -> None:
    kinds = [manifest["kind"] for manifest in pointsman()]

    assert kinds[0] == "CustomResourceDefinition"
    assert "Deployment" in kinds


@by_scheduler
def test_the_profiles_nodes_are_the_workloads_pool(workload: Workload) -> None:
    [profile] = profiles([workload.scheduler])
    spec = parse_spec(profile["spec"])
    wanted = profile["spec"].get("nodes", {}).get("selector", {}).get("matchLabels", {})
    served = profile["spec"].get("pods", {}).get("namespaceSelector", {}).get("matchLabels", {})

    assert spec.scheduler_name == workload.scheduler
    assert wanted.items() <= workload.pool.labels.items()
    assert served.items() <= NAMESPACES[workload.namespace].items()


@by_scheduler
@pytest.mark.parametrize("nodes", [15, 200])
def test_the_burst_fits_the_pool_twice(workload: Workload, nodes: int) -> None:
    burst = [pod for pod in workload.burst(nodes) if "burst" in pod["metadata"]["name"]]
    room = {"cpu": workload.pool.cpu, "memory": workload.pool.memory, **workload.pool.extended}

    for resource, amount in workload.requests.items():
        assert 2 * len(burst) * to_milli(amount) <= sizes(nodes)[workload.pool.name] * to_milli(room[resource])


def test_the_bursts_of_the_usual_size_are_more_than_300_pods() -> None:
    bursts = [pod["metadata"]["name"] for workload in WORKLOADS for pod in workload.burst(200)]

    assert len(set(bursts)) == len(bursts)
    assert len([name for name in bursts if "-burst-" in name]) == 180 + 120 + 120


@by_scheduler
def test_hopeless_pods_fit_no_node_or_come_from_elsewhere(workload: Workload) -> None:
    hopeless = workload.hopeless
    room = {"cpu": workload.pool.cpu, "memory": workload.pool.memory, **workload.pool.extended}
    too_big = any(to_milli(amount) > to_milli(room[resource]) for resource, amount in hopeless.requests.items())

    assert too_big or hopeless.namespace not in ("", workload.namespace)


@by_scheduler
def test_every_pod_names_its_scheduler_and_tolerates_its_pool(workload: Workload) -> None:
    pods = [*workload.burst(15), workload.trickle(0)]
    taint = workload.pool.taint
    expected = [] if taint is None else [(taint.key, taint.value, taint.effect)]

    assert {pod["spec"]["schedulerName"] for pod in pods} == {workload.scheduler}
    assert [[(one["key"], one["value"], one["effect"]) for one in pod["spec"]["tolerations"]] for pod in pods] == [
        expected for _ in pods
    ]
