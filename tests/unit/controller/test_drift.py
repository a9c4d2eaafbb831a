"""What counts as drift on a child, and what is anybody's business."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.unit.controller.scene import live, plain, scene

from pointsman.controller.apply.drift import contains, is_changed, is_drifted, same_template, sealed
from pointsman.controller.render.children import Child
from pointsman.kube.resources import DEPLOYMENTS, DISRUPTION_BUDGETS, LEASES, ROLES, Resource

CHILDREN = {child.identity.resource: child for child in scene(replicas=2).decide().objects}
Change = Callable[[dict[str, Any]], object]


def changed(resource: Resource, change: Change) -> tuple[Child, dict[str, Any]]:
    """A child, and what somebody made of it."""
    child = CHILDREN[resource]
    body: dict[str, Any] = copy.deepcopy(dict(live(child).body))
    change(body)
    return child, body


DRIFT: dict[str, tuple[Resource, Change]] = {
    "another replica count": (DEPLOYMENTS, lambda body: body["spec"].update(replicas=7)),
    "paused": (DEPLOYMENTS, lambda body: body["spec"].update(paused=True)),
    "a strategy that kills": (
        DEPLOYMENTS,
        lambda body: body["spec"]["strategy"]["rollingUpdate"].update(maxUnavailable=1),
    ),
    "another history": (DEPLOYMENTS, lambda body: body["spec"].update(revisionHistoryLimit=10)),
    "a label of ours changed": (
        DEPLOYMENTS,
        lambda body: body["metadata"]["labels"].update({"app.kubernetes.io/name": "x"}),
    ),
    "a label of ours gone": (ROLES, lambda body: body["metadata"]["labels"].pop("app.kubernetes.io/managed-by")),
    "a rule more": (ROLES, lambda body: body["rules"].append({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]})),
    "a verb more": (ROLES, lambda body: body["rules"][0]["verbs"].append("delete")),
    "the lease name gone": (ROLES, lambda body: body["rules"][0].pop("resourceNames")),
    "another wanted policy": (
        LEASES,
        lambda body: body["metadata"]["annotations"].update({"pointsman.dev/wanted-policy": "x"}),
    ),
    "a selector that finds less": (
        DISRUPTION_BUDGETS,
        lambda body: body["spec"]["selector"]["matchLabels"].update({"extra": "x"}),
    ),
    "a budget that blocks": (DISRUPTION_BUDGETS, lambda body: body["spec"].update(maxUnavailable=0)),
    "fields that are not ours any more": (ROLES, lambda body: body["metadata"].pop("managedFields")),
    "fields that were ours by another way": (
        ROLES,
        lambda body: body["metadata"].update(managedFields=[{"manager": "pointsman", "operation": "Update"}]),
    ),
}
NO_DRIFT: dict[str, tuple[Resource, Change]] = {
    "nothing": (DEPLOYMENTS, dict),
    "what the API server adds": (DEPLOYMENTS, lambda body: body.update(status={"replicas": 2})),
    "zero that is not stored": (DEPLOYMENTS, lambda body: body["spec"].pop("paused")),
    "another zero that is not stored": (DEPLOYMENTS, lambda body: body["spec"].pop("minReadySeconds")),
    "a label of somebody else": (ROLES, lambda body: body["metadata"]["labels"].update({"argocd.io/app": "x"})),
    "an annotation of somebody else": (
        ROLES,
        lambda body: body["metadata"].setdefault("annotations", {}).update(a="b"),
    ),
    "another owner": (ROLES, lambda body: body["metadata"]["ownerReferences"].append({"kind": "X", "uid": "x"})),
    "the report on the Lease": (
        LEASES,
        lambda body: body["metadata"]["annotations"].update({"pointsman.dev/report": "{}"}),
    ),
    "the holder of the Lease": (LEASES, lambda body: body.update(spec={"holderIdentity": "engine-binpack-x"})),
    "a list's item, which has no kind": (ROLES, lambda body: (body.pop("kind"), body.pop("apiVersion"))),
    "the pod template, which is compared otherwise": (
        DEPLOYMENTS,
        lambda body: body["spec"]["template"]["spec"].update(hostNetwork=True),
    ),
}


@pytest.mark.parametrize(("resource", "change"), DRIFT.values(), ids=DRIFT.keys())
def test_a_change_of_what_is_ours_is_drift(resource: Resource, change: Change) -> None:
    child, body = changed(resource, change)
    assert is_drifted(child, body)
    assert not is_changed(sealed(child), body)


@pytest.mark.parametrize(("resource", "change"), NO_DRIFT.values(), ids=NO_DRIFT.keys())
def test_anything_else_is_not(resource: Resource, change: Change) -> None:
    child, body = changed(resource, change)
    assert not is_drifted(child, body)


def test_a_change_of_ours_is_not_drift_also_when_it_takes_something_away() -> None:
    before = scene(engine={"priorityClassName": "high"}).decide().objects[-1]
    after = scene().decide().objects[-1]
    assert is_changed(sealed(after), live(before).body)
    assert not is_changed(sealed(before), live(before).body)


TEMPLATE = plain(CHILDREN[DEPLOYMENTS])["spec"]["template"]
CONTAINER = ("spec", "containers", 0)


def at(template: dict[str, Any], *path: str | int) -> Any:
    found: Any = template
    for step in path:
        found = found[step]
    return found


FOREIGN: dict[str, Change] = {
    "a container": lambda made: at(made, "spec", "containers").append({"name": "evil", "image": "evil"}),
    "an init container": lambda made: at(made, "spec").update(initContainers=[{"name": "evil"}]),
    "an environment variable": lambda made: at(made, *CONTAINER, "env").append({"name": "LD_PRELOAD", "value": "x"}),
    "a capability": lambda made: at(made, *CONTAINER, "securityContext", "capabilities").update(add=["NET_ADMIN"]),
    "the host's network": lambda made: at(made, "spec").update(hostNetwork=True),
    "a volume": lambda made: at(made, "spec", "volumes").append({"name": "x", "hostPath": {"path": "/"}}),
    "a mount": lambda made: at(made, *CONTAINER, "volumeMounts").append({"name": "x", "mountPath": "/x"}),
    "a label": lambda made: at(made, "metadata", "labels").update(extra="x"),
    "an annotation": lambda made: at(made, "metadata", "annotations").update(extra="x"),
    "another image": lambda made: at(made, *CONTAINER).update(image="evil"),
    "an argument": lambda made: at(made, *CONTAINER, "args").append("--debug"),
    "another order": lambda made: at(made, *CONTAINER, "env").reverse(),
    "a field that is gone": lambda made: at(made, *CONTAINER, "securityContext").pop("readOnlyRootFilesystem"),
    "a node selector": lambda made: at(made, "spec").update(nodeSelector={"pool": "evil"}),
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_pod_template_is_ours_whole_or_not_at_all(change: Change) -> None:
    template = copy.deepcopy(TEMPLATE)
    change(template)
    assert not same_template(TEMPLATE, template)


def test_a_restart_that_somebody_asked_for_is_no_drift() -> None:
    template = copy.deepcopy(TEMPLATE)
    template["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] = "2026-01-01T00:00:00Z"
    assert same_template(TEMPLATE, template)


@pytest.mark.parametrize(
    ("wanted", "there", "same"),
    [
        ({}, None, True),
        ([], None, True),
        (0, None, True),
        ("", None, True),
        (None, {}, True),
        ({"a": {}}, {}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": None}]}, True),
        ({"a": {"b": 1}}, {"a": 1}, False),
        (False, True, False),
    ],
)
def test_absent_equals_zero_and_lists_count_whole(wanted: Any, there: Mapping[str, Any] | None, same: bool) -> None:
    assert contains(wanted, there) is same
