"""ReplicaSets: how many pods there are, which ones go first, and what happens when one cannot be made or deleted.

Expected values: Kubernetes' documentation, "ReplicaSet"; kubernetes 1.36, pkg/controller/controller_utils.go.
"""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.unit.sandbox_server.calls import Server
from tests.unit.sandbox_server.calls import pod as small_pod
from tests.unit.sandbox_server.world import World

from pointsman.kube.errors import ApiError, Unreachable
from pointsman.kube.resources import PODS, REPLICA_SETS
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import Item, PodItem
from pointsman.sandbox.controllers.replica_sets import ReplicaSets, first_to_go

SETS = "/apis/apps/v1/namespaces/default/replicasets"
POD_PATH = "/api/v1/namespaces/default/pods"
ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"
MERGE = "application/merge-patch+json"


@pytest.fixture
async def world(server: Server) -> AsyncIterator[World]:
    world = World(server)
    sets = Mirror(world.client, REPLICA_SETS, Item, world.clock, world.rng)
    pods = Mirror(world.client, PODS, PodItem, world.clock, world.rng)
    controller = ReplicaSets(world.client, sets, pods, world.clock, world.rng)
    async with world.running([sets, pods], controller.loop.run()):
        yield world


def make_set(world: World, replicas: int, **spec: Any) -> None:
    labels = {"app": "a"}
    template = {"metadata": {"labels": labels}, "spec": small_pod()["spec"]}
    wanted = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, **spec}
    world.make(SETS, "s", spec=wanted)


def scale(world: World, replicas: int) -> None:
    world.server.done("PATCH", f"{SETS}/s", {"spec": {"replicas": replicas}}, content_type=MERGE)


def pods_of(world: World) -> list[dict[str, Any]]:
    pods: list[dict[str, Any]] = world.server.done("GET", POD_PATH)["items"]
    return pods


def tell(world: World, pod: dict[str, Any], **status: Any) -> None:
    path = f"{POD_PATH}/{pod['metadata']['name']}/status"
    world.server.done("PATCH", path, {"status": status}, content_type=MERGE)


def status_of(world: World) -> dict[str, Any]:
    found = world.get(f"{SETS}/s")
    assert found is not None
    status: dict[str, Any] = found["status"]
    return status


def ready(world: World) -> dict[str, str]:
    now = world.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"type": "Ready", "status": "True", "lastTransitionTime": now}


@pytest.mark.parametrize(("first", "then"), [(0, 2), (3, 3), (3, 5), (5, 2), (2, 0)])
async def test_there_are_as_many_pods_as_wanted(world: World, first: int, then: int) -> None:
    make_set(world, first)
    await world.settled()
    assert len(pods_of(world)) == first
    scale(world, then)
    await world.settled()
    assert len(pods_of(world)) == then
    assert (status_of(world)["replicas"], status_of(world)["observedGeneration"]) == (then, 1 + (first != then))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
async def test_a_pod_that_has_ended_is_replaced_and_not_counted(world: World, phase: str) -> None:
    make_set(world, 1)
    await world.settled()
    tell(world, pods_of(world)[0], phase=phase)
    await world.settled()
    assert sorted(pod["status"]["phase"] for pod in pods_of(world)) == sorted([phase, "Pending"])
    assert status_of(world)["replicas"] == 1


async def test_a_pod_that_is_deleted_is_replaced(world: World) -> None:
    make_set(world, 1)
    await world.settled()
    name = pods_of(world)[0]["metadata"]["name"]
    world.delete(f"{POD_PATH}/{name}")
    await world.settled()
    assert [pod["metadata"]["name"] == name for pod in pods_of(world)] == [False]


async def test_a_ready_pod_is_available_after_the_least_time(world: World) -> None:
    make_set(world, 1, minReadySeconds=10)
    await world.settled()
    tell(world, pods_of(world)[0], phase="Running", conditions=[ready(world)])
    await world.settled(9)
    assert (status_of(world)["readyReplicas"], status_of(world).get("availableReplicas", 0)) == (1, 0)
    await world.settled(2)
    assert status_of(world)["availableReplicas"] == 1


async def test_pods_that_may_not_be_made_are_told_of_and_made_once_they_may(world: World) -> None:
    world.delete(ACCOUNT)
    make_set(world, 2)
    await world.settled(1)
    (failure,) = status_of(world)["conditions"]
    assert (failure["type"], failure["status"], failure["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
    world.make("/api/v1/namespaces/default/serviceaccounts", "default")
    await world.settled(60)
    assert len(pods_of(world)) == 2
    assert "conditions" not in status_of(world)


async def test_a_deletion_that_failed_is_tried_again(world: World) -> None:
    make_set(world, 2)
    await world.settled()
    failures = [ApiError(500, "InternalError", "not now")]
    world.client.refuse = lambda method, _path: failures.pop() if method == "DELETE" and failures else None
    scale(world, 1)
    await world.settled(60)
    assert len(pods_of(world)) == 1


async def test_a_pod_whose_creation_failed_is_made_later(world: World) -> None:
    failures = [Unreachable("not now")]
    world.client.refuse = lambda method, _path: failures.pop() if method == "POST" and failures else None
    make_set(world, 3)
    await world.settled(60)
    assert len(pods_of(world)) == 3


def item(
    name: str,
    *,
    node: str = "n",
    phase: str = "Running",
    is_ready: bool = True,
    cost: str = "",
    age: int = 0,
) -> PodItem:
    conditions = [{"type": "Ready", "status": str(is_ready), "lastTransitionTime": "2026-01-01T01:00:00Z"}]
    annotations = {"controller.kubernetes.io/pod-deletion-cost": cost} if cost else {}
    born = f"2026-01-01T00:{59 - age:02}:00Z"
    raw = {
        "metadata": {"name": name, "uid": name, "annotations": annotations, "creationTimestamp": born},
        "spec": {"nodeName": node},
        "status": {"phase": phase, "conditions": conditions},
    }
    return msgspec.convert(raw, PodItem)


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        (item("a", node="", phase="Pending", cost="9"), item("b", is_ready=False)),
        (item("a", phase="Pending", cost="9"), item("b", phase="Unknown")),
        (item("a", phase="Unknown", cost="9"), item("b", is_ready=False)),
        (item("a", is_ready=False, cost="9"), item("b")),
        (item("a", cost="-1", age=9), item("b")),
        (item("a", age=9), item("b", cost="1")),
        (item("a", cost="-10", age=9), item("b", cost="-9")),
        (item("a", age=1), item("b", age=2)),
        (item("a", cost="much", age=1), item("b", age=2)),
    ],
    ids=["no node", "pending before unknown", "unknown before running", "not ready", "negative cost",
         "no cost is zero", "costs are numbers", "young", "a cost that is no number is zero"],
)  # fmt: skip
def test_a_smaller_set_gives_up_first_what_is_worth_least(goes: PodItem, stays: PodItem) -> None:
    for given in ([goes, stays], [stays, goes]):
        assert [pod.metadata.name for pod in first_to_go(given)] == ["a", "b"]


def test_a_smaller_set_gives_up_first_pods_of_the_node_that_has_most() -> None:
    pods = [item("alone", node="n1"), item("old", node="n2", age=9), item("older", node="n2", age=10)]
    assert [pod.metadata.name for pod in first_to_go(pods)] == ["old", "older", "alone"]
