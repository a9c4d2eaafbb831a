"""What a pod asks for, counts and carries, from its containers to the flat form."""

import msgspec
import pytest

from pointsman.kube.objects import (
    ContainerPort,
    ContainerStatus,
    ImageVolume,
    PodCondition,
    Resources,
    Volume,
)
from pointsman.kube.quantity import CEILING
from pointsman.policy.accounting import normalized_image, score_request
from pointsman.policy.pod import HostPort
from pointsman.testing.builders import PodBuilder, host_port, pod

MI, GI = 2**20, 2**30


def sidecar_pod(*init: tuple[str, str, str], app: str = "2") -> PodBuilder:
    builder = pod("p").container(name="app", cpu=app)
    for name, cpu, policy in init:
        builder = builder.init_container(name=name, cpu=cpu, restart_policy=policy)
    return builder


@pytest.mark.parametrize(
    ("builder", "millicores"),
    [
        # C01: max(app + sidecars, any init container + the sidecars before it)
        pytest.param(sidecar_pod(("proxy", "1", "Always"), ("migrate", "2", "")), 3000, id="C01 A"),
        pytest.param(sidecar_pod(("proxy", "1", "Always"), ("migrate", "3", "")), 4000, id="C01 B"),
        pytest.param(sidecar_pod(("migrate", "3", ""), ("proxy", "1", "Always")), 3000, id="C01 C"),
        pytest.param(sidecar_pod(("init", "3", ""), app="30m"), 3000, id="C02 a finished init container counts"),
        pytest.param(pod("p").container(cpu="900m").overhead(cpu="150m"), 1050, id="C04 overhead"),
    ],
)
def test_cpu_of_a_pod_is_the_larger_of_running_and_starting(builder: PodBuilder, millicores: int) -> None:
    info = builder.info()
    assert info.requests == info.usage == {"cpu": millicores}


def test_worked_example_of_sums_in_the_order_of_init_containers() -> None:
    # containers 100m + 200m; i1 500m, sidecar s 50m, i2 400m: max(350, 500, 50, 450) = 500
    both = pod("p").container(name="a", cpu="100m").container(name="b", cpu="200m")
    first = both.init_container(name="i1", cpu="500m").init_container(name="s", cpu="50m", restart_policy="Always")
    assert first.init_container(name="i2", cpu="400m").info().requests == {"cpu": 500}
    # s before i1: max(350, 50, 550, 450) = 550; with overhead 10m: 560
    second = both.init_container(name="s", cpu="50m", restart_policy="Always").init_container(name="i1", cpu="500m")
    second = second.init_container(name="i2", cpu="400m")
    assert second.info().requests == {"cpu": 550}
    assert second.overhead(cpu="10m").info().requests == {"cpu": 560}
    # a pod-level request replaces the containers' sum, overhead comes on top
    assert second.overhead(cpu="10m").pod_requests(cpu="600m").info().requests == {"cpu": 610}


def test_amounts_are_added_exactly_and_rounded_up_once() -> None:
    many = pod("p")
    for index in range(10):
        many = many.container(name=f"c{index}", cpu="0.0001", memory="100m")
    assert many.info().requests == {"cpu": 1, "memory": 1}  # ten times 0.1 millicores, ten times 0.1 bytes


def test_pod_level_requests_replace_only_the_names_that_they_may_set() -> None:
    builder = pod("p").container(cpu="1", memory="1Gi", ephemeral_storage="2Gi", requests={"hugepages-2Mi": "4Mi"})
    level = builder.pod_requests(cpu="500m", ephemeral_storage="9Gi", **{"hugepages-2Mi": "2Mi"})
    assert level.info().requests == {
        "cpu": 500,
        "memory": GI,
        "ephemeral-storage": 2 * GI,
        "hugepages-2Mi": 2 * MI,
    }


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("cpu", True),
        ("memory", True),
        ("ephemeral-storage", True),
        ("hugepages-1Gi", True),
        ("attachable-volumes-csi", True),
        ("example.com/gpu", True),
        ("sub.kubernetes.io/thing", True),
        ("pods", False),
        ("storage", False),
        ("gpu", False),
        ("requests.example.com/gpu", False),
        ("example.com/", False),
        ("-example.com/gpu", False),
        ("Example.com/gpu", False),
        ("a/b/c", False),
        (f"example.com/{'x' * 63}", True),
        (f"example.com/{'x' * 64}", False),
    ],
)
def test_only_names_that_kube_scheduler_counts_are_kept(name: str, kept: bool) -> None:
    assert (name in pod("p").container(requests={name: "1"}).info().requests) is kept


