"""Who decides: taking over, standing by, being replaced, losing touch, ending."""

import asyncio
from typing import Any

import pytest
from tests.unit.engine_process.harness import engine, lease, ours, read_report, world
from tests.unit.engine_process.mini_api import until
from tests.unit.engine_process.policies import policy

from pointsman.api.report import Attempts
from pointsman.engine.process.identity import parse_lease
from pointsman.engine.process.leadership import Refusals
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, Unreachable, api_error
from pointsman.kube.objects import Lease, Metadata
from pointsman.policy.document import short_hash
from pointsman.testing.builders import node
from pointsman.testing.clock import VirtualClock

SEEN = Lease(metadata=Metadata(name="engine-p"))
MISSING = api_error(404, "NotFound", "x")
DENIED = api_error(403, "Forbidden", "x")
UNKNOWN = api_error(401, "Unauthorized", "x")


async def test_an_ordered_end_leaves_the_lease_free_with_a_complete_report() -> None:
    api = world(pods=[ours("p")])
    async with engine(api) as running:
        await until(lambda: len(api.events) == 1)
        assert read_report(api).profiles["p"].attempts == Attempts()  # too early for a new report
        assert await running.end() == 0
    assert api.lease()["spec"]["holderIdentity"] == ""
    assert read_report(api).profiles["p"].attempts == Attempts(scheduled=1)


async def test_the_next_engine_goes_on_with_the_counters() -> None:
    api = world(pods=[ours("a")])
    async with engine(api) as running:
        await until(lambda: len(api.events) == 1)
        await running.end()
    api.put("pods", ours("b").manifest())
    async with engine(api, identity="engine-p-2") as running:
        await until(lambda: len(api.events) == 2)
        assert (await running.report()).attempts.scheduled == 2


async def test_a_container_that_was_killed_goes_on_at_once_under_its_own_name() -> None:
    api, clock = world(pods=[ours("a")]), VirtualClock()
    async with engine(api, clock=clock) as running:
        await until(lambda: len(api.events) == 1)
        await running.report()
    api.put("leases", {**api.lease(), "spec": {**api.lease()["spec"], "holderIdentity": "engine-p-1"}})
    api.put("pods", ours("b").manifest())
    async with engine(api, clock=clock) as running:
        await until(lambda: len(api.bindings) == 2)
        assert (await running.report()).attempts.scheduled == 2


async def test_a_standby_is_ready_decides_nothing_and_takes_over_when_the_holder_falls_silent() -> None:
    api = world(pods=[ours("p")])
    api.put("leases", lease("engine-p-0"))
    async with engine(api, wait=False) as running:
        await until(running.port_open)
        await running.clock.advance(14)
        assert (await running.page("/readyz"))[0] == 200
        assert api.bindings == []
        await running.clock.advance(4)
        await until(lambda: api.bindings == [("p", "n1")])
        assert api.lease()["spec"]["holderIdentity"] == "engine-p-1"


@pytest.mark.parametrize(
    ("wanted", "taken_after"),
    [
        pytest.param(short_hash(policy().hash), 16, id="the policy that it has is wanted"),
        pytest.param("0123456789", 31, id="another policy is wanted: one Lease duration longer"),
    ],
)
async def test_a_standby_with_another_policy_than_the_wanted_one_waits_longer(wanted: str, taken_after: int) -> None:
    api = world()
    api.put("leases", lease("engine-p-0", **{"pointsman.dev/wanted-policy": wanted}))
    async with engine(api, wait=False) as running:
        await until(running.port_open)
        await running.clock.advance(taken_after - 2)
        assert api.lease()["spec"]["holderIdentity"] == "engine-p-0"
        await running.clock.advance(4)
        await until(lambda: api.lease()["spec"]["holderIdentity"] == "engine-p-1")


async def test_an_engine_that_sees_another_holder_ends_with_a_fault() -> None:
    api = world()
    async with engine(api) as running:
        api.put("leases", {**api.lease(), "spec": {"holderIdentity": "engine-p-2", "leaseDurationSeconds": 15}})
        await running.clock.advance(5)
        assert await running.task == 1
    assert api.lease()["spec"]["holderIdentity"] == "engine-p-2"


async def test_an_api_server_that_is_gone_for_a_minute_stops_nothing_for_good() -> None:
    api = world()
    async with engine(api) as running:
        api.break_down()
        await running.clock.advance(60)
        api.put("pods", ours("p").manifest())
        status, text = await running.page("/healthz")
        assert (status, text) == (200, "ok\n")  # a restart would mend nothing
        api.down = False
        await running.clock.advance(30)
        await until(lambda: api.bindings == [("p", "n1")])
        assert not running.task.done()


