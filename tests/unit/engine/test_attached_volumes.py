"""Attached volumes and drivers' limits, kept up to date event by event, against counting everything anew."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.worlds import row
from tests.unit.rules.drivers import attachment, csi_node, csi_volume, mounting
from tests.unit.rules.stored import PROVISIONER, bound_claim, claim, storage_class, volume

from pointsman.engine.cluster.attached_volumes import AttachedVolumes
from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.storage_objects import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from pointsman.policy.storage_view import NO_LIMIT
from pointsman.policy.view import Pods
from pointsman.policy.volumes.attached import attached_by_driver, attached_by_kind
from pointsman.policy.volumes.disks import disks_of
from pointsman.policy.volumes.in_tree import AttachedVolume
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

NODES = ("n0", "n1", "n2")
CLAIMS = ("a", "b")
EBS, EBS_KIND, OTHER = "ebs.csi.aws.com", "kubernetes.io/aws-ebs", "other.example.com"
DRIVERS = (PROVISIONER, OTHER, EBS, EBS_KIND)


def upsert(cluster: Cluster, item: object) -> None:
    """Take over an object as its watch would."""
    match item:
        case NodeBuilder():
            cluster.upsert_node(item.build())
        case PodBuilder():
            cluster.upsert_pod(item.info())
        case PersistentVolumeClaim():
            cluster.upsert_claim(item)
        case PersistentVolume():
            cluster.upsert_volume(item)
        case StorageClass():
            cluster.upsert_storage_class(item)
        case CSINode():
            cluster.upsert_csi_node(item)
        case VolumeAttachment():
            cluster.upsert_attachment(item)
        case _:
            raise AssertionError(item)


def remove(cluster: Cluster, item: object) -> None:
    """Forget an object as its watch would."""
    match item:
        case NodeBuilder():
            cluster.remove_node(item.draft.metadata.name)
        case PodBuilder():
            cluster.remove_pod(item.draft.metadata.uid)
        case PersistentVolumeClaim():
            cluster.remove_claim(item)
        case PersistentVolume():
            cluster.remove_volume(item)
        case StorageClass():
            cluster.remove_storage_class(item)
        case CSINode():
            cluster.remove_csi_node(item)
        case VolumeAttachment():
            cluster.remove_attachment(item)


def running(name: str, on: str, claims: tuple[str, ...], disk: str) -> PodBuilder:
    builder = pod(name)
    for entry in claims:
        builder = builder.claim(entry)
    return (mounting(builder, aws_elastic_block_store={"volumeID": disk}) if disk else builder).on(on)


names = st.sampled_from(CLAIMS)
handles = st.sampled_from(("h0", "h1"))
limits = st.none() | st.integers(0, 3)
classes = st.sampled_from(("late", "ebs"))
objects: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(NODES).map(node),
    st.builds(
        running,
        st.sampled_from(("p0", "p1", "p2")),
        st.sampled_from(NODES),
        st.lists(names, max_size=2, unique=True).map(tuple),
        st.sampled_from(("", "h0", "vol-1")),
    ),
    st.builds(lambda name, used: claim(name, class_name=used), names, classes),
    st.builds(bound_claim, names, st.sampled_from(("v0", "v1"))),
    st.builds(
        csi_volume,
        st.sampled_from(("v0", "v1")),
        handles,
        st.sampled_from((PROVISIONER, OTHER)),
    ),
    st.builds(
        lambda name, handle: volume(name, aws_elastic_block_store={"volumeID": handle}),
        st.sampled_from(("v0", "v1")),
        handles,
    ),
    st.builds(
        lambda name, made_by: storage_class(name, provisioner=made_by),
        classes,
        st.sampled_from((PROVISIONER, EBS_KIND)),
    ),
    st.builds(
        lambda name, limit, other: csi_node(name, example=limit, other_example_com=other),
        st.sampled_from(NODES),
        limits,
        limits,
    ),
    st.builds(attachment, st.sampled_from(("x", "y")), st.just("n1"), st.sampled_from(("v0", "v1"))),
)
events = st.lists(st.tuples(st.booleans(), objects), max_size=25)


def agree(cluster: Cluster) -> None:
    """Every column and index equals what counting from scratch gives."""
    known = cluster.rows()
    for view, attaching in (
        (cluster.attached_by_driver, attached_by_driver),
        (cluster.attached_by_kind, attached_by_kind),
    ):
        anew = {
            at: attaching(cluster.pods_on(at), cluster.node_name(at), cluster.storage)
            for at in known.nonzero()[0].tolist()
        }
        for driver in DRIVERS:
            counts = view.counts(driver)
            assert len(counts) == cluster.capacity
            assert not counts[~known].any()
            assert {at: int(counts[at]) for at in anew} == {
                at: found.counts.get(driver, 0) for at, found in anew.items()
            }
        for volume_used in {used for found in anew.values() for used in found.volumes} | {AttachedVolume(EBS, "h0")}:
            assert set(view.rows_with(volume_used)) == {
                at for at, found in anew.items() if volume_used in found.volumes
            }
    for at in known.nonzero()[0].tolist():
        told = cluster.storage.csi_node(cluster.node_name(at))
        allowed = {entry.name: entry.allocatable for entry in told.spec.drivers} if told else {}
        for driver in (PROVISIONER, OTHER):
            allocatable = allowed.get(driver)
            assert cluster.csi_nodes.limits(driver)[at] == (NO_LIMIT if allocatable is None else allocatable.count)
    with_disks = {
        at: {used.uid for used in cluster.pods_on(at) if disks_of(used.pod)} for at in known.nonzero()[0].tolist()
    }
    found = {at: {used.uid for used in pods} for at, pods in cluster.pods_with_disks().items()}
    assert found == {at: uids for at, uids in with_disks.items() if uids}


@settings(max_examples=80)
@given(events, st.booleans())
def test_columns_equal_a_count_from_scratch_after_every_event(history: list[tuple[bool, Any]], early: bool) -> None:
    cluster = Cluster(capacity=1)
    if early:
        agree(cluster)
    for appears, item in history:
        (upsert if appears else remove)(cluster, item)
        agree(cluster)


def test_an_assumed_pod_counts_until_it_is_taken_back() -> None:
    cluster = Cluster()
    for item in (node("n1"), claim("a"), storage_class("late", provisioner=PROVISIONER)):
        upsert(cluster, item)
    at = row(cluster, "n1")
    assert cluster.attached_by_driver.counts(PROVISIONER)[at] == 0
    pending = pod("p").claim("a").info()
    cluster.assume(pending, "n1")
    assert cluster.attached_by_driver.counts(PROVISIONER)[at] == 1
    cluster.forget(pending.uid)
    assert cluster.attached_by_driver.counts(PROVISIONER)[at] == 0


def test_a_question_counts_only_rows_of_which_something_changed() -> None:
    cluster = Cluster(capacity=8)
    for name in NODES:
        upsert(cluster, node(name))
    for item in (storage_class("late", provisioner=PROVISIONER), claim("a"), claim("b")):
        upsert(cluster, item)
    upsert(cluster, pod("p0").claim("a").on("n0"))
    upsert(cluster, pod("p1").claim("b").on("n1"))
    counted: list[int] = []

    def pods_on(at: int) -> Pods:
        counted.append(at)
        return cluster.pods_on(at)

    attached = AttachedVolumes(cluster.capacity, attached_by_driver, cluster.storage, pods_on, cluster.node_name)
    n0, n1 = row(cluster, "n0"), row(cluster, "n1")
    assert attached.counts(PROVISIONER)[[n0, n1]].tolist() == [1, 1]
    counted.clear()
    upsert(cluster, bound_claim("a", "v0"))
    upsert(cluster, csi_volume("v0", driver=OTHER))
    upsert(cluster, csi_volume("unused"))
    assert attached.counts(PROVISIONER)[[n0, n1]].tolist() == [0, 1]
    assert attached.counts(OTHER)[[n0, n1]].tolist() == [1, 0]
    assert counted == [n0]
