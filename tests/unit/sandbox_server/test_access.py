"""Who may do what: tokens, roles and bindings, and the words of a refusal."""

from typing import Any

import pytest
from tests.unit.sandbox_server.calls import Server, pod

PODS = "/api/v1/namespaces/default/pods"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
USER = "system:serviceaccount:default:robot"
HERE = 'in the namespace "default"'
LEASES_GROUP = "coordination.k8s.io"
LEASES_NAME = f"leases.{LEASES_GROUP}"
LEASES = f"/apis/{LEASES_GROUP}/v1/namespaces/default/leases"
SUBJECT = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}


def give(server: Server, rules: list[dict[str, Any]], *, everywhere: bool = False) -> None:
    """A role with these rules for the account `robot`, in `default` or everywhere."""
    kind, where = ("ClusterRole", "") if everywhere else ("Role", "/namespaces/default")
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "r"}
    server.done("POST", f"{RBAC}{where}/{kind.lower()}s", {"metadata": {"name": "r"}, "rules": rules})
    body = {"metadata": {"name": "b"}, "roleRef": reference, "subjects": [SUBJECT]}
    server.done("POST", f"{RBAC}{where}/{kind.lower()}bindings", body)


@pytest.mark.parametrize(
    ("method", "path", "subject", "wish"),
    [
        ("GET", PODS, "pods", f'list resource "pods" in API group "" {HERE}'),
        ("GET", "/api/v1/pods", "pods", 'list resource "pods" in API group "" at the cluster scope'),
        ("GET", f"{PODS}/x", 'pods "x"', f'get resource "pods" in API group "" {HERE}'),
        ("POST", f"{PODS}/x/binding", 'pods "x"', f'create resource "pods/binding" in API group "" {HERE}'),
        ("DELETE", LEASES, LEASES_NAME, f'deletecollection resource "leases" in API group "{LEASES_GROUP}" {HERE}'),
    ],
    ids=["list", "list of all namespaces", "get", "subresource", "collection"],
)  # fmt: skip
def test_an_account_without_rights_is_refused_in_the_servers_words(
    server: Server, method: str, path: str, subject: str, wish: str
) -> None:
    status, body = server.answer(method, path, token=server.account_token("robot"))
    assert (status, body["reason"]) == (403, "Forbidden")
    assert body["message"] == f'{subject} is forbidden: User "{USER}" cannot {wish}'


def test_a_path_that_is_no_resource_is_refused_as_a_path(server: Server) -> None:
    status, body = server.answer("GET", "/metrics", token=server.account_token("robot"))
    assert (status, body["message"]) == (403, f'forbidden: User "{USER}" cannot get path "/metrics"')


def rule(group: str, resource: str, verb: str, *names: str) -> dict[str, Any]:
    made = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
    return {**made, "resourceNames": list(names)} if names else made


@pytest.mark.parametrize(
    ("given", "path", "allowed"),
    [
        (rule("", "pods", "list"), PODS, True),
        (rule("*", "*", "*"), PODS, True),
        (rule("", "pods", "get"), PODS, False),
        (rule("apps", "pods", "list"), PODS, False),
        (rule("", "pods", "get"), f"{PODS}/p/status", False),
        (rule("", "pods/status", "get"), f"{PODS}/p/status", True),
        (rule("", "*/status", "get"), f"{PODS}/p/status", True),
        (rule("", "pods", "get", "p"), f"{PODS}/p", True),
        (rule("", "pods", "get", "q"), f"{PODS}/p", False),
    ],
    ids=[
        *("exact", "wildcards", "another verb", "another group", "a subresource is apart", "the subresource"),
        *("any subresource", "the name", "another name"),
    ],
)
def test_a_rule_allows_what_it_lists(server: Server, given: dict[str, Any], path: str, allowed: bool) -> None:
    server.done("POST", PODS, pod())
    token = server.account_token("robot")
    give(server, [given])
    assert (server.answer("GET", path, token=token)[0] == 200) is allowed


def test_a_list_of_one_name_needs_the_right_on_that_name_only(server: Server) -> None:
    token = server.account_token("robot")
    give(server, [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["list"]}])
    path = "/api/v1/namespaces/default/configmaps"
    assert server.answer("GET", path, token=token, fieldSelector="metadata.name=a")[0] == 200
    assert server.answer("GET", path, token=token, fieldSelector="metadata.name=b")[0] == 403


def test_a_role_counts_in_its_namespace_and_a_cluster_role_in_all(server: Server) -> None:
    token = server.account_token("robot")
    give(server, [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    assert server.answer("GET", "/api/v1/namespaces/kube-system/pods", token=token)[0] == 403
    give(server, [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}], everywhere=True)
    assert server.answer("GET", "/api/v1/namespaces/kube-system/pods", token=token)[0] == 200


def test_rights_end_with_the_binding(server: Server) -> None:
    token = server.account_token("robot")
    give(server, [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    server.done("DELETE", f"{RBAC}/namespaces/default/rolebindings/b")
    assert server.answer("GET", PODS, token=token)[0] == 403


def test_nobody_sees_more_than_that_the_server_lives(server: Server) -> None:
    assert server.answer("GET", "/version", token="")[0] == 200
    assert server.answer("GET", "/api", token="")[0] == 403
    status, body = server.answer("GET", PODS, token="")
    assert status == 403
    assert 'User "system:anonymous"' in body["message"]


def test_an_unknown_token_is_unauthorized(server: Server) -> None:
    status, body = server.answer("GET", PODS, token="made-up")
    assert (status, body["reason"]) == (401, "Unauthorized")


def test_a_token_ends_with_its_time(server: Server) -> None:
    token = server.account_token("robot")
    assert server.answer("GET", "/api", token=token)[0] == 200
    server.clock.jump(3601)
    assert server.answer("GET", "/api", token=token)[0] == 401


def test_a_token_ends_with_its_account_and_a_namesake_does_not_revive_it(server: Server) -> None:
    token = server.account_token("robot")
    server.done("DELETE", "/api/v1/namespaces/default/serviceaccounts/robot")
    server.account_token("robot")
    assert server.answer("GET", "/api", token=token)[0] == 401


def test_a_bound_token_ends_with_its_pod_and_names_it(server: Server) -> None:
    made = server.done("POST", PODS, pod())
    bound = {"kind": "Pod", "apiVersion": "v1", "name": "p", "uid": made["metadata"]["uid"]}
    path = "/api/v1/namespaces/default/serviceaccounts/default/token"
    token = server.done("POST", path, {"spec": {"boundObjectRef": bound}})["status"]["token"]
    review = server.done("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, token=token)
    assert review["status"]["userInfo"]["extra"]["authentication.kubernetes.io/pod-name"] == ["p"]
    server.done("DELETE", f"{PODS}/p")
    assert server.answer("GET", "/api", token=token)[0] == 401


def test_a_token_is_not_bound_to_a_pod_of_another_account(server: Server) -> None:
    server.account_token("robot")
    server.done("POST", PODS, pod())
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    status, body = server.answer("POST", path, {"spec": {"boundObjectRef": {"kind": "Pod", "name": "p"}}})
    assert status == 400
    assert "different serviceaccount name" in body["message"]


def test_only_an_administrator_acts_as_somebody_else(server: Server) -> None:
    headers = {"Impersonate-User": "alice"}
    review = server.done("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers=headers)
    assert review["status"]["userInfo"]["username"] == "alice"
    token = server.account_token("robot")
    status, body = server.answer("GET", PODS, token=token, headers=headers)
    assert status == 403
    assert 'cannot impersonate resource "users"' in body["message"]
