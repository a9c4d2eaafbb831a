"""Somebody else changes a profile's children: ours come back within seconds, theirs are left alone and reported."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import FLEET, Fleet
from tests.e2e.workloads import profile

pytestmark = pytest.mark.timeout(240)

HEAL_SECONDS = 10
FOREIGN_CONTAINER = {"name": "miner", "image": "example.com/miner:1"}

CONTAINER = "/spec/template/spec/containers/0"
TEMPLATE_DRIFT: dict[str, list[dict[str, Any]]] = {
    "a foreign container": [{"op": "add", "path": "/spec/template/spec/containers/-", "value": FOREIGN_CONTAINER}],
    "a foreign volume": [
        {"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"name": "host", "hostPath": {"path": "/"}}}
    ],
    "a foreign environment variable": [
        {"op": "add", "path": f"{CONTAINER}/env/-", "value": {"name": "LD_PRELOAD", "value": "/tmp/x.so"}}
    ],
    "a capability": [{"op": "add", "path": f"{CONTAINER}/securityContext/capabilities/add", "value": ["NET_ADMIN"]}],
    "the host's network": [{"op": "add", "path": "/spec/template/spec/hostNetwork", "value": True}],
    "another image": [{"op": "replace", "path": f"{CONTAINER}/image", "value": "example.com/other:1"}],
    "another service account": [
        {"op": "replace", "path": "/spec/template/spec/serviceAccountName", "value": "default"}
    ],
}


@pytest.fixture(scope="module")
def fleet(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """A cluster of this module's own: an engine whose ServiceAccount is deleted is refused, as it must be."""
    with make_fleet(()) as made:
        yield made


@pytest.fixture(scope="module")
def drifting(fleet: Fleet) -> str:
    """A Ready profile for this module's changes."""
    fleet.apply(profile("drifting"))
    fleet.wait_ready("drifting")
    return "drifting"


def template(fleet: Fleet, name: str) -> dict[str, Any]:
    """The pod template of a profile's Deployment, without the mark of a restart."""
    found: dict[str, Any] = fleet.plane.get("deployment", f"engine-{name}", "-n", FLEET)["spec"]["template"]
    return found


@pytest.mark.parametrize("patch", TEMPLATE_DRIFT.values(), ids=TEMPLATE_DRIFT.keys())
def test_a_changed_pod_template_is_put_back(fleet: Fleet, drifting: str, patch: list[dict[str, Any]]) -> None:
    before = template(fleet, drifting)
    fleet.plane.kubectl("patch", "deployment", "engine-drifting", "-n", FLEET, "--type=json", "-p", json.dumps(patch))
    eventually(lambda: template(fleet, drifting) == before, what="the template to be put back", within=HEAL_SECONDS)


@pytest.mark.parametrize("kind", ["serviceaccount", "role", "rolebinding", "deployment", "lease"])
def test_a_deleted_child_comes_back(fleet: Fleet, drifting: str, kind: str) -> None:
    name = f"engine-{drifting}"
    uid = fleet.plane.get(kind, name, "-n", FLEET)["metadata"]["uid"]
    fleet.plane.kubectl("delete", kind, name, "-n", FLEET, "--wait=false")

    def back() -> bool:
        found = fleet.plane.kubectl("get", kind, name, "-n", FLEET, "-o", "jsonpath={.metadata.uid}", check=False)
        return found.returncode == 0 and found.stdout not in ("", uid)

    eventually(back, what=f"{kind} {name} to come back", within=HEAL_SECONDS)


def test_a_deleted_cluster_role_binding_and_config_map_come_back(fleet: Fleet, drifting: str) -> None:
    policy = fleet.profile(drifting)["status"]["policy"]["hash"]
    config_map = f"engine-{drifting}-{policy}"
    fleet.plane.kubectl("delete", "clusterrolebinding", f"pointsman:engine:{drifting}")
    fleet.plane.kubectl("delete", "configmap", config_map, "-n", FLEET)
    for arguments in (("clusterrolebinding", f"pointsman:engine:{drifting}"), ("configmap", config_map, "-n", FLEET)):
        fleet.plane.kubectl("wait", "--for=create", *arguments, f"--timeout={HEAL_SECONDS}s")


def test_a_widened_role_is_narrowed_again(fleet: Fleet, drifting: str) -> None:
    before = fleet.plane.get("role", f"engine-{drifting}", "-n", FLEET)["rules"]
    more = [{"op": "add", "path": "/rules/-", "value": {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}}]
    fleet.plane.kubectl("patch", "role", f"engine-{drifting}", "-n", FLEET, "--type=json", "-p", json.dumps(more))
    eventually(
        lambda: fleet.plane.get("role", f"engine-{drifting}", "-n", FLEET)["rules"] == before,
        what="the Role to be narrowed",
        within=HEAL_SECONDS,
    )


def test_a_restart_asked_for_by_kubectl_is_let_through(fleet: Fleet, drifting: str) -> None:
    before = {pod["metadata"]["name"] for pod in fleet.engines(drifting)}
    fleet.plane.kubectl("rollout", "restart", f"deployment/engine-{drifting}", "-n", FLEET)
    fleet.plane.kubectl("rollout", "status", f"deployment/engine-{drifting}", "-n", FLEET, "--timeout=60s")
    eventually(
        lambda: (
            len(fleet.engines(drifting)) == 1
            and not before & {pod["metadata"]["name"] for pod in fleet.engines(drifting)}
        ),
        what="another engine pod",
        within=60,
    )


def test_a_foreign_object_of_a_child_s_name_is_left_alone_and_reported(fleet: Fleet) -> None:
    foreign = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "engine-clash", "namespace": FLEET, "annotations": {"owner": "somebody"}},
    }
    fleet.apply(foreign)
    fleet.apply(profile("clash"))
    eventually(lambda: fleet.condition("clash", "Stalled").get("reason") == "NameConflict", what="Stalled")
    assert "ServiceAccount engine-clash exists" in fleet.condition("clash", "Stalled")["message"]
    account = fleet.plane.get("serviceaccount", "engine-clash", "-n", FLEET)
    assert account["metadata"]["annotations"] == {"owner": "somebody"}
    assert "ownerReferences" not in account["metadata"]

    fleet.plane.kubectl("delete", "serviceaccount", "engine-clash", "-n", FLEET)
    fleet.wait_ready("clash")
