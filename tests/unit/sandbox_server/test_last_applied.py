"""kubectl from client-side to server-side apply: Kubernetes' documentation, "Server-Side Apply", upgrading.

Finer rules: apimachinery 1.36, pkg/util/managedfields/internal/{lastappliedmanager,lastappliedupdater}.go.
"""

import json
from typing import Any

import pytest
from tests.unit.sandbox_server.calls import Server, pod

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
SETS = "/apis/apps/v1/namespaces/default/deployments"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


def deployment(image: str = "i:1", replicas: int = 1, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    container = {"name": "c", "image": image}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {**pod()["spec"], "containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", **({"annotations": annotations} if annotations else {})},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template},
    }


def apply_on_the_client(server: Server, last: str | None = None) -> None:
    """What `kubectl apply` makes of a new object; `last` stands in the annotation instead."""
    last = json.dumps(deployment()) if last is None else last
    server.done("POST", SETS, deployment(annotations={ANNOTATION: last}), fieldManager="kubectl-client-side-apply")


def apply(server: Server, body: dict[str, Any], manager: str = "kubectl") -> tuple[int, Any]:
    return server.answer("PATCH", f"{SETS}/d", body, content_type=APPLY, fieldManager=manager)


def written(found: dict[str, Any]) -> Any:
    return json.loads(found["metadata"]["annotations"][ANNOTATION])


@pytest.mark.parametrize("wanted", [deployment("i:2"), deployment(replicas=2), deployment("i:2", 2)],
                         ids=["an item's field", "a plain field", "both"])  # fmt: skip
def test_kubectl_may_change_what_it_applied_on_its_own_side(server: Server, wanted: dict[str, Any]) -> None:
    apply_on_the_client(server)
    status, found = apply(server, wanted)
    assert status == 200, found
    assert written(found) == wanted


def test_another_manager_has_conflicts_and_leaves_the_annotation(server: Server) -> None:
    apply_on_the_client(server)
    assert apply(server, deployment("i:2"), "other")[0] == 409
    assert written(server.done("GET", f"{SETS}/d")) == deployment()


@pytest.mark.parametrize(
    "last",
    [
        "",
        "{",
        "[]",
        "3",
        json.dumps({**deployment(), "apiVersion": "apps/v1beta1"}),
        json.dumps({**deployment(), "spec": {"replicas": "many"}}),
        json.dumps({**deployment(), "spec": {"template": {"spec": {"containers": [{"image": "i:1"}]}}}}),
    ],
    ids=["empty", "no JSON", "a list", "a number", "another version", "another type", "an item without its key"],
)
def test_an_annotation_that_is_no_such_configuration_speaks_for_nothing(server: Server, last: str) -> None:
    apply_on_the_client(server, last)
    status, refused = apply(server, deployment("i:2"))
    assert (status, refused["reason"]) == (409, "Conflict")


def test_only_fields_that_have_changed_since_are_told_as_conflicts(server: Server) -> None:
    apply_on_the_client(server)
    patch = {"spec": {"replicas": 5}}
    server.done("PATCH", f"{SETS}/d", patch, content_type=MERGE, fieldManager="scaler")
    status, refused = apply(server, deployment("i:2", 2))
    assert status == 409
    assert [cause["field"] for cause in refused["details"]["causes"]] == [".spec.replicas"]


def test_an_object_without_the_annotation_gets_none(server: Server) -> None:
    assert apply(server, deployment())[0] == 201
    assert "annotations" not in apply(server, deployment("i:2"))[1]["metadata"]


def test_an_applied_annotation_is_written_anew_without_itself(server: Server) -> None:
    wanted = deployment(annotations={ANNOTATION: "anything", "x": "y"})
    for status in (201, 200):
        answered, found = apply(server, wanted)
        assert (answered, written(found)) == (status, deployment(annotations={"x": "y"}))


def test_an_annotation_that_would_be_too_big_goes(server: Server) -> None:
    apply_on_the_client(server)
    wanted = deployment(annotations={"big": "x" * 150_000})  # with its copy in the annotation more than 256 KiB
    status, found = apply(server, wanted)
    assert status == 200, found
    assert found["metadata"]["annotations"].keys() == {"big"}
