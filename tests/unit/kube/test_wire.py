"""Bytes to objects: lines wherever the pieces end, lists with odd items, events of every type."""

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.kube.errors import ApiError, Gone
from pointsman.kube.known import EventType
from pointsman.kube.objects import Node, Pod
from pointsman.kube.wire import LineSplitter, ListDecoder, Unreadable, WatchDecoder

# Case C107: three-byte characters, CRLF, empty lines, two events in one piece.
_EVENTS = ['{"note":"駅"}', '{"note":"転轍機"}', "", "\r", '{"note":"plain"}\r']
_STREAM = ("\n".join(_EVENTS) + "\n").encode()
_WANTED = [{"note": "駅"}, {"note": "転轍機"}, {"note": "plain"}]


@given(st.lists(st.integers(0, len(_STREAM)), max_size=12))
def test_lines_are_the_same_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(_STREAM)]
    splitter = LineSplitter()
    lines = [line for start, end in pairwise(edges) for line in splitter.feed(_STREAM[start:end])]
    assert [json.loads(line) for line in lines] == _WANTED


def test_every_single_byte_may_come_alone() -> None:
    splitter = LineSplitter()
    lines = [line for byte in _STREAM for line in splitter.feed(bytes([byte]))]
    assert [json.loads(line) for line in lines] == _WANTED


def test_a_line_without_end_is_not_collected_for_ever() -> None:
    splitter = LineSplitter(max_line=10)
    assert splitter.feed(b"12345") == []
    with pytest.raises(ApiError, match="longer than 10 bytes"):
        splitter.feed(b"6789012")


def test_the_length_of_a_line_starts_anew_with_each() -> None:
    splitter = LineSplitter(max_line=10)
    assert [splitter.feed(b"1234567\n") for _ in range(3)] == [[b"1234567"]] * 3


def a_list(*items: Any, **metadata: str) -> bytes:
    return json.dumps({"kind": "PodList", "metadata": metadata, "items": list(items)}).encode()


def test_a_list_is_decoded_with_its_items_and_where_it_goes_on() -> None:
    content = a_list(
        {"metadata": {"name": "a", "managedFields": [{"x": 1}]}, "spec": {"nodeName": "n1", "unknown": {}}},
        {"metadata": {"name": "b"}, "status": {"phase": "Running"}},
        resourceVersion="12",
        **{"continue": "token"},
    )
    page = ListDecoder(Pod).decode(content)
    assert [(pod.metadata.name, pod.spec.node_name, pod.status.phase) for pod in page.items] == [
        ("a", "n1", ""),
        ("b", "", "Running"),
    ]
    assert (page.resource_version, page.continue_token, list(page.unreadable)) == ("12", "token", [])


@pytest.mark.parametrize("items", [b"[]", b"null"], ids=["empty", "null"])
def test_a_list_of_nothing_is_empty(items: bytes) -> None:
    page = ListDecoder(Pod).decode(b'{"metadata":{"resourceVersion":"7"},"items":' + items + b"}")
    assert (list(page.items), page.resource_version) == ([], "7")


def test_an_odd_item_does_not_hide_the_others() -> None:
    content = a_list(
        {"metadata": {"name": "good"}},
        {"metadata": {"name": "odd", "namespace": "n"}, "spec": {"nodeName": 5}},
        {"metadata": "nameless"},
        {"metadata": {"name": "also good"}},
        resourceVersion="12",
    )
    page = ListDecoder(Pod).decode(content)
    assert [pod.metadata.name for pod in page.items] == ["good", "also good"]
    assert [one.key for one in page.unreadable] == [("n", "odd"), ("", "?")]
    assert "nodeName" in page.unreadable[0].why
    assert page.resource_version == "12"


@pytest.mark.parametrize("content", [b"", b"<html>", b'{"items": 5}'], ids=repr)
def test_what_is_no_list_is_an_error(content: bytes) -> None:
    with pytest.raises(ApiError, match="not what was asked for"):
        ListDecoder(Pod).decode(content)


def event(kind: str, obj: Any) -> bytes:
    return json.dumps({"type": kind, "object": obj}).encode()


@pytest.mark.parametrize("kind", list(EventType))
def test_a_change_is_decoded_with_its_object(kind: EventType) -> None:
    news = WatchDecoder(Node).decode(event(kind, {"metadata": {"name": "n1"}, "spec": {"unschedulable": True}}))
    assert isinstance(news, tuple)
    assert news[0] is kind
    assert (news[1].metadata.name, news[1].spec.unschedulable) == ("n1", True)


def test_the_order_of_an_events_fields_does_not_matter() -> None:
    news = WatchDecoder(Node).decode(b'{"object":{"metadata":{"name":"n1"}},"type":"ADDED"}')
    assert isinstance(news, tuple)
    assert news[1].metadata.name == "n1"


def test_a_bookmark_is_a_version_and_no_object() -> None:
    # As API servers send it: the fields of an empty pod, nulls included.
    bookmark = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "900", "creationTimestamp": None},
        "spec": {"containers": None},
        "status": {},
    }
    assert WatchDecoder(Pod).decode(event("BOOKMARK", bookmark)) == "900"


def test_an_error_event_is_the_error_of_its_code() -> None:
    status = {"kind": "Status", "status": "Failure", "message": "too old", "reason": "Expired", "code": 410}
    with pytest.raises(Gone, match="too old"):
        WatchDecoder(Pod).decode(event("ERROR", status))


def test_an_odd_object_of_an_event_is_named() -> None:
    news = WatchDecoder(Pod).decode(event("MODIFIED", {"metadata": {"name": "p", "namespace": "n", "labels": 5}}))
    assert isinstance(news, Unreadable)
    assert news.key == ("n", "p")
    assert "labels" in news.why


@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"<html>", b'{"type":"NEWS","object":{}}', b'{"type":"ADD'], ids=repr
)
def test_what_is_no_event_is_an_error(content: bytes) -> None:
    with pytest.raises(ApiError, match="not what was asked for"):
        WatchDecoder(Pod).decode(content)


def test_decoded_objects_are_nothing_to_the_cyclic_collector() -> None:
    assert msgspec.structs.fields(Pod)
    assert Pod.__struct_config__.gc is False