@pytest.mark.parametrize("outage", [0, 600])
async def test_watches_that_bring_nothing_are_no_reason_for_a_restart(outage: int) -> None:
    """Neither without bookmarks nor between the end of a long outage and the first bookmark after it."""
    api = world()
    async with engine(api) as running:
        if outage:
            api.break_down()
            await running.clock.advance(outage)
            api.down = False
        for _ in range(80):
            assert await running.page("/healthz") == (200, "ok\n")
            await running.clock.advance(5)


async def test_a_holder_that_cannot_renew_stops_binding_at_the_deadline_and_goes_on_when_it_can() -> None:
    api = world()
    async with engine(api) as running:
        await running.clock.advance(4)
        renewed, renewals = running.clock.monotonic(), api.lease()["spec"]["renewTime"]
        api.refuse["leases"] = 500
        await running.clock.advance(5)
        api.put("pods", ours("before").manifest())
        await until(lambda: api.node_of("before") == "n1")  # within ten seconds of the last renewal
        await running.clock.advance(renewed + 11 - running.clock.monotonic())
        api.put("pods", ours("after").manifest())
        await running.clock.advance(30)
        assert (api.node_of("after"), api.lease()["spec"]["renewTime"]) == ("", renewals)
        del api.refuse["leases"]
        await running.clock.advance(10)
        await until(lambda: api.node_of("after") == "n1")


async def test_an_engine_whose_profile_is_gone_ends_quietly() -> None:
    api = world()
    async with engine(api) as running:
        api.refuse.update(dict.fromkeys(("leases", "pods", "nodes", "namespaces"), 403))
        await running.clock.advance(30)
        assert await running.task == 0


async def test_an_engine_whose_lease_is_missing_waits_for_a_new_one() -> None:
    api = world()
    async with engine(api) as running:
        api.delete("leases", "engine-p", "fleet")
        await running.clock.advance(60)
        api.put("leases", lease())
        api.put("pods", ours("p").manifest())
        await running.clock.advance(20)
        await until(lambda: api.bindings == [("p", "n1")])
        assert not running.task.done()


async def test_nothing_is_decided_and_no_lease_taken_before_every_list_is_complete() -> None:
    api = world(pods=[ours("p")])
    api.refuse["namespaces"] = 403
    async with engine(api, wait=False) as running:
        await until(running.port_open)
        await running.clock.advance(60)
        assert (api.bindings, api.lease()["spec"]) == ([], {})
        status, text = await running.page("/readyz")
        assert status == 503
        assert text.startswith("no complete list of namespaces yet: forbidden: cannot list namespaces: ")
        del api.refuse["namespaces"]
        await running.clock.advance(30)
        await until(lambda: api.bindings == [("p", "n1")])


@pytest.mark.parametrize(
    ("rounds", "gone"),
    [
        pytest.param([(SEEN, None), (None, MISSING), (None, DENIED), (None, DENIED)], True, id="missing, then denied"),
        pytest.param([(SEEN, None), (SEEN, UNKNOWN), (SEEN, UNKNOWN)], True, id="the token is not accepted any more"),
        pytest.param([(SEEN, None), (None, MISSING), (None, MISSING)], False, id="only missing: it comes back"),
        pytest.param([(None, DENIED), (None, DENIED)], False, id="never seen: the operator is not done yet"),
        pytest.param([(SEEN, None), (SEEN, Unreachable("down")), (SEEN, Unreachable("down"))], False, id="no answer"),
        pytest.param([(SEEN, None), (SEEN, DENIED), (SEEN, None)], False, id="denied for a moment"),
        pytest.param([(SEEN, None), (SEEN, DENIED)], False, id="denied, but not for long"),
    ],
)
def test_a_profile_is_gone_when_its_lease_gives_nothing_but_refusals(
    rounds: list[tuple[Lease | None, KubeError | None]], gone: bool
) -> None:
    refusals, now = Refusals(), 0.0
    for seen, failure in rounds:
        refusals.look(seen, failure, now)
        now += 15
    assert refusals.mean_gone(now - 15) is gone


@pytest.mark.parametrize("text", ["", "a", "a/", "/b", "a/b/c", "A/b", "a b/c"])
def test_a_lease_needs_a_namespace_and_a_name(text: str) -> None:
    with pytest.raises(ValueError, match="is not NAMESPACE/NAME"):
        parse_lease(text)


@pytest.mark.parametrize("path", ["/binding", "/status", "/events"])
async def test_a_part_that_fails_ends_the_engine_with_what_happened(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever part it is, and not with "unhandled errors in a TaskGroup"."""
    api = world([node("n1").cpu("1")], [ours("p"), ours("big").container(cpu="2")])
    request = Client.request

    async def broken(client: Client, method: str, target: str, **more: Any) -> bytes:
        if target.endswith(path):
            raise RuntimeError("the disk is full")
        return await request(client, method, target, **more)

    monkeypatch.setattr(Client, "request", broken)
    async with engine(api, wait=False) as running:
        with pytest.raises(RuntimeError, match="the disk is full"):
            await asyncio.wait_for(running.task, 20)
