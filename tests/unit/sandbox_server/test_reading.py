"""Lists, tables, watches, discovery and documents, as clients ask for them."""

from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest
from tests.unit.sandbox_server.calls import TABLE, Server, pod

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def config(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels}, "data": {"a": "b"}}


async def watched(server: Server, path: str, count: int, **more: Any) -> list[Any]:
    """The first lines of a watch, decoded; the first piece, which is empty, says that it has begun."""
    stream = server.call("GET", path, watch="true", **more)
    assert isinstance(stream, AsyncGenerator)
    assert await anext(stream) == b""
    found: list[Any] = []
    while len(found) < count:
        found += map(msgspec.json.decode, (await anext(stream)).splitlines())
    await stream.aclose()
    return found


def test_a_list_is_read_in_pages(server: Server) -> None:
    for name in ("a", "b", "c"):
        server.done("POST", MAPS, config(name))
    first = server.done("GET", MAPS, limit="2")
    assert [one["metadata"]["name"] for one in first["items"]] == ["a", "b"]
    assert first["metadata"]["remainingItemCount"] == 1
    rest = server.done("GET", MAPS, limit="2", **{"continue": first["metadata"]["continue"]})
    assert [one["metadata"]["name"] for one in rest["items"]] == ["c"]
    assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_a_list_of_few_has_managers_and_one_of_thousands_has_not(server: Server) -> None:
    server.done("POST", MAPS, config("a"))
    server.done("POST", PODS, pod())
    assert server.done("GET", MAPS)["items"][0]["metadata"]["managedFields"][0]["manager"] == "test"
    assert "managedFields" not in server.done("GET", PODS)["items"][0]["metadata"]
    assert server.done("GET", f"{PODS}/p")["metadata"]["managedFields"][0]["manager"] == "test"


def test_a_table_has_columns_and_a_part_of_each_object(server: Server) -> None:
    server.done("POST", PODS, pod())
    server.clock.jump(90)
    table = server.done("GET", PODS, accept=TABLE)
    names = [(column["name"], column["priority"]) for column in table["columnDefinitions"]]
    assert names[:6] == [("Name", 0), ("Ready", 0), ("Status", 0), ("Restarts", 0), ("Age", 0), ("IP", 1)]
    assert table["rows"][0]["cells"][:6] == ["p", "0/1", "Pending", "0", "90s", "<none>"]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    whole = server.done("GET", PODS, accept=TABLE, includeObject="Object")
    assert whole["rows"][0]["object"]["spec"]["containers"][0]["image"] == "i:1"


async def test_a_watch_tells_what_happens_after_a_version(server: Server) -> None:
    server.done("POST", MAPS, config("a"))
    version = server.done("GET", MAPS)["metadata"]["resourceVersion"]
    server.done("POST", MAPS, config("b"))
    server.done("DELETE", f"{MAPS}/a")
    events = await watched(server, MAPS, 2, resourceVersion=version)
    assert [(one["type"], one["object"]["metadata"]["name"]) for one in events] == [("ADDED", "b"), ("DELETED", "a")]


async def test_a_watch_of_one_name_sees_no_other(server: Server) -> None:
    server.done("POST", MAPS, config("a"))
    server.done("POST", MAPS, config("b"))
    events = await watched(server, f"{MAPS}/b", 1)
    assert [one["object"]["metadata"]["name"] for one in events] == ["b"]


async def test_a_watch_with_initial_events_says_where_they_end(server: Server) -> None:
    server.done("POST", MAPS, config("a"))
    events = await watched(
        server, MAPS, 2, sendInitialEvents="true", resourceVersionMatch="NotOlderThan", allowWatchBookmarks="true"
    )
    assert [one["type"] for one in events] == ["ADDED", "BOOKMARK"]
    assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


async def test_a_watch_of_rows_has_the_columns_once(server: Server) -> None:
    server.done("POST", MAPS, config("a"))
    server.done("POST", MAPS, config("b"))
    events = await watched(server, MAPS, 2, accept=TABLE)
    assert [[row["cells"][0] for row in one["object"]["rows"]] for one in events] == [["a"], ["b"]]
    assert [len(one["object"]["columnDefinitions"]) for one in events] == [3, 0]


async def test_a_watch_from_a_version_that_never_was_is_ended_with_410(server: Server) -> None:
    events = await watched(server, MAPS, 1, resourceVersion="999999")
    assert events[0]["type"] == "ERROR"
    assert (events[0]["object"]["code"], events[0]["object"]["reason"]) == (410, "Expired")


async def test_a_watch_ends_with_its_time(server: Server) -> None:
    stream = server.call("GET", MAPS, watch="true", timeoutSeconds="5", resourceVersion="1")
    assert isinstance(stream, AsyncGenerator)
    await anext(stream)
    server.clock.jump(6)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


def test_discovery_tells_the_same_in_both_forms(server: Server) -> None:
    new = server.done("GET", "/apis", accept=AGGREGATED)
    groups = {
        group["metadata"]["name"]: {one["resource"] for one in group["versions"][0]["resources"]}
        for group in new["items"]
    }
    old = server.done("GET", "/apis")["groups"]
    assert list(groups) == [group["name"] for group in old]
    for name, resources in groups.items():
        listed = server.done("GET", f"/apis/{name}/v1")["resources"]
        assert {one["name"] for one in listed if "/" not in one["name"]} == resources


def test_core_is_version_v1_and_its_pods_have_their_doors(server: Server) -> None:
    listed = server.done("GET", "/api/v1")
    assert listed["groupVersion"] == "v1"
    assert {"pods", "pods/binding", "pods/status", "pods/log"} <= {one["name"] for one in listed["resources"]}
    assert server.done("GET", "/api")["versions"] == ["v1"]


def test_documents_tell_that_the_server_checks_fields(server: Server) -> None:
    index = server.done("GET", "/openapi/v3")["paths"]
    assert index["api/v1"]["serverRelativeURL"].startswith("/openapi/v3/api/v1?hash=")
    patch = server.done("GET", "/openapi/v3/apis/apps/v1")["paths"][
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    ]["patch"]
    assert "fieldValidation" in {parameter["name"] for parameter in patch["parameters"]}
    assert patch["x-kubernetes-group-version-kind"] == {"group": "apps", "version": "v1", "kind": "Deployment"}


def test_a_custom_kind_comes_and_goes_with_its_definition(server: Server) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    version["additionalPrinterColumns"] = [{"name": "N", "type": "integer", "jsonPath": ".spec.n"}]
    names = {"plural": "colours", "kind": "Colour", "shortNames": ["col"]}
    spec = {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]}
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.done("POST", definitions, {"metadata": {"name": "colours.example.com"}, "spec": spec})
    path = "/apis/example.com/v1/colours"
    red = {"apiVersion": "example.com/v1", "kind": "Colour", "metadata": {"name": "red"}, "spec": {"n": 3}}
    server.done("POST", path, red)
    assert server.done("GET", path, accept=TABLE)["rows"][0]["cells"] == ["red", 3]
    assert ["example", "com", "v1", "Colour"][-1] in str(server.done("GET", "/openapi/v3/apis/example.com/v1"))
    server.done("DELETE", f"{definitions}/colours.example.com")
    answer = server.call("GET", path)
    assert (answer.status, answer.body) == (404, b"404 page not found\n")  # type: ignore[union-attr]
