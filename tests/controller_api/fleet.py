"""What tests ask of the control plane about a profile's children."""

from collections.abc import Mapping
from typing import Any

from pointsman.api.names import FLEET_NAMESPACE
from pointsman.testing.status_oracle import status_faults
from tests.controlplane.plane import ControlPlane

KINDS = (
    "serviceaccount",
    "lease",
    "role",
    "rolebinding",
    "clusterrolebinding",
    "configmap",
    "poddisruptionbudget",
    "deployment",
)
_SERVERS_OWN = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences")


def profile(name: str, **spec: Any) -> dict[str, Any]:
    """A profile's manifest; its schedulerName is its name."""
    return {
        "apiVersion": "pointsman.dev/v1alpha1",
        "kind": "SchedulerProfile",
        "metadata": {"name": name},
        "spec": {"schedulerName": name, **spec},
    }


def child(plane: ControlPlane, kind: str, name: str) -> dict[str, Any]:
    """One object in the fleet namespace."""
    return plane.get(kind, name, "-n", FLEET_NAMESPACE)


def children(plane: ControlPlane, name: str) -> dict[str, Any]:
    """Everything with a profile's label, without what the server alone decides, by `kind/name`."""
    selector = f"pointsman.dev/profile={name}"
    listed = plane.get(",".join(KINDS), "-n", FLEET_NAMESPACE, "-l", selector)["items"]
    return {f"{body['kind'].lower()}/{body['metadata']['name']}": _comparable(body) for body in listed}


def status(plane: ControlPlane, name: str) -> dict[str, Any]:
    """A profile's status, which is sound or the test fails here."""
    body = plane.get("sprof", name)
    assert status_faults(body) == []
    told: dict[str, Any] = body["status"]
    return told


def conditions(plane: ControlPlane, name: str) -> dict[str, tuple[str, str]]:
    """Status and reason of each condition."""
    return {each["type"]: (each["status"], each["reason"]) for each in status(plane, name)["conditions"]}


def message(plane: ControlPlane, name: str) -> str:
    """What the Ready condition says."""
    return str(next(each["message"] for each in status(plane, name)["conditions"] if each["type"] == "Ready"))


def _comparable(body: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in body["metadata"].items() if key not in _SERVERS_OWN}
    annotations = {
        key: value
        for key, value in metadata.pop("annotations", {}).items()
        if key != "deployment.kubernetes.io/revision"
    }
    rest = {key: value for key, value in body.items() if key not in {"metadata", "status"}}
    return {**rest, "metadata": {**metadata, "annotations": annotations}}
