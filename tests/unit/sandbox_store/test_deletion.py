"""Objects go at once, unless finalizers, a pod's node or a namespace's content hold them back."""

from typing import Any

import pytest
from tests.unit.sandbox_store.conftest import kind
from tests.unit.sandbox_store.objects import config_map, pod

from pointsman.sandbox.store.deletion import Deletion
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store


def is_gone(store: Store, of: Kind, name: str, namespace: str = "default") -> bool:
    try:
        store.get(of, namespace, name)
    except Refused as refused:
        return refused.code == 404
    return False


def running(store: Store, pods: Kind, **status: Any) -> None:
    store.create(pods, pod("p"), "default")
    bound = Door(subresource="binding")
    store.update(pods, "default", "p", lambda obj: {**obj, "spec": {**obj["spec"], "nodeName": "n"}}, bound)
    if status:
        store.update(pods, "default", "p", lambda obj: {**obj, "status": status}, Door(subresource="status"))


def test_an_object_without_finalizers_goes_at_once(store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    assert store.delete(maps, "default", "a").gone
    assert is_gone(store, maps, "a")


def test_an_object_goes_with_its_last_finalizer(store: Store, maps: Kind) -> None:
    held = config_map("a")
    held["metadata"]["finalizers"] = ["test.test/one", "test.test/two"]
    store.create(maps, held, "default")
    assert not store.delete(maps, "default", "a").gone
    assert store.get(maps, "default", "a").object["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"

    def keeping(*finalizers: str) -> None:
        store.update(
            maps,
            "default",
            "a",
            lambda obj: {**obj, "metadata": {**obj["metadata"], "finalizers": list(finalizers)}},
        )

    keeping("test.test/two")
    assert not is_gone(store, maps, "a")
    keeping()
    assert is_gone(store, maps, "a")


@pytest.mark.parametrize(
    ("propagation", "finalizers"),
    [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"]), ("Background", None)],
)
def test_how_dependents_are_treated_is_left_to_the_collector_as_a_finalizer(
    propagation: str, finalizers: list[str] | None, store: Store, maps: Kind
) -> None:
    store.create(maps, config_map("a"), "default")
    deleted = store.delete(maps, "default", "a", Deletion(propagation=propagation))
    assert deleted.stored.object["metadata"].get("finalizers") == finalizers
    assert deleted.gone is (finalizers is None)


def test_a_pod_on_a_node_waits_for_its_grace_period(store: Store, pods: Kind) -> None:
    running(store, pods)
    metadata = store.delete(pods, "default", "p").stored.object["metadata"]
    assert metadata["deletionGracePeriodSeconds"] == 30
    assert metadata["deletionTimestamp"] == "2026-01-01T00:00:30Z"
    assert not is_gone(store, pods, "p")
    assert store.delete(pods, "default", "p", Deletion(grace_seconds=0)).gone


def test_a_shorter_grace_period_hastens_and_a_longer_one_does_not_delay(store: Store, pods: Kind) -> None:
    running(store, pods)
    for asked, left in ((20, 20), (40, 20), (5, 5)):
        deleted = store.delete(pods, "default", "p", Deletion(grace_seconds=asked))
        assert deleted.stored.object["metadata"]["deletionGracePeriodSeconds"] == left


def test_a_pod_that_no_node_runs_goes_at_once(store: Store, pods: Kind) -> None:
    store.create(pods, pod("p"), "default")
    assert store.delete(pods, "default", "p").gone


def test_a_pod_that_has_ended_goes_at_once(store: Store, pods: Kind) -> None:
    running(store, pods, phase="Succeeded")
    assert store.delete(pods, "default", "p").gone


def test_a_namespace_waits_for_its_controller(store: Store) -> None:
    namespaces = kind(store, "", "namespaces")
    deleted = store.delete(namespaces, "", "default")
    assert not deleted.gone
    assert deleted.stored.object["status"]["phase"] == "Terminating"
    emptied = Door(subresource="finalize")
    store.update(namespaces, "", "default", lambda obj: {**obj, "spec": {}}, emptied)
    assert is_gone(store, namespaces, "default", "")


@pytest.mark.parametrize("deletion", [Deletion(uid="other"), Deletion(resource_version="1")], ids=str)
def test_a_deletion_of_something_else_is_a_conflict(deletion: Deletion, store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    with pytest.raises(Refused, match="in the precondition") as refused:
        store.delete(maps, "default", "a", deletion)
    assert refused.value.code == 409
    assert not is_gone(store, maps, "a")