def test_a_container_without_requests_counts_a_little_for_scoring_but_nothing_for_fitting() -> None:
    info = pod("p").container().container(name="b").info()
    assert (info.requests, info.usage) == ({}, {})
    assert (info.nonzero_cpu, info.nonzero_memory) == (200, 400 * MI)
    assert (info.nonzero_usage_cpu, info.nonzero_usage_memory) == (200, 400 * MI)


def test_an_explicit_zero_stays_zero_for_scoring() -> None:
    info = pod("p").container(cpu="0", memory="0").info()
    assert (info.nonzero_cpu, info.nonzero_memory) == (0, 0)


def test_init_containers_without_requests_count_too() -> None:
    # running: app 50m + sidecar 100m; starting: sidecar 100m, then ordinary 100m beside it = 200m
    info = (
        pod("p")
        .container(name="app", cpu="50m", memory="1Mi")
        .init_container(name="side", restart_policy="Always")
        .init_container(name="init")
        .info()
    )
    assert info.nonzero_cpu == 200
    assert info.nonzero_memory == 400 * MI


def test_pod_level_requests_take_part_in_usage_but_not_in_the_incoming_pods_score() -> None:
    builder = pod("p").container().container(name="b", requests={"hugepages-2Mi": "2Mi"})
    info = builder.pod_requests(cpu="1", **{"hugepages-2Mi": "8Mi"}).info()
    assert (info.nonzero_cpu, info.nonzero_memory) == (200, 400 * MI)  # by containers alone
    assert info.nonzero_usage_cpu == 1000
    assert info.nonzero_usage_memory == 400 * MI  # memory is named nowhere, so the defaults stand in
    assert score_request(info, "hugepages-2Mi") == 2 * MI
    assert info.requests["hugepages-2Mi"] == 8 * MI


def status(cpu: str, allocated: str | None = None, name: str = "main") -> ContainerStatus:
    return ContainerStatus(
        name=name,
        resources=Resources(requests={"cpu": cpu}),
        allocated_resources={} if allocated is None else {"cpu": allocated},
    )


@pytest.mark.parametrize(
    ("statuses", "usage"),
    [
        pytest.param((status("2"),), 2000, id="the kubelet still runs more"),
        pytest.param((status("500m"),), 1000, id="the kubelet still runs less"),
        pytest.param((status("500m", "1500m"),), 1500, id="more was promised"),
        pytest.param((status("9", name="other"),), 1000, id="another container"),
        pytest.param((ContainerStatus(name="main", allocated_resources={"cpu": "9"}),), 1000, id="not actuated yet"),
    ],
)
def test_a_resized_pod_counts_its_largest_amount_on_its_node(statuses: tuple[ContainerStatus, ...], usage: int) -> None:
    info = pod("p").container(cpu="1").on("n1").status(container_statuses=statuses).info()
    assert info.usage == {"cpu": usage}
    assert info.requests == {"cpu": 1000}


def test_an_infeasible_resize_leaves_the_wish_out() -> None:
    infeasible = PodCondition(type="PodResizePending", reason="Infeasible")
    builder = pod("p").container(cpu="8").on("n1").status(container_statuses=(status("1"),))
    assert builder.info().usage == {"cpu": 8000}
    assert builder.status(conditions=(infeasible,)).info().usage == {"cpu": 1000}


