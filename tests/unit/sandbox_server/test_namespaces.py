"""What a namespace begins with, and how it ends: Kubernetes' documentation, "Namespaces" and "Service Accounts"."""

from collections.abc import AsyncIterator

import pytest
from tests.unit.sandbox_server.calls import Server
from tests.unit.sandbox_server.calls import pod as small_pod
from tests.unit.sandbox_server.world import World

from pointsman.kube.errors import ApiError
from pointsman.kube.resources import CONFIG_MAPS, NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS, Resource
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.namespaces import Namespaces
from pointsman.sandbox.controllers.objects import Item

SPACES = "/api/v1/namespaces"
MERGE = "application/merge-patch+json"
UNSERVED = Resource("example.com", "v1", "things", "Thing")


@pytest.fixture
async def world(server: Server) -> AsyncIterator[World]:
    world = World(server)
    watched = (NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS)
    mirrors = [Mirror(world.client, kind, Item, world.clock, world.rng) for kind in watched]
    spaces, accounts, maps = mirrors
    kinds = (*watched, PODS, NODES, UNSERVED)
    controller = Namespaces(
        world.client, spaces, accounts, maps, lambda: kinds, "PEM", clock=world.clock, rng=world.rng
    )
    async with world.running(mirrors, controller.loop.run()):
        world.make(SPACES, "a")
        await world.settled()
        yield world


async def test_a_namespace_begins_with_an_account_and_the_servers_certificate(world: World) -> None:
    assert world.get(f"{SPACES}/a/serviceaccounts/default") is not None
    authority = world.get(f"{SPACES}/a/configmaps/kube-root-ca.crt")
    assert authority is not None
    assert authority["data"] == {"ca.crt": "PEM"}


@pytest.mark.parametrize("path", ["serviceaccounts/default", "configmaps/kube-root-ca.crt"])
async def test_what_a_namespace_begins_with_comes_back(world: World, path: str) -> None:
    before = world.get(f"{SPACES}/a/{path}")
    world.delete(f"{SPACES}/a/{path}")
    await world.settled()
    after = world.get(f"{SPACES}/a/{path}")
    assert before is not None
    assert after is not None
    assert before["metadata"]["uid"] != after["metadata"]["uid"]


async def test_a_namespace_goes_with_all_that_is_in_it_and_nothing_else(world: World) -> None:
    world.make(f"{SPACES}/a/configmaps", "mine")
    world.make(f"{SPACES}/a/pods", "mine", spec=small_pod()["spec"])
    world.make(f"{SPACES}/default/configmaps", "other")
    world.make("/api/v1/nodes", "n")
    world.delete(f"{SPACES}/a")
    await world.settled(1)
    assert world.get(f"{SPACES}/a") is None
    assert world.get(f"{SPACES}/a/configmaps/mine") is None
    assert world.get(f"{SPACES}/a/pods/mine") is None
    assert world.get(f"{SPACES}/default/configmaps/other") is not None
    assert world.get("/api/v1/nodes/n") is not None


async def test_a_namespace_waits_for_what_has_finalizers(world: World) -> None:
    world.make(f"{SPACES}/a/configmaps", "held", metadata={"finalizers": ["example.com/hold"]})
    world.delete(f"{SPACES}/a")
    await world.settled(5)
    left = world.get(f"{SPACES}/a")
    assert left is not None
    assert left["status"]["phase"] == "Terminating"
    body = {"metadata": {"finalizers": None}}
    world.server.done("PATCH", f"{SPACES}/a/configmaps/held", body, content_type=MERGE)
    await world.settled(1)
    assert world.get(f"{SPACES}/a") is None


async def test_nothing_new_comes_into_a_namespace_that_ends(world: World) -> None:
    world.make(f"{SPACES}/a/configmaps", "held", metadata={"finalizers": ["example.com/hold"]})
    world.delete(f"{SPACES}/a")
    await world.settled(1)
    assert world.get(f"{SPACES}/a/serviceaccounts/default") is None
    status, refused = world.server.answer("POST", f"{SPACES}/a/configmaps", {"metadata": {"name": "late"}})
    assert (status, refused["reason"]) == (403, "Forbidden")


@pytest.mark.parametrize("where", ["spec", "metadata"])
async def test_a_finalizer_of_somebody_else_holds_an_empty_namespace(world: World, where: str) -> None:
    theirs = ["example.com/hold"]
    if where == "spec":
        world.make(SPACES, "b", spec={"finalizers": ["kubernetes", *theirs]})
    else:
        world.make(SPACES, "b", metadata={"finalizers": theirs})
    world.make(f"{SPACES}/b/configmaps", "mine")
    world.delete(f"{SPACES}/b")
    await world.settled(1)
    left = world.get(f"{SPACES}/b")
    assert left is not None
    assert left[where]["finalizers"] == theirs
    assert world.get(f"{SPACES}/b/configmaps/mine") is None


async def test_an_end_that_failed_is_tried_again(world: World) -> None:
    failures = [ApiError(500, "InternalError", "not now")]
    world.client.refuse = lambda method, _path: failures.pop() if method == "DELETE" and failures else None
    world.delete(f"{SPACES}/a")
    await world.settled(60)
    assert not failures
    assert world.get(f"{SPACES}/a") is None


async def test_a_namespace_of_the_same_name_begins_anew(world: World) -> None:
    world.delete(f"{SPACES}/a")
    await world.settled(1)
    world.make(SPACES, "a")
    await world.settled()
    assert world.get(f"{SPACES}/a/serviceaccounts/default") is not None
    assert world.get(f"{SPACES}/a/configmaps/kube-root-ca.crt") is not None
