"""Whatever somebody does to a child is undone, unless it is their business."""

import json
from typing import Any

import pytest

from pointsman.api.names import FLEET_NAMESPACE
from tests.controller_api.fleet import child, children, conditions, profile
from tests.controller_api.operator import Operator
from tests.controlplane.plane import ControlPlane

POD = "/spec/template/spec"
CONTAINER = f"{POD}/containers/0"


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


DRIFT: dict[str, tuple[str, dict[str, Any]]] = {
    "a foreign container": ("deployment", add(f"{POD}/containers/-", {"name": "evil", "image": "evil"})),
    "a foreign init container": ("deployment", add(f"{POD}/initContainers", [{"name": "evil", "image": "evil"}])),
    "an environment variable": ("deployment", add(f"{CONTAINER}/env/-", {"name": "LD_PRELOAD", "value": "evil"})),
    "a capability": ("deployment", add(f"{CONTAINER}/securityContext/capabilities/add", ["NET_ADMIN"])),
    "root": ("deployment", add(f"{CONTAINER}/securityContext", {"runAsUser": 0, "runAsNonRoot": False})),
    "the host's network": ("deployment", add(f"{POD}/hostNetwork", True)),
    "a foreign volume": ("deployment", add(f"{POD}/volumes/-", {"name": "evil", "hostPath": {"path": "/"}})),
    "another image": ("deployment", add(f"{CONTAINER}/image", "evil")),
    "a command": ("deployment", add(f"{CONTAINER}/command", ["sh"])),
    "another account": ("deployment", add(f"{POD}/serviceAccountName", "default")),
    "a node selector": ("deployment", add(f"{POD}/nodeSelector", {"pool": "evil"})),
    "a label on the pods": ("deployment", add("/spec/template/metadata/labels/evil", "x")),
    "more replicas": ("deployment", add("/spec/replicas", 5)),
    "a pause": ("deployment", add("/spec/paused", True)),
    "a longer wait": ("deployment", add("/spec/minReadySeconds", 60)),
    "another strategy": ("deployment", add("/spec/strategy", {"type": "Recreate"})),
    "a label of ours": ("deployment", add("/metadata/labels/app.kubernetes.io~1managed-by", "evil")),
    "more rights": ("role", add("/rules/-", {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]})),
    "another subject": (
        "rolebinding",
        add("/subjects/-", {"kind": "ServiceAccount", "name": "default", "namespace": FLEET_NAMESPACE}),
    ),
    "no subject": ("rolebinding", add("/subjects", [])),
    "another wanted policy": ("lease", add("/metadata/annotations/pointsman.dev~1wanted-policy", "evil")),
    "a budget that blocks": ("poddisruptionbudget", add("/spec/maxUnavailable", 0)),
    "a budget for others": ("poddisruptionbudget", add("/spec/selector/matchLabels/evil", "x")),
    "another generation of the policy": ("configmap", add("/metadata/annotations/pointsman.dev~1generation", "99")),
    "a label of the account": ("serviceaccount", add("/metadata/labels/app.kubernetes.io~1name", "evil")),
}
NO_DRIFT: dict[str, tuple[str, dict[str, Any]]] = {
    "a foreign label": ("deployment", add("/metadata/labels/argocd.io~1instance", "x")),
    "a foreign annotation": ("role", add("/metadata/annotations/argocd.io~1tracking", "x")),
    "a report on the Lease": ("lease", add("/metadata/annotations/pointsman.dev~1report", "{}")),
    "a pull secret of the account": ("serviceaccount", add("/imagePullSecrets", [{"name": "registry"}])),
    "a foreign owner": (
        "configmap",
        add("/metadata/ownerReferences/-", {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "n"}),
    ),
}


def name_of(plane: ControlPlane, kind: str, profile_name: str) -> str:
    """The name of a child."""
    if kind != "configmap":
        return f"engine-{profile_name}"
    return next(key.partition("/")[2] for key in children(plane, profile_name) if key.startswith("configmap/"))


def change(plane: ControlPlane, profile_name: str, kind: str, patch: dict[str, Any]) -> None:
    arguments = ("-n", FLEET_NAMESPACE, "--type=json", "-p", json.dumps([patch]))
    plane.kubectl("patch", kind, name_of(plane, kind, profile_name), *arguments)


