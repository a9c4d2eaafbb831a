"""Storage in the cluster: what changes mean for pods that wait, what is assumed and for how long, who uses a claim."""

from typing import Any

import msgspec
import pytest
from tests.unit.engine.worlds import happened, row
from tests.unit.rules.stored import LATE, claim, csi_driver, room, storage_class, volume

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.intake.feeds import Feed, feeds
from pointsman.kube.objects import LabelSelector, Metadata, Requirement
from pointsman.kube.storage_objects import CSINode, StorageObject, VolumeAttachment, VolumeAttachmentSpec
from pointsman.policy.rule import Happening
from pointsman.policy.volumes.plan import promise, with_node
from pointsman.testing.builders import node, pod

CSI_NODE = CSINode(metadata=Metadata(name="n1", resource_version="1"))
ATTACHMENT = VolumeAttachment(
    metadata=Metadata(name="a", resource_version="1"), spec=VolumeAttachmentSpec(node_name="n1")
)
KINDS: dict[str, tuple[StorageObject, Happening, bool]] = {  # what it is about, whether its end is news
    "claim": (claim("x"), Happening.PERSISTENT_VOLUME_CLAIM, False),
    "volume": (volume("x"), Happening.PERSISTENT_VOLUME, True),
    "class": (storage_class(), Happening.STORAGE_CLASS, True),
    "CSI node": (CSI_NODE, Happening.CSI_NODE, True),
    "CSI driver": (csi_driver(), Happening.CSI_DRIVER, True),
    "capacity": (room("x", "1Gi", {}), Happening.CSI_STORAGE_CAPACITY, False),
}


def feed_of(cluster: Cluster, item: StorageObject) -> Feed[Any]:
    return next(feed for feed in feeds(cluster).values() if feed.type is type(item))


def show(cluster: Cluster, item: StorageObject) -> Changes:
    return feed_of(cluster, item).upsert(item)


def take_away(cluster: Cluster, item: StorageObject) -> Changes:
    return feed_of(cluster, item).remove(item)


def newer(item: StorageObject, version: str = "2", **metadata: dict[str, str]) -> StorageObject:
    """A later version, the same in everything else unless told otherwise."""
    changed = msgspec.structs.replace(item.metadata, resource_version=version, **metadata)
    return msgspec.structs.replace(item, metadata=changed)


@pytest.mark.parametrize(("item", "happening", "end_is_news"), KINDS.values(), ids=KINDS)
def test_an_object_that_appears_or_changes_is_news(
    item: StorageObject, happening: Happening, end_is_news: bool
) -> None:
    cluster = Cluster()
    (change,) = show(cluster, item)
    assert (change.happening, change.key) == (happening, (item.metadata.namespace, item.metadata.name))
    assert show(cluster, item) == ()
    assert show(cluster, newer(item)) == ()
    assert happened(show(cluster, newer(item, "3", labels={"a": "b"}))) == [happening]
    assert happened(take_away(cluster, item)) == ([happening] if end_is_news else [])
    assert take_away(cluster, item) == ()


def test_of_attachments_only_the_end_is_news() -> None:
    cluster = Cluster()
    assert show(cluster, ATTACHMENT) == ()
    assert cluster.storage.attachments("n1") == [ATTACHMENT]
    assert happened(take_away(cluster, ATTACHMENT)) == [Happening.VOLUME_ATTACHMENT_DELETE]
    assert cluster.storage.attachments("n1") == []


def test_objects_are_found_by_class_in_the_order_in_which_they_came() -> None:
    cluster = Cluster()
    for name, class_name in (("b", LATE), ("c", "other"), ("a", LATE)):
        cluster.upsert_volume(volume(name, class_name=class_name))
    by_annotation = volume("d", metadata={"annotations": {"volume.beta.kubernetes.io/storage-class": LATE}})
    cluster.upsert_volume(msgspec.structs.replace(by_annotation))
    assert [found.metadata.name for found in cluster.storage.volumes_of_class(LATE)] == ["b", "a", "d"]
    cluster.upsert_volume(volume("b", class_name="other"))
    assert [found.metadata.name for found in cluster.storage.volumes_of_class(LATE)] == ["a", "d"]
    cluster.upsert_capacity(room("r", "1Gi", {}))
    assert [found.metadata.name for found in cluster.storage.capacities(LATE)] == ["r"]


