"""The road from `kubectl apply` to bound pods and live statistics, walked once from creation to deletion."""

import re

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.fleet import FLEET, Fleet
from tests.e2e.witness import ENGINE_USER, bindings
from tests.e2e.workloads import in_pool, pods, profile

pytestmark = pytest.mark.timeout(300)

HASH = r"[0-9a-f]{10}"
COLUMNS = "NAME SCHEDULER READY REASON REPLICAS PENDING SCHEDULED P99-MS AGE"


def row(fleet: Fleet, name: str) -> list[str]:
    """The cells that `kubectl get sprof NAME` prints."""
    header, line = fleet.plane.kubectl("get", "sprof", name).stdout.splitlines()
    assert header.split() == COLUMNS.split()
    return line.split()


def message(fleet: Fleet, name: str) -> str:
    """The last of the wide columns."""
    return fleet.condition(name, "Ready").get("message", "")


def test_a_profile_is_created_used_edited_broken_mended_scaled_suspended_and_deleted(fleet: Fleet) -> None:
    name = "road"
    shared = in_pool("shared")
    fleet.apply(profile(name))
    fleet.plane.kubectl("wait", "--for=condition=Ready", f"sprof/{name}", "--timeout=60s")
    assert re.fullmatch(
        rf"1/1 engines ready, leader engine-{name}-[0-9a-z]+-[0-9a-z]+, policy {HASH} in force", message(fleet, name)
    )

    fleet.apply(pods("first", 5, name, **shared))
    fleet.wait_bound(5, f"app={name}")
    eventually(lambda: row(fleet, name)[6] == "5", what="SCHEDULED to be 5", within=30)
    assert row(fleet, name)[:6] == [name, name, "True", "EngineReady", "1/1", "0"]
    assert int(row(fleet, name)[7]) > 0
    status = fleet.profile(name)["status"]
    first_policy = status["policy"]["hash"]
    assert re.fullmatch(HASH, first_policy)
    assert {engine["policyHash"] for engine in status["engines"]} == {first_policy} == {status["stats"]["policyHash"]}

    fleet.apply(profile(name, priorities=[{"name": "NodeResourcesFit", "weight": 5}]))
    fleet.wait_ready(name)
    settled = eventually(lambda: in_one_policy(fleet, name), what="one policy everywhere after the rollout", within=60)
    assert settled != first_policy

    fleet.apply(profile(name, replicas=3, priorities=[{"name": "NodeResourceFit"}]))
    eventually(lambda: fleet.condition(name, "Ready").get("reason") == "PolicyInvalid", what="the edit to be refused")
    assert message(fleet, name) == (
        'spec.priorities[NodeResourceFit]: unknown rule "NodeResourceFit", did you mean NodeResourcesFit?; '
        f"policy {settled} (generation 2) stays in force"
    )
    assert {
        kind: fleet.condition(name, kind).get("status") for kind in ("Ready", "Stalled", "PolicyValid", "Available")
    } == {"Ready": "False", "Stalled": "True", "PolicyValid": "False", "Available": "True"}
    fleet.apply(pods("second", 5, name, **shared))
    fleet.wait_bound(10, f"app={name}")
    assert len(fleet.engines(name)) == 1

    fleet.apply(profile(name, priorities=[{"name": "NodeResourcesFit", "weight": 5}]))
    fleet.wait_ready(name)
    assert fleet.condition(name, "Stalled") == {}

    scale_to_two_and_back(fleet, name)

    fleet.plane.kubectl("patch", "sprof", name, "--type=merge", "-p", '{"spec":{"suspend":true}}')
    eventually(lambda: row(fleet, name)[2:4] == ["True", "Suspended"], what="the profile to be suspended")
    fleet.plane.kubectl(
        "label", "deployment", f"engine-{name}", "-n", FLEET, "app.kubernetes.io/name=changed", "--overwrite"
    )
    fleet.apply(pods("third", 5, name, **shared))
    fleet.wait_bound(15, f"app={name}")
    deployment = fleet.plane.get("deployment", f"engine-{name}", "-n", FLEET)
    assert deployment["metadata"]["labels"]["app.kubernetes.io/name"] == "changed"
    fleet.plane.kubectl("patch", "sprof", name, "--type=merge", "-p", '{"spec":{"suspend":false}}')
    fleet.wait_ready(name)

    fleet.assert_nobody_was_refused()
    fleet.plane.kubectl("delete", "sprof", name, "--timeout=30s")
    eventually(lambda: fleet.children(name) == [], what=f"nothing to be left of {name}", within=60)
    placed = [bound for bound in bindings(fleet.plane.audit()) if bound.pod.startswith(("first-", "second-", "third-"))]
    assert len(placed) == 15
    assert {bound.user for bound in placed} == {ENGINE_USER + name}
    fleet.assert_no_node_is_overcommitted()
    fleet.assert_nobody_was_refused()


def in_one_policy(fleet: Fleet, name: str) -> str:
    """The hash on which status, every engine and the statistics agree; empty while they do not."""
    status = fleet.profile(name)["status"]
    told = {status["policy"]["hash"], status.get("stats", {}).get("policyHash")}
    told |= {engine.get("policyHash") for engine in status["engines"]}
    return str(told.pop()) if len(told) == 1 and len(status["engines"]) == 1 else ""


def scale_to_two_and_back(fleet: Fleet, name: str) -> None:
    """With two replicas there is a budget for disruptions, with one there is none."""
    fleet.plane.kubectl("scale", f"sprof/{name}", "--replicas=2")
    eventually(lambda: row(fleet, name)[4] == "2/2", what="2/2 replicas", within=60)
    assert f"poddisruptionbudget.policy/engine-{name}" in fleet.children(name)
    fleet.plane.kubectl("scale", f"sprof/{name}", "--replicas=1")
    eventually(lambda: row(fleet, name)[4] == "1/1", what="1/1 replicas", within=60)
    eventually(
        lambda: f"poddisruptionbudget.policy/engine-{name}" not in fleet.children(name), what="the budget to be gone"
    )
