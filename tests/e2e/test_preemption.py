"""Preemption on a real control plane: who goes, who stays, what is told, and with which rights.

Victims carry a finalizer, so that they stay on their node for as long as a test wants to look at the pod that waits.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.fleet import Fleet
from tests.e2e.workloads import in_pool, labelled, pod, profile

pytestmark = pytest.mark.timeout(240)

NAME = "bold"
HOLD = "example.com/hold"
TIGHT = in_pool("tight")


def priority_class(name: str, value: int) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def filler(name: str, node: str, guarded: str) -> dict[str, Any]:
    """Half of a node's cpus at low priority; once evicted it stays until the test lets it go."""
    made = labelled(
        pod(name, NAME, cpu="1", priorityClassName="low", **TIGHT | {"nodeSelector": {"kubernetes.io/hostname": node}}),
        fills="yes",
        guarded=guarded,
    )
    return {**made, "metadata": {**made["metadata"], "finalizers": [HOLD]}}


BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "guard", "namespace": "default"},
    "spec": {"minAvailable": 2, "selector": {"matchLabels": {"guarded": "yes"}}},
}


def let_go(fleet: Fleet, name: str) -> None:
    """Let a pod that is deleted be gone."""
    fleet.plane.kubectl("patch", "pod", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def evicted(fleet: Fleet) -> list[str]:
    return [one["metadata"]["name"] for one in fleet.pods("fills=yes") if "deletionTimestamp" in one["metadata"]]


@pytest.fixture
def full(zoned: Fleet) -> Iterator[Fleet]:
    """Two nodes without room; a budget allows no disruption of the pods on the first."""
    zoned.apply(priority_class("low", 100), priority_class("high", 1000), BUDGET, profile(NAME))
    zoned.wait_ready(NAME)
    zoned.apply(*(filler(f"filler-{n}", f"tight-{n // 2}", "yes" if n < 2 else "no") for n in range(4)))
    zoned.wait_bound(4, "fills=yes")

    def guarded() -> bool:
        status = zoned.plane.get("poddisruptionbudget", "guard").get("status", {})
        assert (status.get("currentHealthy"), status.get("disruptionsAllowed")) == (2, 0), status
        return True

    eventually(guarded, what="the budget to count its pods")
    yield zoned
    for name in [one["metadata"]["name"] for one in zoned.pods("fills=yes")]:
        let_go(zoned, name)
    zoned.plane.kubectl("delete", "pod", "-l", "fills=yes", "--wait=false")
    zoned.plane.kubectl("delete", "pod", "urgent", "--ignore-not-found")


def test_a_pod_of_higher_priority_takes_the_place_of_one_that_no_budget_guards(full: Fleet) -> None:
    full.apply(pod("urgent", NAME, cpu="1", priorityClassName="high", **TIGHT))

    nominated = eventually(
        lambda: full.plane.get("pod", "urgent")["status"].get("nominatedNodeName", ""), what="a nominated node"
    )
    assert nominated == "tight-1"
    [victim] = eventually(lambda: evicted(full), what="an eviction")
    assert victim in ("filler-2", "filler-3")
    assert full.pod_condition(victim, "DisruptionTarget").get("reason") == "PreemptionByScheduler"
    uid = full.plane.get("pod", "urgent")["metadata"]["uid"]
    assert f"Preempted by pod {uid} on node tight-1" in preempted(full, victim)

    let_go(full, victim)
    assert full.wait_bound(1, f"app={NAME}")[0]["spec"]["nodeName"] == "tight-1"
    assert evicted(full) == []
    assert len(full.pods("fills=yes")) == 3
    eventually(lambda: stats(full)["preemptions"] == 1, what="the profile to count it", within=30)
    full.assert_nobody_was_refused()


def test_a_profile_without_preemption_evicts_nobody_and_loses_the_right(full: Fleet) -> None:
    binding = f"clusterrolebinding.rbac.authorization.k8s.io/pointsman:engine-preemption:{NAME}"
    assert binding in full.children(NAME)

    full.apply(profile(NAME, preemption={"state": "Disabled"}))
    full.wait_ready(NAME)
    eventually(lambda: binding not in full.children(NAME), what="the right to go with the last engine that used it")
    full.apply(pod("urgent", NAME, cpu="1", priorityClassName="high", **TIGHT))

    full.wait_told("urgent", "Insufficient cpu")
    assert "preemption" not in full.pod_condition("urgent")["message"]
    assert evicted(full) == []
    full.assert_nobody_was_refused()


def preempted(fleet: Fleet, victim: str) -> list[str]:
    """The notes of the events that tell of an eviction."""

    def told() -> list[str]:
        selector = f"reason=Preempted,involvedObject.name={victim}"
        return [event["message"] for event in fleet.plane.get("events", "--field-selector", selector)["items"]]

    return eventually(told, what=f"an event about {victim}")


def stats(fleet: Fleet) -> dict[str, Any]:
    found: dict[str, Any] = fleet.profile(NAME)["status"]["stats"]
    return found