def test_what_is_assumed_holds_until_the_watch_shows_another_version() -> None:
    cluster = Cluster()
    plain = volume("v")
    cluster.upsert_volume(plain)
    assumed = promise(plain, claim("c")).volume
    cluster.assume_volume(assumed)
    assert cluster.storage.volume("v") == assumed
    assert cluster.storage.volumes_of_class(LATE) == [assumed]
    assert cluster.storage.volumes.seen(("", "v")) == plain
    assert cluster.upsert_volume(plain) == ()  # a replay is not another version
    assert cluster.storage.volume("v") == assumed
    assert happened(cluster.upsert_volume(volume("v", metadata={"generation": 2}, phase="Available"))) == []
    later = msgspec.structs.replace(plain, metadata=msgspec.structs.replace(plain.metadata, resource_version="2"))
    assert happened(cluster.upsert_volume(later)) == [Happening.PERSISTENT_VOLUME]  # free after all
    assert cluster.storage.volume("v") == later


def test_our_own_write_is_no_news() -> None:
    cluster = Cluster()
    cluster.upsert_claim(claim("c"))
    assumed = with_node(claim("c"), "n1")
    cluster.assume_claim(assumed)
    written = msgspec.structs.replace(assumed, metadata=msgspec.structs.replace(assumed.metadata, resource_version="2"))
    assert cluster.upsert_claim(written) == ()


def test_what_was_assumed_can_be_taken_back_once() -> None:
    cluster = Cluster()
    cluster.upsert_claim(claim("c"))
    assumed = with_node(claim("c"), "n1")
    cluster.assume_claim(assumed)
    assert happened(cluster.restore_claim(assumed)) == [Happening.PERSISTENT_VOLUME_CLAIM]
    assert cluster.restore_claim(assumed) == ()
    assert cluster.storage.claim("default", "c") == claim("c")


def test_an_older_promise_cannot_take_back_a_newer_one() -> None:
    cluster = Cluster()
    cluster.upsert_volume(volume("v"))
    old = promise(volume("v"), claim("c")).volume
    cluster.assume_volume(old)
    later = msgspec.structs.replace(
        volume("v"), metadata=msgspec.structs.replace(volume("v").metadata, resource_version="2")
    )
    cluster.upsert_volume(later)
    new = promise(later, claim("d")).volume
    cluster.assume_volume(new)
    assert cluster.restore_volume(old) == ()
    assert cluster.storage.volume("v") == new


def test_only_the_current_version_can_be_assumed() -> None:
    cluster = Cluster()
    with pytest.raises(ValueError, match=r"v: cannot assume a change of version 1, the watch has shown no version"):
        cluster.assume_volume(volume("v"))


def test_users_of_a_claim_are_counted_by_row_as_pods_and_nodes_come_and_go() -> None:
    cluster = Cluster()
    for name in ("n1", "n2"):
        cluster.upsert_node(node(name).build())
    first, second = row(cluster, "n1"), row(cluster, "n2")
    twice = pod("twice").claim("c").claim("c").ephemeral_claim("scratch").on("n1").info()
    cluster.upsert_pod(twice)
    cluster.upsert_pod(pod("other").claim("c").on("n1").info())
    cluster.upsert_pod(pod("third").claim("c").on("n2").info())
    cluster.upsert_pod(pod("away", namespace="elsewhere").claim("c").on("n2").info())
    users = cluster.storage.claim_users
    assert users("default", "c") == {first: 2, second: 1}
    assert users("elsewhere", "c") == {second: 1}
    assert users("default", "twice-scratch") == {}
    cluster.remove_pod(twice.uid)
    assert users("default", "c") == {first: 1, second: 1}
    cluster.remove_node("n2")
    assert users("default", "c") == {first: 1}
    cluster.upsert_node(node("n2").build())
    assert users("default", "c") == {first: 1, row(cluster, "n2"): 1}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        pytest.param(
            claim("c", "a lot"), "PersistentVolumeClaim default/c: spec.resources.requests.storage:", id="claim"
        ),
        pytest.param(
            claim("c", selector=LabelSelector(match_expressions=(Requirement(key="a", operator="Near"),))),
            "PersistentVolumeClaim default/c: spec.selector:",
            id="selector",
        ),
        pytest.param(volume("v", "a lot"), "PersistentVolume v: spec.capacity.storage:", id="volume"),
        pytest.param(room("r", "a lot", {}), "CSIStorageCapacity csi/r: capacity:", id="room"),
        pytest.param(room("r", "1Gi", {}, largest="x"), "CSIStorageCapacity csi/r: maximumVolumeSize:", id="largest"),
    ],
)
def test_what_cannot_be_read_is_told_once(item: StorageObject, words: str, caplog: pytest.LogCaptureFixture) -> None:
    cluster = Cluster()
    show(cluster, item)
    show(cluster, newer(item))
    (record,) = caplog.records
    assert record.getMessage().startswith(words)
