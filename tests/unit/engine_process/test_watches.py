"""Kinds that only some rules need: watched when a rule asks for them, and done without where they are refused."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from msgspec import structs
from tests.unit.engine_process.harness import Running, engine, ours, read_report, world
from tests.unit.engine_process.mini_api import MiniApi, until
from tests.unit.engine_process.policies import policy

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.intake.feeds import feeds
from pointsman.engine.intake.watches import Watches
from pointsman.kube.errors import Forbidden
from pointsman.kube.reflector import Refusal
from pointsman.policy.document import PredicateEntry, PreemptionEntry
from pointsman.policy.kinds import Kind
from pointsman.policy.policy import Policy
from pointsman.policy.registry import BUILT
from pointsman.policy.watches import watched_kinds
from pointsman.testing.builders import node

SERVICES_REFUSED = (
    "cannot list services (403 Forbidden), so there are none for NodeName: "
    "let ClusterRole pointsman-engine list them, and bind it to the engine's ServiceAccount"
)
SERVICES_NOT_SERVED = (
    "cannot list services (404 Not Found), so there are none for NodeName: "
    "have the API server serve v1, or disable what needs it"
)
BUDGETS_REFUSED = (
    "cannot list poddisruptionbudgets (403 Forbidden), so no pod is preempted: "
    "let ClusterRole pointsman-engine-preemption list them, and bind it to the engine's ServiceAccount"
)


@pytest.fixture
def _needing_services(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule of the tests' policy needs Services."""
    monkeypatch.setitem(BUILT, "NodeName", replace(BUILT["NodeName"], needs=frozenset({Kind.SERVICES})))


@contextlib.asynccontextmanager
async def refused_engine(api: MiniApi, plural: str, *policies: Policy) -> AsyncIterator[Running]:
    """An engine that is refused a kind, once it takes that for an answer: rights may only be on their way."""
    async with engine(api, *policies, wait=False) as running:
        await until(lambda: plural in api.listed)
        for _ in range(20):
            if api.lease()["spec"].get("holderIdentity"):
                break
            await running.clock.advance(1)
        yield running


async def notes(running: Running) -> tuple[str, ...]:
    """The notes of a report that is complete."""
    return (await running.report()).notes


async def pass_until_told(running: Running, expected: tuple[str, ...]) -> None:
    """Let time pass until the report has these notes."""
    for _ in range(40):
        if read_report(running.api).profiles["p"].notes == expected:
            return
        await running.clock.advance(2)
    assert read_report(running.api).profiles["p"].notes == expected


async def test_what_no_rule_needs_is_not_watched() -> None:
    api = world()
    async with engine(api):
        assert api.listed == {"nodes", "pods", "namespaces"}


@pytest.mark.usefixtures("_needing_services")
async def test_what_a_rule_needs_is_watched_before_anything_is_decided() -> None:
    api = world(pods=[ours("p")])
    async with engine(api) as running:
        await until(lambda: api.node_of("p") == "n1")
        assert api.listed == {"nodes", "pods", "namespaces", "services"}
        assert await notes(running) == ()


@pytest.mark.usefixtures("_needing_services")
@pytest.mark.parametrize(
    ("code", "note"),
    [pytest.param(403, SERVICES_REFUSED, id="not allowed"), pytest.param(404, SERVICES_NOT_SERVED, id="not served")],
)
async def test_a_kind_that_is_refused_keeps_nobody_from_working_and_is_told(code: int, note: str) -> None:
    api = world(pods=[ours("p")])
    api.refuse["services"] = code
    async with refused_engine(api, "services") as running:
        await until(lambda: api.node_of("p") == "n1")
        assert await running.page("/readyz") == (200, "ok\n")
        assert await notes(running) == (note,)


