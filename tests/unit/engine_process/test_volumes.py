"""Pods with claims, seen from outside: what is written for their volumes, and what their binding waits for."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.unit.engine_process.harness import Running, engine, ours, world
from tests.unit.engine_process.mini_api import Json, MiniApi, until
from tests.unit.engine_process.policies import document
from tests.unit.rules.stored import PROVISIONER, claim, storage_class, volume

from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim, StorageObject
from pointsman.policy.build import load
from pointsman.policy.document import PredicateEntry, PreemptionEntry, canonical_json
from pointsman.testing.builders import node

BY_HAND = storage_class(provisioner="kubernetes.io/no-provisioner")
MAKING = storage_class(provisioner=PROVISIONER)
PLURALS = {PersistentVolume: "persistentvolumes", PersistentVolumeClaim: "persistentvolumeclaims"}
PREFIX = 'running PreBind plugin "VolumeBinding": '
TIMEOUT = 30
COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED = "volume.kubernetes.io/selected-node"


def put(api: MiniApi, *objects: StorageObject) -> None:
    for item in objects:
        api.put(PLURALS.get(type(item), "storageclasses"), msgspec.json.decode(msgspec.json.encode(item)))


@contextlib.asynccontextmanager
async def at_work(api: MiniApi, preemption: PreemptionEntry | None = None) -> AsyncIterator[Running]:
    """An engine whose policy looks at volumes."""
    base = document(preemption=preemption)
    rule = PredicateEntry(name="VolumeBinding", rule="VolumeBinding", args={"bindTimeoutSeconds": TIMEOUT})
    content = canonical_json(msgspec.structs.replace(base, predicates=(*base.predicates, rule)))
    async with engine(api, load(content)) as running:
        await until(lambda: all(api.watched(plural) for plural in (*PLURALS.values(), "pods", "nodes")))
        yield running


def volume_of(api: MiniApi, name: str = "v") -> Json:
    return api.objects["persistentvolumes", "", name]


def claim_of(api: MiniApi, name: str = "c") -> Json:
    return api.objects["persistentvolumeclaims", "default", name]


def promised(api: MiniApi, name: str = "v") -> str:
    """Name of the claim that the volume is promised to."""
    return str(volume_of(api, name)["spec"].get("claimRef", {}).get("name", ""))


def given(api: MiniApi, name: str = "c") -> str:
    """The node that the claim was given."""
    return str(claim_of(api, name)["metadata"].get("annotations", {}).get(SELECTED, ""))


def change(api: MiniApi, found: Json, plural: str, **parts: Any) -> None:
    """Write some fields of an object anew."""
    api.put(plural, {**found, "metadata": dict(found["metadata"]), **parts})


def bind_claim(api: MiniApi, to: str, name: str = "c") -> None:
    """What the volume controller does in the end."""
    found = claim_of(api, name)
    annotations = {**found["metadata"].get("annotations", {}), COMPLETED: "yes"}
    metadata = {**found["metadata"], "annotations": annotations}
    change(api, found, "persistentvolumeclaims", metadata=metadata, spec={**found["spec"], "volumeName": to})


async def test_a_volume_is_promised_to_its_claim_and_the_pod_waits_until_the_claim_is_bound() -> None:
    api = world([node("n1"), node("n2")], [ours("p").claim("c")])
    put(api, BY_HAND, claim("c"), volume("v", on="n2"))
    async with at_work(api) as running:
        await until(lambda: promised(api) == "c")
        assert volume_of(api)["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
        reference = volume_of(api)["spec"]["claimRef"]
        assert (reference["kind"], reference["namespace"], reference["uid"]) == (
            "PersistentVolumeClaim",
            "default",
            "claim-c",
        )
        assert api.pod("p")["status"]["nominatedNodeName"] == "n2"
        await running.clock.advance(TIMEOUT - 1)
        assert api.bindings == []
        bind_claim(api, "v")
        await until(lambda: api.node_of("p") == "n2")
        report = await running.report()
    assert api.events_of("FailedScheduling") == []
    assert (report.attempts.scheduled, report.attempts.error) == (1, 0)


async def test_a_claim_without_a_volume_is_given_the_node_and_the_pod_waits_for_its_volume() -> None:
    api = world([node("n1")], [ours("p").claim("c")])
    put(api, MAKING, claim("c"))
    async with at_work(api):
        await until(lambda: given(api) == "n1")
        bind_claim(api, "made")  # the volume itself is not seen yet
        await until(lambda: COMPLETED in claim_of(api)["metadata"]["annotations"])
        assert api.bindings == []
        put(api, volume("made", on="n1"))
        await until(lambda: api.node_of("p") == "n1")
    assert api.events_of("FailedScheduling") == []


async def test_nobody_else_waits_and_no_volume_is_given_twice() -> None:
    api = world([node("n1")], [ours("p").claim("c"), ours("q").claim("d"), ours("plain")])
    put(api, BY_HAND, claim("c"), claim("d"), volume("v"))
    async with at_work(api) as running:
        await until(lambda: api.node_of("plain") == "n1" and len(api.events_of("FailedScheduling")) == 1)
        await until(lambda: promised(api) != "")
        winner, loser = ("p", "q") if promised(api) == "c" else ("q", "p")
        bind_claim(api, "v", promised(api))
        await until(lambda: api.node_of(winner) == "n1")
        put(api, volume("w"))
        await running.clock.advance(2)
        await until(lambda: promised(api, "w") != "")
        bind_claim(api, "w", promised(api, "w"))
        await until(lambda: api.node_of(loser) == "n1")
    (failure,) = api.events_of("FailedScheduling")
    assert failure["note"] == "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind."


async def test_a_volume_that_changed_meanwhile_is_not_written_and_the_pod_is_tried_again() -> None:
    api = world([node("n1")], [ours("p").claim("c")])
    put(api, BY_HAND, claim("c"), volume("v"))
    api.before_patch["persistentvolumes"].append(lambda: change(api, volume_of(api), "persistentvolumes"))
    async with at_work(api) as running:
        await until(lambda: api.condition("p") != {})
        assert promised(api) == ""
        await running.clock.advance(2)
        await until(lambda: promised(api) == "c")
    assert api.condition("p")["message"] == f"{PREFIX}Operation cannot be fulfilled: resourceVersion"


async def test_a_controller_that_does_nothing_is_waited_for_no_longer_than_the_args_say() -> None:
    api = world([node("n1")], [ours("p").claim("c")])
    put(api, MAKING, claim("c"))
    async with at_work(api) as running:
        await until(lambda: given(api) == "n1")
        await running.clock.advance(TIMEOUT)
        await until(lambda: api.condition("p") != {})
        assert api.condition("p")["message"] == f"{PREFIX}binding volumes: context deadline exceeded"
        assert api.condition("p")["reason"] == "SchedulerError"
        assert "nominatedNodeName" not in api.pod("p")["status"]
        await running.clock.advance(2)  # tried again on the node that the claim has
        bind_claim(api, "made")
        put(api, volume("made"))
        await until(lambda: api.node_of("p") == "n1")


async def test_a_provisioner_that_gives_up_has_the_pod_tried_again() -> None:
    api = world([node("n1")], [ours("p").claim("c")])
    put(api, MAKING, claim("c"))
    async with at_work(api) as running:
        await until(lambda: given(api) == "n1")
        found = claim_of(api)
        metadata = {**found["metadata"], "annotations": {"other": "annotation"}}
        change(api, found, "persistentvolumeclaims", metadata=metadata)
        await until(lambda: api.condition("p") != {})
        assert api.condition("p")["message"] == f'{PREFIX}binding volumes: provisioning failed for PVC "c"'
        await running.clock.advance(2)
        await until(lambda: given(api) == "n1")
        bind_claim(api, "made")
        put(api, volume("made"))
        await until(lambda: api.node_of("p") == "n1")


@pytest.mark.parametrize("ending", ["deleted", "being deleted"])
async def test_a_pod_that_ends_waits_for_nothing_any_more(ending: str) -> None:
    api = world([node("n1")], [ours("p").claim("c").container(cpu="40")])
    put(api, MAKING, claim("c"))
    async with at_work(api) as running:
        await until(lambda: given(api) == "n1")
        if ending == "deleted":
            api.delete("pods", "p", "default")
        else:
            api.put("pods", ours("p").claim("c").terminating().manifest())
        api.put("pods", ours("next").container(cpu="40").manifest())  # of 64: there is room for one
        await until(lambda: api.node_of("next") == "n1")
        await running.clock.advance(TIMEOUT)
    assert api.bindings == [("next", "n1")]
    assert api.events_of("FailedScheduling") == []


async def test_a_node_that_goes_ends_the_wait() -> None:
    api = world([node("n1")], [ours("p").claim("c")])
    put(api, MAKING, claim("c"))
    async with at_work(api):
        await until(lambda: given(api) == "n1")
        api.delete("nodes", "n1")
        await until(lambda: api.condition("p") != {})
    assert api.condition("p")["message"] == f'{PREFIX}binding volumes: failed to get node "n1": node "n1" not found'


async def test_a_pod_that_still_waits_for_its_volume_makes_room_without_being_deleted() -> None:
    api = world([node("n1").cpu("4")], [ours("low").claim("c").container(cpu="4").priority(1)])
    put(api, MAKING, claim("c"))
    async with at_work(api, PreemptionEntry()) as running:
        await until(lambda: given(api) == "n1")
        api.put("pods", ours("high").container(cpu="4").priority(9).manifest())
        await until(lambda: api.condition("low") != {})
        await running.clock.advance(2)
        await until(lambda: api.node_of("high") == "n1")
    assert api.deletions == []
    assert api.node_of("low") == ""
    (preempted,) = api.events_of("Preempted")
    assert preempted["note"] == "Preempted by pod pod-default-high on node n1 (in kube-scheduler memory)."
    notes = [event["note"] for event in api.events_of("FailedScheduling") if event["regarding"]["name"] == "low"]
    assert notes[0] == f"{PREFIX}preempted by DefaultPreemption"
