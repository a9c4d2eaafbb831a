"""What the watches of single kinds deliver gets into the cluster, and out of it again."""

from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.intake.feeds import feeds
from pointsman.engine.intake.intake import Intake
from pointsman.kube.known import EventType, WatchEvent
from pointsman.policy.kinds import Kind
from pointsman.policy.rule import Happening
from pointsman.testing.builders import pod

WEB = pod("web-1").label("app", "web").info()
SELECTOR = {"matchLabels": {"app": "web"}}


class Listener:
    """Stands for a policy: what it hears of."""

    def __init__(self) -> None:
        self.heard: list[Happening] = []

    def changed(self, changes: Changes) -> None:
        self.heard += [change.happening for change in changes]


def metadata(name: str, namespace: str = "default") -> dict[str, Any]:
    return {"name": name, "namespace": namespace, "uid": name, "resourceVersion": "1"}


KINDS: list[Any] = [
    pytest.param(
        Kind.SERVICES,
        {"metadata": metadata("web"), "spec": {"selector": {"app": "web"}}},
        lambda cluster: bool(cluster.owners.services_of(WEB)),
        id="a Service",
    ),
    *(
        pytest.param(
            kind,
            {"metadata": metadata("web"), "spec": {"selector": selector}},
            lambda cluster: bool(cluster.owners.controllers_selecting(WEB)),
            id=str(kind.resource.kind),
        )
        for kind, selector in (
            (Kind.REPLICATION_CONTROLLERS, {"app": "web"}),
            (Kind.REPLICA_SETS, SELECTOR),
            (Kind.STATEFUL_SETS, SELECTOR),
        )
    ),
    pytest.param(
        Kind.CLAIMS,
        {"metadata": metadata("data")},
        lambda cluster: cluster.storage.claim("default", "data") is not None,
        id="a claim",
    ),
    pytest.param(
        Kind.VOLUMES,
        {"metadata": metadata("disk", "")},
        lambda cluster: cluster.storage.volume("disk") is not None,
        id="a volume",
    ),
    pytest.param(
        Kind.STORAGE_CLASSES,
        {"metadata": metadata("fast", ""), "provisioner": "example.com/disks"},
        lambda cluster: cluster.storage.storage_class("fast") is not None,
        id="a StorageClass",
    ),
    pytest.param(
        Kind.CSI_NODES,
        {"metadata": metadata("n1", "")},
        lambda cluster: cluster.storage.csi_node("n1") is not None,
        id="a CSINode",
    ),
    pytest.param(
        Kind.CSI_DRIVERS,
        {"metadata": metadata("disks.example.com", "")},
        lambda cluster: cluster.storage.csi_driver("disks.example.com") is not None,
        id="a CSIDriver",
    ),
    pytest.param(
        Kind.CSI_STORAGE_CAPACITIES,
        {"metadata": metadata("c1"), "storageClassName": "fast", "capacity": "1Gi"},
        lambda cluster: bool(cluster.storage.capacities("fast")),
        id="a CSIStorageCapacity",
    ),
    pytest.param(
        Kind.VOLUME_ATTACHMENTS,
        {"metadata": metadata("a1", ""), "spec": {"attacher": "disks.example.com", "nodeName": "n1"}},
        lambda cluster: bool(cluster.storage.attachments("n1")),
        id="a VolumeAttachment",
    ),
    pytest.param(
        Kind.DISRUPTION_BUDGETS,
        {"metadata": metadata("guard"), "spec": {"selector": SELECTOR}},
        lambda cluster: bool(cluster.disruption_budgets("default")),
        id="a PodDisruptionBudget",
    ),
]


@pytest.mark.parametrize(("kind", "manifest", "known"), KINDS)
def test_an_object_is_known_until_it_is_deleted(
    kind: Kind, manifest: dict[str, Any], known: Callable[[Cluster], bool]
) -> None:
    cluster = Cluster()
    feed = feeds(cluster)[kind]
    deliver = Intake(cluster, [], lambda: None).follow(feed)
    item = msgspec.convert(manifest, feed.type)
    assert not known(cluster)
    deliver([WatchEvent(EventType.ADDED, item)])
    assert known(cluster)
    deliver([WatchEvent(EventType.DELETED, item)])
    assert not known(cluster)


def test_every_kind_is_covered() -> None:
    assert {case.values[0] for case in KINDS} == set(Kind)


def test_what_an_object_changes_is_told_to_every_policy_and_the_loop_is_woken() -> None:
    cluster, listeners, woken = Cluster(), [Listener(), Listener()], []
    intake = Intake(cluster, cast("Any", listeners), lambda: woken.append(True))
    feed = feeds(cluster)[Kind.CLAIMS]
    claim = msgspec.convert({"metadata": metadata("data")}, feed.type)
    intake.follow(feed)([WatchEvent(EventType.ADDED, claim)])
    assert [one.heard for one in listeners] == [[Happening.PERSISTENT_VOLUME_CLAIM]] * 2
    assert woken == [True]
