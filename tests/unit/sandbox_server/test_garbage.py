"""What becomes of dependents: Kubernetes' documentation, "Garbage Collection" and "Owners and Dependents"."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.sandbox_server.calls import Server
from tests.unit.sandbox_server.world import World

from pointsman.kube.resources import CLUSTER_ROLES, CONFIG_MAPS, SERVICE_ACCOUNTS
from pointsman.sandbox.controllers.garbage import GarbageCollector
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import Item

MAPS = "/api/v1/namespaces/default/configmaps"
ELSEWHERE = "/api/v1/namespaces/kube-system/configmaps"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


@pytest.fixture
async def world(server: Server) -> AsyncIterator[World]:
    world = World(server)
    collector = GarbageCollector(world.client, world.clock, world.rng)
    kinds = (CONFIG_MAPS, SERVICE_ACCOUNTS, CLUSTER_ROLES)
    mirrors = [Mirror(world.client, kind, Item, world.clock, world.rng) for kind in kinds]
    for mirror in mirrors:
        collector.watch(mirror)
    async with world.running(mirrors, collector.loop.run()):
        yield world


def reference(owner: dict[str, Any], *, blocks: bool = False, **changes: str) -> dict[str, Any]:
    kind = {"apiVersion": owner["apiVersion"], "kind": owner["kind"]}
    metadata = owner["metadata"]
    return {**kind, "name": metadata["name"], "uid": metadata["uid"], "blockOwnerDeletion": blocks, **changes}


def owners_of(found: dict[str, Any] | None) -> list[str]:
    assert found is not None
    return [one["name"] for one in found["metadata"].get("ownerReferences", [])]


@pytest.mark.parametrize(("propagation", "stays"), [("Background", False), ("Foreground", False), ("Orphan", True)])
async def test_dependents_go_with_their_owner_unless_it_orphans_them(
    world: World, propagation: str, stays: bool
) -> None:
    owner = world.make(MAPS, "owner")
    middle = world.make(MAPS, "middle", reference(owner, blocks=True))
    world.make(MAPS, "leaf", reference(middle, blocks=True))
    await world.settled()
    world.delete(f"{MAPS}/owner", propagation)
    await world.settled(1)
    assert world.get(f"{MAPS}/owner") is None
    assert [world.get(f"{MAPS}/{name}") is not None for name in ("middle", "leaf")] == [stays, stays]
    if stays:
        assert owners_of(world.get(f"{MAPS}/middle")) == []
        assert owners_of(world.get(f"{MAPS}/leaf")) == ["middle"]


@pytest.mark.parametrize("blocks", [True, False], ids=["that blocks", "that does not block"])
async def test_foreground_deletion_waits_only_for_a_dependent(world: World, blocks: bool) -> None:
    owner = world.make(MAPS, "owner")
    world.make(MAPS, "held", reference(owner, blocks=blocks), metadata={"finalizers": ["example.com/hold"]})
    await world.settled()
    world.delete(f"{MAPS}/owner", "Foreground")
    await world.settled(1)
    held = world.get(f"{MAPS}/held")
    assert held is not None
    assert "deletionTimestamp" in held["metadata"]
    assert (world.get(f"{MAPS}/owner") is not None) is blocks
    merge = "application/merge-patch+json"
    world.server.done("PATCH", f"{MAPS}/held", {"metadata": {"finalizers": None}}, content_type=merge)
    await world.settled(1)
    assert world.get(f"{MAPS}/held") is None
    assert world.get(f"{MAPS}/owner") is None


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
async def test_a_dependent_with_another_owner_stays_and_forgets_the_one_that_goes(
    world: World, propagation: str
) -> None:
    going, staying = world.make(MAPS, "going"), world.make(MAPS, "staying")
    world.make(MAPS, "shared", reference(going, blocks=True), reference(staying))
    await world.settled()
    world.delete(f"{MAPS}/going", propagation)
    await world.settled(1)
    assert world.get(f"{MAPS}/going") is None
    assert owners_of(world.get(f"{MAPS}/shared")) == ["staying"]


async def test_an_object_outlives_an_owner_only_if_that_was_the_same_one(world: World) -> None:
    owner = world.make(MAPS, "owner")
    world.make(MAPS, "right", reference(owner))
    world.make(MAPS, "stale", reference(owner, uid="of-an-earlier-owner"))
    world.make(MAPS, "unserved", reference(owner, kind="Unheard", uid="nobody"))
    await world.settled(1)
    there = [name for name in ("right", "stale", "unserved") if world.get(f"{MAPS}/{name}")]
    assert there == ["right", "unserved"]


async def test_an_owner_in_another_namespace_counts_as_absent(world: World) -> None:
    owner = world.make(ELSEWHERE, "owner")
    await world.settled()
    world.make(MAPS, "dependent", reference(owner))
    await world.settled(1)
    assert world.get(f"{MAPS}/dependent") is None


async def test_a_namespaced_owner_of_a_cluster_wide_object_is_never_resolved(world: World) -> None:
    owner = world.make(MAPS, "owner")
    world.make(ROLES, "dependent", reference(owner, uid="gone"), rules=[])
    await world.settled(1)
    assert world.get(f"{ROLES}/dependent") is not None


async def test_a_cluster_wide_owner_takes_what_lies_in_namespaces_with_it(world: World) -> None:
    owner = world.make(ROLES, "owner", rules=[])
    world.make(MAPS, "dependent", reference(owner))
    await world.settled(1)
    assert world.get(f"{MAPS}/dependent") is not None
    world.delete(f"{ROLES}/owner")
    await world.settled(1)
    assert world.get(f"{MAPS}/dependent") is None


async def test_a_dependent_that_comes_while_its_owner_waits_goes_too(world: World) -> None:
    owner = world.make(MAPS, "owner")
    world.make(MAPS, "held", reference(owner, blocks=True), metadata={"finalizers": ["example.com/hold"]})
    await world.settled()
    world.delete(f"{MAPS}/owner", "Foreground")
    await world.settled(1)
    world.make(MAPS, "late", reference(owner))
    await world.settled(1)
    assert world.get(f"{MAPS}/owner") is not None
    assert world.get(f"{MAPS}/late") is None
