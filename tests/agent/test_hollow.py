"""Pods without a mapped image are simply up, at any number; nodes are what they were asked to be."""

import asyncio
import json
from typing import Any

from pointsman.sandbox.agent.agent import NodeShape, numbered
from pointsman.sandbox.agent.shape import NodeTaint
from tests.agent.conftest import Agents, condition, until


def hollow(agents: Agents, name: str, node: str, **spec: Any) -> dict[str, Any]:
    return agents.pod(name, image="registry.example/app:1", spec={"nodeName": node, **spec})


async def test_a_node_has_the_size_labels_and_taints_of_its_shape(agents: Agents) -> None:
    taint = NodeTaint("dedicated", "NoSchedule", "gpu")
    shape = NodeShape(
        agents.node,
        cpu="8",
        memory="64Gi",
        pods=20,
        labels={"pool": "gpu"},
        taints=(taint,),
        extended={"nvidia.com/gpu": "8"},
    )

    await agents.start(shape)

    node = await asyncio.to_thread(agents.plane.get, "node", agents.node)
    expected = {"cpu": "8", "memory": "64Gi", "pods": "20", "nvidia.com/gpu": "8", "ephemeral-storage": "100Gi"}
    assert node["status"]["allocatable"] == node["status"]["capacity"] == expected
    assert node["metadata"]["labels"] == {
        "kubernetes.io/hostname": agents.node,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "pool": "gpu",
    }
    assert node["spec"]["taints"] == [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
    assert condition(node, "Ready") == "True"
    assert {address["type"] for address in node["status"]["addresses"]} == {"InternalIP", "Hostname"}


async def test_a_node_that_exists_is_brought_to_its_shape_and_is_removed_at_the_end(agents: Agents) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": agents.node, "labels": {"zone": "a"}}}
    await agents.apply(node)

    await agents.start(NodeShape(agents.node, cpu="2"))

    found = await asyncio.to_thread(agents.plane.get, "node", agents.node)
    assert found["metadata"]["labels"].items() >= {"zone": "a", "kubernetes.io/hostname": agents.node}.items()
    assert found["status"]["allocatable"]["cpu"] == "2"

    await agents.stack.aclose()

    left = await asyncio.to_thread(agents.plane.kubectl, "get", "nodes", "-o", "name")
    assert agents.node not in left.stdout


async def test_fifty_pods_become_running_with_an_address_each_and_go_when_deleted(agents: Agents) -> None:
    nodes = numbered(NodeShape(""), f"{agents.node}-", 5)
    await agents.start(*nodes)
    pods = [hollow(agents, f"pod-{number}", nodes[number % 5].name) for number in range(50)]

    await agents.apply({"apiVersion": "v1", "kind": "List", "items": pods})

    def all_running() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = agents.plane.get("pods", "-n", agents.namespace)["items"]
        assert [pod["status"]["phase"] for pod in found] == ["Running"] * 50
        return found

    found = await until(all_running, "50 running pods")
    assert len({pod["status"]["podIP"] for pod in found}) == 50
    assert all(condition(pod, "Ready") == condition(pod, "ContainersReady") == "True" for pod in found)
    assert all(pod["status"]["containerStatuses"][0]["state"]["running"] for pod in found)

    await asyncio.to_thread(agents.plane.kubectl, "delete", "pods", "--all", "-n", agents.namespace, "--wait=false")

    await until(lambda: not agents.plane.get("pods", "-n", agents.namespace)["items"], "the pods to go")


async def test_kubectl_shows_readiness_node_and_address(agents: Agents) -> None:
    await agents.start()
    await agents.apply(hollow(agents, "web", agents.node))
    pod = await agents.until_ready("web")

    shown = await asyncio.to_thread(
        agents.plane.kubectl, "get", "pods", "-o", "wide", "--no-headers", "-n", agents.namespace
    )

    name, ready, status, restarts, _age, address, node, *_ = shown.stdout.split()
    assert (name, ready, status, restarts, node) == ("web", "1/1", "Running", "0", agents.node)
    assert address == pod["status"]["podIP"]
    assert address.startswith("127.")


async def test_what_the_scheduler_said_of_a_pod_is_left_alone(agents: Agents) -> None:
    await agents.start()
    manifest = hollow(agents, "scheduled", "")
    del manifest["spec"]["nodeName"]
    await agents.apply(manifest)
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "scheduled", "namespace": agents.namespace},
        "target": {"kind": "Node", "name": agents.node},
    }
    path = f"/api/v1/namespaces/{agents.namespace}/pods/scheduled/binding"
    await asyncio.to_thread(agents.plane.kubectl, "create", "--raw", path, "-f", "-", input=json.dumps(binding))

    pod = await agents.until_ready("scheduled")

    assert condition(pod, "PodScheduled") == "True"


async def test_pods_of_other_nodes_are_not_touched(agents: Agents) -> None:
    await agents.start()
    await agents.apply(hollow(agents, "elsewhere", "another-node"))
    await agents.apply(hollow(agents, "here", agents.node))

    await agents.until_ready("here")

    assert agents.get("elsewhere")["status"].get("podIP") is None


async def test_pods_that_were_there_before_the_agent_are_taken_up(agents: Agents) -> None:
    await agents.apply(hollow(agents, "early", agents.node))

    await agents.start()

    await agents.until_ready("early")
