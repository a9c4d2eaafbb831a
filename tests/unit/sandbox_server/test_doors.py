"""Binding, scale, logs, finalize, and bodies that make no sense."""

from typing import Any

import pytest
from tests.unit.sandbox_server.calls import Server, pod

PODS = "/api/v1/namespaces/default/pods"
TARGET = {"target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}


def test_a_binding_sets_the_node_the_condition_and_the_annotations(server: Server) -> None:
    server.done("POST", PODS, pod())
    body = {**TARGET, "metadata": {"annotations": {"a": "b"}}}
    assert server.answer("POST", f"{PODS}/p/binding", body) == (
        201,
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201},
    )
    bound = server.done("GET", f"{PODS}/p")
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["annotations"] == {"a": "b"}
    assert [(one["type"], one["status"]) for one in bound["status"]["conditions"]] == [("PodScheduled", "True")]


def already_bound(server: Server) -> dict[str, Any]:
    server.done("POST", PODS, pod())
    server.done("POST", f"{PODS}/p/binding", TARGET)
    return TARGET


def deleting(server: Server) -> dict[str, Any]:
    server.done("POST", PODS, {**pod(), "metadata": {"name": "p", "finalizers": ["example.com/hold"]}})
    server.done("DELETE", f"{PODS}/p")
    return TARGET


def gated(server: Server) -> dict[str, Any]:
    server.done("POST", PODS, pod(schedulingGates=[{"name": "g"}]))
    return TARGET


def another_pod(server: Server) -> dict[str, Any]:
    server.done("POST", PODS, pod())
    return {**TARGET, "metadata": {"uid": "other"}}


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (already_bound, 'pod p is already assigned to node "n1"'),
        (deleting, "pod p is being deleted, cannot be assigned to a host"),
        (gated, "pod p has non-empty .spec.schedulingGates"),
        (another_pod, "Precondition failed: UID in precondition: other"),
    ],
)
def test_a_binding_that_cannot_be_is_a_conflict(server: Server, prepare: Any, why: str) -> None:
    status, body = server.answer("POST", f"{PODS}/p/binding", prepare(server))
    assert (status, body["reason"]) == (409, "Conflict")
    assert body["message"].startswith(f'Operation cannot be fulfilled on pods/binding "p": {why}')


def test_a_binding_without_a_node_is_a_bad_request(server: Server) -> None:
    server.done("POST", PODS, pod())
    assert server.answer("POST", f"{PODS}/p/binding", {"target": {}})[0] == 400


def test_scale_reads_and_writes_what_the_kind_says(server: Server) -> None:
    path = "/apis/apps/v1/namespaces/default/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod()["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    server.done("POST", path, {"metadata": {"name": "d"}, "spec": spec})
    scale = server.done("GET", f"{path}/d/scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0, "selector": "a=b"},
    )
    patch = "application/merge-patch+json"
    server.done("PATCH", f"{path}/d/scale", {"spec": {"replicas": 5}}, content_type=patch)
    assert server.done("GET", f"{path}/d")["spec"]["replicas"] == 5
    stale = {**scale, "spec": {"replicas": 1}}
    assert server.answer("PUT", f"{path}/d/scale", stale)[0] == 409


def test_logs_are_refused_in_plain_words(server: Server) -> None:
    server.done("POST", PODS, pod())
    server.done("POST", f"{PODS}/p/binding", TARGET)
    status, body = server.answer("GET", f"{PODS}/p/log")
    assert (status, body["message"]) == (
        400,
        "the sandbox serves no logs: the node agent that runs pod p keeps them in its work directory",
    )


def test_a_pod_of_no_account_is_forbidden(server: Server) -> None:
    status, body = server.answer("POST", PODS, pod(serviceAccountName="ghost"))
    why = 'error looking up service account default/ghost: serviceaccount "ghost" not found'
    assert (status, body["message"]) == (403, f'pods "p" is forbidden: {why}')


def test_a_priority_class_gives_its_value_and_must_be_there(server: Server) -> None:
    made = server.done("POST", PODS, pod(priorityClassName="system-node-critical"))
    assert made["spec"]["priority"] == 2_000_001_000
    status, body = server.answer("POST", PODS, pod("q", priorityClassName="gone"))
    assert (status, body["message"]) == (403, 'pods "q" is forbidden: no PriorityClass with name gone was found')


def test_an_event_of_one_group_is_read_in_the_other(server: Server) -> None:
    event = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "note": "hello",
        "reason": "Tested",
        "type": "Normal",
        "action": "Testing",
        "reportingController": "tester",
        "reportingInstance": "tester-1",
    }
    modern = "/apis/events.k8s.io/v1/namespaces/default/events"
    assert server.done("POST", modern, event)["note"] == "hello"
    core = server.done("GET", "/api/v1/namespaces/default/events/e")
    assert (core["message"], core["involvedObject"]["name"], core["reportingComponent"]) == ("hello", "p", "tester")
    patch = {"series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}}
    server.done("PATCH", f"{modern}/e", patch, content_type="application/merge-patch+json")
    listed = server.done("GET", modern, fieldSelector="regarding.name=p")
    assert [one["series"]["count"] for one in listed["items"]] == [2]
    assert listed["items"][0]["apiVersion"] == "events.k8s.io/v1"


@pytest.mark.parametrize(
    ("method", "path", "body", "more", "status"),
    [
        ("POST", PODS, b"{", {}, 400),
        ("POST", PODS, [], {}, 400),
        ("POST", PODS, {"kind": "ConfigMap", "apiVersion": "v1"}, {}, 400),
        ("POST", PODS, pod(), {"dryRun": "Some"}, 400),
        ("POST", PODS, pod(), {"fieldValidation": "Maybe"}, 400),
        ("POST", f"{PODS}/p", pod(), {}, 405),
        ("PUT", PODS, pod(), {}, 405),
        ("PATCH", f"{PODS}/p", {}, {"content_type": "text/plain"}, 415),
        ("GET", f"{PODS}/p/colour", None, {}, 404),
        ("GET", "/api/v1/colours", None, {}, 404),
        ("GET", PODS, None, {"limit": "many"}, 400),
        ("GET", PODS, None, {"labelSelector": "a b c"}, 400),
    ],
    ids=["not JSON", "a list", "another kind", "dry run", "validation", "POST of a name", "PUT of a collection",
         "patch type", "subresource", "kind", "limit", "selector"],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_refused(
    server: Server, method: str, path: str, body: Any, more: dict[str, str], status: int
) -> None:
    assert server.answer(method, path, body, **more)[0] == status


def test_nothing_of_a_dry_run_stays(server: Server) -> None:
    assert server.done("POST", PODS, pod(), dryRun="All")["metadata"]["name"] == "p"
    assert server.answer("GET", f"{PODS}/p")[0] == 404
