"""The store numbers every write, keeps what the server owns, and never changes an object once it is stored."""

from copy import deepcopy
from typing import Any

import pytest
from tests.unit.sandbox_store.conftest import kind
from tests.unit.sandbox_store.objects import config_map, pod

from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store
from pointsman.testing.clock import VirtualClock


def with_data(**data: str) -> Any:
    return lambda obj: {**obj, "data": data}


def test_a_new_object_gets_identity_dates_and_a_version(store: Store, maps: Kind) -> None:
    before = store.resource_version
    metadata = store.create(maps, config_map("a"), "default").object["metadata"]
    assert metadata["resourceVersion"] == str(before + 1)
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["namespace"] == "default"
    assert len(metadata["uid"]) == 36


def test_generated_names_differ(store: Store, maps: Kind) -> None:
    body = {"metadata": {"generateName": "many-"}}
    names = {store.create(maps, body, "default").name for _ in range(50)}
    assert len(names) == 50
    assert all(name.startswith("many-") and len(name) == 10 for name in names)


def test_an_update_leaves_the_old_version_as_it_was(store: Store, maps: Kind) -> None:
    old = store.create(maps, config_map("a", data={"x": "1"}), "default")
    kept = deepcopy(old.object)
    store.update(maps, "default", "a", with_data(x="2"))
    assert old.object == kept


def test_an_update_that_changes_nothing_is_no_write(store: Store, maps: Kind) -> None:
    old = store.create(maps, config_map("a", data={"x": "1"}), "default")
    version = store.resource_version
    assert store.update(maps, "default", "a", with_data(x="1")) is old
    assert store.resource_version == version


def test_a_dry_run_stores_nothing(store: Store, maps: Kind) -> None:
    trial = Door(dry_run=True)
    version = store.resource_version
    store.create(maps, config_map("a"), "default", trial)
    with pytest.raises(Refused, match='configmaps "a" not found'):
        store.get(maps, "default", "a")
    store.create(maps, config_map("a"), "default")
    store.update(maps, "default", "a", with_data(x="1"), trial)
    store.delete(maps, "default", "a", dry_run=True)
    assert "data" not in store.get(maps, "default", "a").object
    assert store.resource_version == version + 1


def test_a_write_on_an_old_version_is_a_conflict(store: Store, maps: Kind) -> None:
    first = store.create(maps, config_map("a"), "default").object
    store.update(maps, "default", "a", with_data(x="1"))
    with pytest.raises(Refused) as refused:
        store.update(maps, "default", "a", lambda _: {**first, "data": {"x": "2"}})
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")


def test_only_a_change_of_what_is_wanted_raises_the_generation(store: Store) -> None:
    budgets = kind(store, "policy", "poddisruptionbudgets")
    store.create(budgets, {"metadata": {"name": "b"}, "spec": {"minAvailable": 1}}, "default")

    def generation_after(change: dict[str, Any], door: Door) -> int:
        stored = store.update(budgets, "default", "b", lambda obj: {**obj, **change}, door)
        generation: int = stored.object["metadata"]["generation"]
        return generation

    assert generation_after({"status": {"currentHealthy": 3}}, Door(subresource="status")) == 1
    assert generation_after({"spec": {"minAvailable": 2}}, Door()) == 2
    assert generation_after({"status": {"currentHealthy": 4}}, Door()) == 2
    assert store.get(budgets, "default", "b").object["status"]["currentHealthy"] == 3


def test_nothing_is_created_in_a_namespace_that_goes(store: Store, maps: Kind) -> None:
    store.delete(kind(store, "", "namespaces"), "", "default")
    with pytest.raises(Refused, match="because it is being terminated") as refused:
        store.create(maps, config_map("a"), "default")
    assert refused.value.status()["details"]["causes"][0]["reason"] == "NamespaceTerminating"


def test_dependents_are_found_by_their_owners_uid(store: Store, maps: Kind) -> None:
    owner = store.create(maps, config_map("owner"), "default")
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid}
    child = config_map("child")
    child["metadata"]["ownerReferences"] = [reference]
    store.create(maps, child, "default")
    store.create(maps, config_map("other"), "default")
    assert [one.name for one in store.dependents(owner.uid)] == ["child"]
    store.update(maps, "default", "child", lambda obj: {**obj, "metadata": {"name": "child"}})
    assert store.dependents(owner.uid) == ()


def test_a_kind_that_is_withdrawn_is_not_found(store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    store.unregister(maps)
    with pytest.raises(Refused, match="could not find the requested resource"):
        store.list(maps)
    store.register(maps)
    assert store.list(maps).items == []


def test_a_bound_pod_keeps_everything_else(store: Store, pods: Kind) -> None:
    before = store.create(pods, pod("p"), "default").object
    bound = {**before["spec"], "nodeName": "n"}
    after = store.update(pods, "default", "p", lambda obj: {**obj, "spec": bound}, Door(subresource="binding")).object
    assert after["spec"] == {**before["spec"], "nodeName": "n"}
    assert after["status"] == before["status"]


async def test_times_are_those_of_the_clock(store: Store, maps: Kind, clock: VirtualClock) -> None:
    await clock.advance(61)
    created = store.create(maps, config_map("a"), "default").complete["metadata"]
    assert created["creationTimestamp"] == "2026-01-01T00:01:01Z"