def test_ordinary_init_containers_count_by_their_spec_and_sidecars_by_their_status() -> None:
    builder = pod("p").container(name="app", cpu="1")
    reported = (status("3", name="init"),)
    ordinary = builder.init_container(name="init", cpu="2").status(init_container_statuses=reported)
    assert ordinary.info().usage == {"cpu": 2000}
    sidecar = builder.init_container(name="init", cpu="2", restart_policy="Always")
    assert sidecar.status(init_container_statuses=reported).info().usage == {"cpu": 4000}


def test_a_resize_of_the_whole_pod_counts_its_largest_amount() -> None:
    builder = pod("p").container(cpu="1").pod_requests(cpu="2").on("n1")
    resized = builder.status(resources=Resources(requests={"cpu": "4"}), allocated_resources={"cpu": "3"})
    assert resized.info().usage == {"cpu": 4000}


def test_an_unreadable_quantity_is_named_and_the_rest_still_counts() -> None:
    info = pod("p").container(cpu="1", memory="1 Gi").overhead(cpu="lots").info()
    assert info.requests == {"cpu": 1000}
    memory, cpu = info.errors
    assert memory.startswith('spec.containers[0].resources.requests[memory]: "1 Gi" is not a quantity')
    assert cpu.startswith('spec.overhead[cpu]: "lots" is not a quantity')


def test_memory_beyond_64_bits_is_more_than_any_node_has() -> None:
    """In kube-scheduler 2 * (2**63 - 1) wraps to -2, and 50E is nothing."""
    largest = str(2**63 - 1)
    both = pod("p").container(name="a", memory=largest).container(name="b", memory=largest)
    assert both.info().requests == both.info().usage == {"memory": CEILING}
    assert pod("p").container(memory="50E").info().requests == {"memory": CEILING}


def test_host_ports_are_those_of_containers_that_keep_running() -> None:
    info = (
        pod("p")
        .init_container(name="init", ports=(host_port(1),))
        .init_container(name="side", ports=(host_port(2, "10.0.0.1", "UDP"),), restart_policy="Always")
        .container(ports=(host_port(3), ContainerPort(container_port=4)))
        .info()
    )
    assert info.host_ports == (HostPort("10.0.0.1", "UDP", 2), HostPort("0.0.0.0", "TCP", 3))


@pytest.mark.parametrize(
    ("name", "normalized"),
    [
        ("nginx", "nginx:latest"),
        ("nginx:1.29", "nginx:1.29"),
        ("registry:5000/nginx", "registry:5000/nginx:latest"),
        ("registry:5000/nginx:1", "registry:5000/nginx:1"),
        ("repo/nginx@sha256:0a1b", "repo/nginx@sha256:0a1b"),
    ],
)
def test_image_names_get_the_tag_that_they_leave_out(name: str, normalized: str) -> None:
    assert normalized_image(name) == normalized


def test_images_of_all_containers_and_image_volumes_count_once_per_use() -> None:
    volume = Volume(name="data", image=ImageVolume(reference="data:1"))
    info = pod("p").init_container(image="a").container(image="a").spec(volumes=(volume, Volume(name="x"))).info()
    assert info.images == ("a:latest", "a:latest", "data:1")
    assert info.container_count == 2


def test_what_queue_and_engine_need_is_carried_over() -> None:
    built = pod("p", "ns").container().priority(7).gate("g1", "g2").terminating().on("n1")
    info = built.status(nominated_node_name="n2").info()
    assert (info.full_name, info.uid, info.priority) == ("ns/p", "pod-ns-p", 7)
    assert (info.node_name, info.nominated_node_name) == ("n1", "n2")
    assert (info.gates, info.terminating, info.errors) == (("g1", "g2"), True, ())


def test_pods_of_one_shape_share_their_sums() -> None:
    one = pod("one").container(cpu="1").info()
    other = pod("other").container(name="elsewhere", cpu="1").info()
    assert one.requests is other.requests


def test_quantities_may_be_bare_numbers() -> None:
    raw = msgspec.json.decode(b'{"cpu": 2, "memory": 1.5}')
    assert pod("p").container(requests=raw).info().requests == {"cpu": 2000, "memory": 2}
