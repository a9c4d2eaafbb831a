"""Node objects: one call for a new node, two for one that exists; Leases spread over their time."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, status, until

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.kube.errors import Forbidden
from pointsman.sandbox.agent.nodes import NodeRegistrar
from pointsman.sandbox.agent.shape import NodeShape, NodeTaint
from pointsman.testing.clock import VirtualClock

SHAPE = NodeShape(
    "n-0", labels={"pool": "gpu"}, taints=(NodeTaint("gpu", "NoSchedule"),), extended={"example.com/x": "2"}
)
MISSING = status(404, "NotFound", "no such object")


@pytest.fixture
async def registrar(api: FakeApi, clock: VirtualClock) -> AsyncIterator[NodeRegistrar]:
    async with Client(Connection(api.url, None, no_token, "ns"), user_agent="test", clock=clock) as client:
        yield NodeRegistrar(client, clock)


async def test_a_new_node_comes_ready_in_one_call(api: FakeApi, registrar: NodeRegistrar) -> None:
    api.calls.append(Reply(201, {}))

    await registrar.register([SHAPE], ["127.127.0.1"])

    [call] = api.requests
    node = call.json
    assert (call.method, call.path) == ("POST", "/api/v1/nodes")
    assert node["metadata"]["labels"].items() >= {"pool": "gpu", "kubernetes.io/hostname": "n-0"}.items()
    assert node["spec"]["taints"] == [{"key": "gpu", "value": "", "effect": "NoSchedule"}]
    assert node["status"]["allocatable"].items() >= {"cpu": "4", "example.com/x": "2"}.items()
    assert {"Ready": "True"}.items() <= {one["type"]: one["status"] for one in node["status"]["conditions"]}.items()


async def test_a_node_that_exists_is_patched(api: FakeApi, registrar: NodeRegistrar) -> None:
    api.calls += [Reply(409, status(409, "AlreadyExists", "it exists")), Reply(200, {}), Reply(200, {})]

    await registrar.register([SHAPE], ["127.127.0.1"])

    assert [(call.method, call.path) for call in api.requests] == [
        ("POST", "/api/v1/nodes"),
        ("PATCH", "/api/v1/nodes/n-0"),
        ("PATCH", "/api/v1/nodes/n-0/status"),
    ]


async def test_a_refusal_is_told_to_the_caller(api: FakeApi, registrar: NodeRegistrar) -> None:
    api.calls.append(Reply(403, status(403, "Forbidden", "nodes is forbidden")))

    with pytest.raises(Forbidden, match="nodes is forbidden"):
        await registrar.register([SHAPE], ["127.127.0.1"])


async def test_a_node_that_is_gone_already_is_removed(api: FakeApi, registrar: NodeRegistrar) -> None:
    api.calls += [Reply(404, MISSING), Reply(200, {})]

    await registrar.remove(["n-0", "n-1"])

    assert sorted(call.path for call in api.requests) == ["/api/v1/nodes/n-0", "/api/v1/nodes/n-1"]


async def test_leases_are_renewed_one_after_the_other_and_made_when_missing(
    api: FakeApi, registrar: NodeRegistrar, clock: VirtualClock
) -> None:
    api.calls += [Reply(404, MISSING), Reply(201, {}), Reply(200, {}), Reply(500, {}), Reply(200, {})]
    task = asyncio.create_task(registrar.keep_alive(lambda: ["n-0", "n-1"], 20.0))
    leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    expected = [("PATCH", f"{leases}/n-0"), ("POST", leases)]

    await until(lambda: clock.sleepers == 1)
    for name in ("n-1", "n-0", "n-1"):  # ten seconds apart; the refusal in between is not the end
        assert [(call.method, call.path) for call in api.requests] == expected
        clock.jump(10)
        expected.append(("PATCH", f"{leases}/{name}"))
        await until(lambda: len(api.requests) == len(expected) and clock.sleepers == 1)

    assert [(call.method, call.path) for call in api.requests] == expected
    spec = api.requests[0].json["spec"]
    assert (spec["holderIdentity"], spec["leaseDurationSeconds"]) == ("n-0", 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
