"""What must never stand in a manifest, read from the files themselves."""

import importlib.metadata
from collections.abc import Iterator
from typing import Any

import pytest

from pointsman.api import names
from tests.manifests.install import documents

FLEET_CHILDREN = {
    "configmaps",
    "serviceaccounts",
    "deployments",
    "leases",
    "poddisruptionbudgets",
    "roles",
    "rolebindings",
}


def rules() -> Iterator[tuple[str, dict[str, Any]]]:
    for document in documents():
        for rule in document.get("rules") or ():
            yield f"{document['kind']} {document['metadata'].get('namespace', '')}/{document['metadata']['name']}", rule


def role(kind: str, name: str, namespace: str | None = None) -> list[dict[str, Any]]:
    [found] = [
        document
        for document in documents()
        if document["kind"] == kind
        and document["metadata"]["name"] == name
        and document["metadata"].get("namespace") == namespace
    ]
    rules: list[dict[str, Any]] = found["rules"]
    return rules


@pytest.mark.parametrize("key", ["apiGroups", "resources", "verbs"])
def test_no_rule_has_a_wildcard(key: str) -> None:
    assert [where for where, rule in rules() if any("*" in value for value in rule[key])] == []


@pytest.mark.parametrize("verb", ["escalate", "impersonate", "approve", "sign", "deletecollection"])
def test_no_rule_has_a_verb_of_taking_over(verb: str) -> None:
    assert [where for where, rule in rules() if verb in rule["verbs"]] == []


@pytest.mark.parametrize(
    "resource", ["secrets", "pods/exec", "pods/attach", "pods/portforward", "serviceaccounts/token", "nodes/proxy"]
)
def test_no_rule_reaches_secrets_or_into_pods(resource: str) -> None:
    assert [where for where, rule in rules() if resource in rule["resources"]] == []


def test_only_the_operator_may_bind_and_only_the_three_roles_of_engines() -> None:
    [(where, rule)] = [(where, rule) for where, rule in rules() if "bind" in rule["verbs"]]

    assert where == "ClusterRole /pointsman-operator"
    assert rule == {
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["clusterroles"],
        "resourceNames": ["pointsman-engine", "pointsman-engine-volumes", "pointsman-engine-preemption"],
        "verbs": ["bind"],
    }


def test_the_operator_writes_children_in_the_fleet_namespace_only() -> None:
    written = {
        resource
        for rule in role("Role", "pointsman-operator", "pointsman-engines")
        for resource in rule["resources"]
        if "create" in rule["verbs"]
    }
    anywhere = {
        resource
        for rule in role("ClusterRole", "pointsman-operator")
        for resource in rule["resources"]
        if {"create", "delete"} & set(rule["verbs"])
    }

    assert written == FLEET_CHILDREN
    assert anywhere == {"clusterrolebindings"}


def test_an_engine_has_no_right_on_leases_or_profiles_from_its_cluster_role() -> None:
    resources = {resource for rule in role("ClusterRole", "pointsman-engine") for resource in rule["resources"]}

    owners = {"services", "replicationcontrollers", "replicasets", "statefulsets"}
    assert resources == {"nodes", "pods", "namespaces", "pods/binding", "pods/status", "events"} | owners


def test_only_reading_is_aggregated() -> None:
    aggregated = [
        document
        for document in documents()
        if any("aggregate-to" in label for label in document["metadata"].get("labels", {}))
    ]

    assert [document["metadata"]["name"] for document in aggregated] == ["pointsman-view"]
    assert {verb for rule in aggregated[0]["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}


def test_the_names_are_those_that_the_operator_and_the_engines_use() -> None:
    present = {(document["kind"], document["metadata"]["name"]) for document in documents()}

    assert {
        ("Namespace", names.OPERATOR_NAMESPACE),
        ("Namespace", names.FLEET_NAMESPACE),
        ("ClusterRole", names.ENGINE_CLUSTER_ROLE),
        ("ClusterRole", names.ENGINE_VOLUMES_CLUSTER_ROLE),
        ("ClusterRole", names.ENGINE_PREEMPTION_CLUSTER_ROLE),
        ("ConfigMap", names.IMAGES_CONFIG_MAP),
    } <= present
    leases = [rule for rule in role("Role", "pointsman-operator", names.OPERATOR_NAMESPACE) if "resourceNames" in rule]
    assert [rule["resourceNames"] for rule in leases] == [[names.OPERATOR_LEASE], [names.IMAGES_CONFIG_MAP]]


def test_the_operators_image_is_of_this_version_and_that_of_engines_too() -> None:
    [deployment] = [document for document in documents() if document["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    image = f"pointsman/pointsman:{importlib.metadata.version('pointsman')}"

    assert container["image"] == image
    assert {"name": "POINTSMAN_ENGINE_IMAGE", "value": image} in container["env"]


def test_engines_may_run_no_other_image() -> None:
    [images] = [document for document in documents() if document["kind"] == "ConfigMap"]

    assert images["data"] == {names.IMAGES_KEY: ""}