@pytest.mark.usefixtures("_needing_services")
async def test_the_note_goes_when_the_kind_may_be_watched_after_all() -> None:
    api = world()
    api.refuse["services"] = 403
    async with refused_engine(api, "services") as running:
        await pass_until_told(running, (SERVICES_REFUSED,))
        del api.refuse["services"]
        await pass_until_told(running, ())


@dataclass
class Mirrored:
    """A reflector that was refused; nothing else of it is looked at."""

    refusal: Refusal | None
    synced: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.mark.usefixtures("_needing_services")
def test_what_was_seen_before_a_refusal_is_said_to_stay() -> None:
    mirrored = Mirrored(Refusal("watch", Forbidden(403, "Forbidden", "no")))
    mirrored.synced.set()
    watches = Watches({}, cast("Any", {Kind.SERVICES: mirrored}))
    (note,) = watches.notes(policy().document)
    assert note == (
        "cannot watch services (403 Forbidden), so they stay as last seen for NodeName: "
        "let ClusterRole pointsman-engine watch them, and bind it to the engine's ServiceAccount"
    )


@pytest.mark.usefixtures("_needing_services")
async def test_no_answer_is_waited_for_because_it_may_come() -> None:
    api = world([node("n1")], [ours("p")])
    api.refuse["services"] = 500
    async with engine(api, wait=False) as running:
        await until(lambda: "services" in api.listed)
        await running.clock.advance(30)
        status, text = await running.page("/readyz")
        assert (status, text.partition(":")[0]) == (503, "no complete list of services yet")
        assert api.bindings == []


async def test_pods_that_may_not_be_listed_are_waited_for() -> None:
    api = world()
    api.refuse["pods"] = 403
    async with engine(api, wait=False) as running:
        await until(lambda: "pods" in api.listed)
        await running.clock.advance(30)
        status, text = await running.page("/readyz")
    assert status == 503
    assert text.startswith("no complete list of pods yet: forbidden: cannot list pods")


def full_node() -> MiniApi:
    """A node that a pod of low priority fills, and a pod of high priority that waits for it."""
    low = ours("low").container(cpu="1").priority(1).on("n1")
    return world([node("n1").cpu("1")], [low, ours("high").container(cpu="1").priority(10)])


async def test_nobody_is_preempted_while_budgets_may_not_be_read() -> None:
    api = full_node()
    api.refuse["poddisruptionbudgets"] = 403
    async with refused_engine(api, "poddisruptionbudgets", policy(preemption=PreemptionEntry())) as running:
        await until(lambda: api.condition("high") != {})
        assert api.condition("high")["message"] == "0/1 nodes are available: 1 Insufficient cpu."
        assert api.pod("low")["status"].get("conditions", []) == []
        assert await notes(running) == (BUDGETS_REFUSED,)
        del api.refuse["poddisruptionbudgets"]
        await pass_until_told(running, ())
        await running.clock.advance(400)  # until the pod is tried again by time alone
        await until(lambda: ("default", "low") in api.deletions)


async def test_where_budgets_are_not_served_there_are_none() -> None:
    api = full_node()
    api.refuse["poddisruptionbudgets"] = 404
    async with engine(api, policy(preemption=PreemptionEntry())):
        await until(lambda: ("default", "low") in api.deletions)


@pytest.mark.usefixtures("_needing_services")
def test_a_policy_needs_a_kind_for_its_instances_by_their_names() -> None:
    plain = policy().document
    assert dict(watched_kinds(plain)) == {Kind.SERVICES: ("NodeName",)}
    twin = PredicateEntry(name="twin", rule="NodeName")
    other = structs.replace(plain, predicates=(twin, *plain.predicates))
    assert dict(watched_kinds(other)) == {Kind.SERVICES: ("twin", "NodeName")}


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: str(kind.resource.plural))
def test_every_kind_has_a_way_into_the_cluster_and_a_role_that_reads_it(kind: Kind) -> None:
    assert kind in feeds(Cluster())
    assert kind.cluster_role.startswith("pointsman-engine")
