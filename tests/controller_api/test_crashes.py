"""The operator dies at each of its writes, before or after the server did it: the next one ends where it would have."""

import json
import random
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pointsman.api.names import FLEET_NAMESPACE
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import connect
from tests.controller_api.fleet import children, conditions, profile
from tests.controller_api.operator import Crash, Operator, RecordingClient
from tests.controlplane.plane import ControlPlane

EDIT: dict[str, Any] = {"replicas": 2, "priorities": [{"name": "NodeResourcesFit", "weight": 7}]}
MAX_WRITES = 12

Prepare = Callable[[ControlPlane, Operator, str], Awaitable[None]]


async def nothing(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))


async def edited(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    plane.apply(profile(name, **EDIT))


async def scaled_down_and_tampered(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name, **EDIT))
    await operator.settle(name)
    plane.apply(profile(name, **{**EDIT, "replicas": 1}))
    patch = '[{"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"name":"EVIL","value":"x"}}]'
    plane.kubectl("patch", "deployment", f"engine-{name}", "-n", FLEET_NAMESPACE, "--type=json", "-p", patch)


async def run(
    plane: ControlPlane, kubeconfig: str, prepare: Prepare, *, crash_at: int, after: bool
) -> tuple[bool, dict[str, Any]]:
    """Prepare, die at a write, start again; returns whether it died, and the world as it ended, name apart."""
    name = f"c{uuid.uuid4().hex[:8]}"
    async with RecordingClient(await connect(kubeconfig), user_agent="pointsman-test") as client:
        operator = Operator(client, SystemClock(), random.Random(1))
        await prepare(plane, operator, name)
        client.writes.clear()
        client.crash_at, client.crash_after = crash_at, after
        died = False
        try:
            await operator.reconciler.reconcile(name)
        except Crash:
            died = True
    async with RecordingClient(await connect(kubeconfig), user_agent="pointsman-test") as client:
        await Operator(client, SystemClock(), random.Random(1)).settle(name)
    world = {"children": children(plane, name), "conditions": conditions(plane, name)}
    plane.kubectl("delete", "sprof", name, "--wait=false")
    nameless: dict[str, Any] = json.loads(json.dumps(world).replace(name, "NAME"))
    return died, without_hashes(nameless)


def without_hashes(world: dict[str, Any]) -> dict[str, Any]:
    """Profiles of different names have different policies: what follows from the hash is left out."""
    for body in world["children"].values():
        body["metadata"]["annotations"] = sorted(body["metadata"]["annotations"])
        body.pop("data", None)
        if "template" in body.get("spec", {}):
            body["spec"]["template"] = sorted(body["spec"]["template"]["spec"])
        body["metadata"].pop("name")
    kinds = sorted(key.partition("/")[0] for key in world["children"])
    return {**world, "children": [kinds, list(world["children"].values())]}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("prepare", [nothing, edited, scaled_down_and_tampered], ids=lambda made: made.__name__)
async def test_a_crash_at_any_write_leads_to_the_same_end(
    plane: ControlPlane, operator_kubeconfig: str, prepare: Prepare, after: bool
) -> None:
    died, expected = await run(plane, operator_kubeconfig, prepare, crash_at=0, after=after)
    assert not died
    for crash_at in range(1, MAX_WRITES + 1):
        died, world = await run(plane, operator_kubeconfig, prepare, crash_at=crash_at, after=after)
        assert world == expected, f"died at write {crash_at}"
        if not died:
            assert crash_at > 2, "there was hardly anything to write"
            return
    raise AssertionError(f"there were more than {MAX_WRITES} writes")
