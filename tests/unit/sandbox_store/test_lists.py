"""Lists: order, pages, selectors, and the bytes they are sent as."""

import json
from typing import Any

import pytest
from tests.unit.sandbox_store.conftest import kind
from tests.unit.sandbox_store.objects import config_map, pod

from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store

LABELS: dict[str, dict[str, str]] = {
    "a": {"app": "web", "tier": "front"},
    "b": {"app": "web", "tier": "back"},
    "c": {"app": "db"},
    "d": {},
}


@pytest.fixture
def labelled(store: Store, maps: Kind) -> Store:
    for name, labels in LABELS.items():
        store.create(maps, config_map(name, labels), "default")
    return store


def names(store: Store, of: Kind, **query: Any) -> str:
    return "".join(stored.name for stored in store.list(of, **query).items)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("", "abcd"),
        ("app=web", "ab"),
        ("app==web", "ab"),
        ("app!=web", "cd"),
        ("app", "abc"),
        ("!app", "d"),
        ("! tier", "cd"),
        ("app in (web, db)", "abc"),
        ("app in (db)", "c"),
        ("app notin (web)", "cd"),
        ("app=web,tier=back", "b"),
        ("app, tier notin (back),app!=db", "a"),
        ("app=", ""),
    ],
)
def test_label_selectors(selector: str, found: str, labelled: Store, maps: Kind) -> None:
    assert names(labelled, maps, labels=selector) == found


@pytest.mark.parametrize("selector", ["=a", "app in web", "a b", "app in (a", "(", "app=(a)"])
def test_a_label_selector_that_cannot_be_read_is_refused(selector: str, labelled: Store, maps: Kind) -> None:
    with pytest.raises(Refused, match="unable to parse requirement") as refused:
        labelled.list(maps, labels=selector)
    assert refused.value.code == 400


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("metadata.name=a", "a"),
        ("metadata.name!=a", "bc"),
        ("spec.nodeName=", "abc"),
        ("spec.schedulerName=binpack", "b"),
        ("status.phase!=Succeeded,status.phase!=Failed", "abc"),
        ("spec.hostNetwork=true", "c"),
    ],
)
def test_field_selectors(selector: str, found: str, store: Store, pods: Kind) -> None:
    specs: dict[str, dict[str, Any]] = {"a": {}, "b": {"schedulerName": "binpack"}, "c": {"hostNetwork": True}}
    for name, spec in specs.items():
        store.create(pods, pod(name, **spec), "default")
    assert names(store, pods, fields=selector) == found


def test_a_field_that_is_not_selectable_is_named(store: Store, pods: Kind) -> None:
    with pytest.raises(Refused, match=r"field label not supported: spec\.dnsPolicy"):
        store.list(pods, fields="spec.dnsPolicy=x")


def test_lists_are_in_order_of_namespace_and_name(store: Store, maps: Kind) -> None:
    for namespace in ("z", "b"):
        store.create(kind(store, "", "namespaces"), {"metadata": {"name": namespace}})
    for namespace, name in (("z", "a"), ("default", "c"), ("default", "a"), ("b", "x")):
        store.create(maps, config_map(name), namespace)
    found = [(stored.namespace, stored.name) for stored in store.list(maps).items]
    assert found == [("b", "x"), ("default", "a"), ("default", "c"), ("z", "a")]
    assert names(store, maps, namespace="default") == "ac"


def test_a_list_is_encoded_as_the_kinds_list(labelled: Store, maps: Kind) -> None:
    listing = labelled.list(maps)
    decoded = json.loads(listing.encode(maps))
    assert (decoded["kind"], decoded["apiVersion"]) == ("ConfigMapList", "v1")
    assert decoded["metadata"] == {"resourceVersion": str(labelled.resource_version)}
    assert decoded["items"] == [stored.object for stored in listing.items]


def test_an_empty_list_has_items(store: Store, maps: Kind) -> None:
    assert json.loads(store.list(maps).encode(maps))["items"] == []


def test_pages_together_are_the_whole_list(labelled: Store, maps: Kind) -> None:
    first = labelled.list(maps, limit=3)
    assert (len(first.items), first.remaining) == (3, 1)
    labelled.create(maps, config_map("aa"), "default")  # before the page's end: told by a watch from the first version
    last = labelled.list(maps, limit=3, token=first.continue_token)
    assert [stored.name for stored in (*first.items, *last.items)] == ["a", "b", "c", "d"]
    assert last.continue_token == ""
    assert last.resource_version == first.resource_version


@pytest.mark.parametrize("token", ["x", "e30=", "????"])
def test_a_token_that_is_none_of_ours_is_refused(token: str, labelled: Store, maps: Kind) -> None:
    with pytest.raises(Refused, match="continue key is not valid"):
        labelled.list(maps, limit=1, token=token)