@pytest.fixture
async def settled(plane: ControlPlane, operator: Operator, name: str) -> dict[str, Any]:
    """Two replicas, so that every kind of child is there; and the children as they should be."""
    plane.apply(profile(name, replicas=2))
    await operator.settle(name)
    return children(plane, name)


@pytest.mark.parametrize(("kind", "patch"), DRIFT.values(), ids=DRIFT.keys())
async def test_drift_is_healed_and_counted(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any], kind: str, patch: dict[str, Any]
) -> None:
    change(plane, name, kind, patch)
    assert children(plane, name) != settled
    await operator.settle(name)
    assert children(plane, name) == settled
    assert b"drift_corrected_total{kind=" in operator.metrics.page()
    assert [write for write in await operator.reconcile(name) if not write.endswith("/status")] == []


@pytest.mark.parametrize(("kind", "patch"), NO_DRIFT.values(), ids=NO_DRIFT.keys())
async def test_what_is_somebody_elses_stays(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any], kind: str, patch: dict[str, Any]
) -> None:
    change(plane, name, kind, patch)
    changed = child(plane, kind, name_of(plane, kind, name))
    assert await operator.reconcile(name) == []
    assert child(plane, kind, name_of(plane, kind, name))["metadata"] == changed["metadata"]


async def test_every_child_that_is_deleted_comes_back(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any]
) -> None:
    for key in settled:
        kind, _, child_name = key.partition("/")
        plane.kubectl("delete", kind, child_name, "-n", FLEET_NAMESPACE)
        await operator.settle(name)
        assert children(plane, name) == settled, key


async def test_a_restart_by_kubectl_is_kept_and_a_foreign_container_beside_it_is_not(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any]
) -> None:
    deployment = f"engine-{name}"
    plane.kubectl("rollout", "restart", f"deployment/{deployment}", "-n", FLEET_NAMESPACE)
    assert await operator.reconcile(name) == []
    change(plane, name, *DRIFT["a foreign container"])
    await operator.settle(name)
    template = child(plane, "deployment", deployment)["spec"]["template"]
    assert [container["name"] for container in template["spec"]["containers"]] == ["engine"]
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]


async def test_fields_that_another_manager_took_over_are_ours_again(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any]
) -> None:
    deployment = child(plane, "deployment", f"engine-{name}")
    stolen = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"engine-{name}", "namespace": FLEET_NAMESPACE},
        "spec": {key: deployment["spec"][key] for key in ("selector", "template")} | {"replicas": 9},
    }
    plane.apply(stolen)
    await operator.settle(name)
    assert children(plane, name) == settled


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("rolebinding", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "another"}}),
        ("deployment", {"spec": {"selector": {"matchLabels": {"old": "selector"}}}}),
        ("configmap", {"data": {"other.json": "{}"}}),
    ],
    ids=["roleRef", "selector", "policy"],
)
async def test_what_cannot_be_updated_is_made_anew_with_an_event(
    plane: ControlPlane, operator: Operator, name: str, settled: dict[str, Any], kind: str, spec: dict[str, Any]
) -> None:
    """As if another release had made it: ours by label and owner, but with a field that cannot change."""
    child_name = name_of(plane, kind, name)
    body = child(plane, kind, child_name)
    plane.kubectl("delete", kind, child_name, "-n", FLEET_NAMESPACE)
    metadata = {key: body["metadata"][key] for key in ("name", "namespace", "labels", "ownerReferences", "annotations")}
    made = {**{key: value for key, value in body.items() if key != "status"}, "metadata": metadata, **spec}
    if kind == "deployment":
        template = {**body["spec"]["template"], "metadata": {"labels": {"old": "selector"}}}
        made["spec"] = {"template": template, **spec["spec"]}
    plane.kubectl("create", "-f", "-", input=json.dumps(made))
    await operator.settle(name)
    assert children(plane, name) == settled
    assert [reason for reason, _ in operator.events.posted].count("Recreated") == 1
    assert conditions(plane, name)["PolicyValid"] == ("True", "PolicyCompiled")
