"""Volumes of built-in kinds as CSI drivers count them (staging/src/k8s.io/csi-translation-lib, 1.36)."""

from typing import Any

import pytest
from tests.unit.rules.stored import volume

from pointsman.kube.objects import Volume
from pointsman.policy.volumes.in_tree import AttachedVolume, driver_of, translated, translated_persistent

ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
EBS, GCE, PX = "ebs.csi.aws.com", "pd.csi.storage.gke.io", "pxd.portworx.com"


def gce(place: str, name: str = "d") -> AttachedVolume:
    return AttachedVolume(GCE, f"projects/UNSPECIFIED/{place}/disks/{name}")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"aws_elastic_block_store": {"volumeID": "vol-1"}}, AttachedVolume(EBS, "vol-1")),
        ({"aws_elastic_block_store": {"volumeID": "aws://us-east-1a/vol-1"}}, AttachedVolume(EBS, "vol-1")),
        ({"aws_elastic_block_store": {"volumeID": "aws:///vol-1"}}, AttachedVolume(EBS, "vol-1")),
        ({"aws_elastic_block_store": {"volumeID": "aws://us-east-1a/disk-1"}}, None),
        ({"aws_elastic_block_store": {"volumeID": "aws://[/vol-1"}}, None),
        ({"gce_persistent_disk": {"pdName": "d"}}, gce("zones/UNSPECIFIED")),
        (
            {"azure_disk": {"diskName": "d", "diskURI": "/subscriptions/x"}},
            AttachedVolume("disk.csi.azure.com", "/subscriptions/x"),
        ),
        ({"cinder": {"volumeID": "c"}}, AttachedVolume("cinder.csi.openstack.org", "c")),
        ({"portworx_volume": {"volumeID": "p"}}, AttachedVolume(PX, "p")),
        ({"rbd": {"image": "i"}}, None),
        ({}, None),
    ],
)
def test_a_pods_own_volume_gets_its_drivers_handle(source: dict[str, Any], expected: AttachedVolume | None) -> None:
    assert translated(Volume(name="v", **source)) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, gce("zones/UNSPECIFIED")),
        ({ZONE: "us-central1-a"}, gce("zones/us-central1-a")),
        ({OLD_ZONE: "us-central1-b", ZONE: "us-central1-a"}, gce("zones/us-central1-b")),
        ({ZONE: "us-central1-a__us-central1-b"}, gce("regions/us-central1")),
        ({ZONE: "us-central1-a__us-east1-b"}, None),
        ({ZONE: "here__there"}, None),
    ],
)
def test_a_gce_volume_is_known_by_its_zone_or_region(labels: dict[str, str], expected: AttachedVolume | None) -> None:
    disk = volume("v", metadata={"labels": labels}, gce_persistent_disk={"pdName": "d"})
    assert translated_persistent(disk) == expected


@pytest.mark.parametrize(
    ("provisioner", "driver"),
    [
        ("kubernetes.io/aws-ebs", EBS),
        ("kubernetes.io/gce-pd", GCE),
        ("kubernetes.io/portworx-volume", PX),
        ("kubernetes.io/azure-file", ""),
        ("kubernetes.io/vsphere-volume", ""),
        ("csi.example.com", "csi.example.com"),
    ],
)
def test_provisioners_of_built_in_kinds_have_a_driver_or_do_not_count(provisioner: str, driver: str) -> None:
    assert driver_of(provisioner) == driver
