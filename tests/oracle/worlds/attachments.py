"""Volumes that nodes attach: how many they take, which are attached already, and disks that pods may not share."""

from typing import Any, Final

from pointsman.kube.resources import CSI_NODES, VOLUME_ATTACHMENTS, VOLUMES
from tests.oracle.things import Manifest, thing
from tests.oracle.worlds.scene import Scene
from tests.oracle.worlds.storage import DRIVERS, add_volume

MIGRATED: Final = ("kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk", "kubernetes.io/cinder")
CLOUD_DRIVERS: Final = ("ebs.csi.aws.com", "pd.csi.storage.gke.io", "disk.csi.azure.com", "cinder.csi.openstack.org")


def add_limits(scene: Scene) -> None:
    """CSINodes with small limits, and attachments that no pod accounts for."""
    dice = scene.dice
    for node in scene.node_names():
        if dice.chance(0.15):
            continue
        drivers: list[Manifest] = []
        for name in (*DRIVERS, *dice.some(CLOUD_DRIVERS, 0, 3)):
            driver: dict[str, Any] = {"name": name, "nodeID": node}
            if dice.chance(0.85):
                driver["allocatable"] = {"count": dice.choice((1, 1, 2, 3))}
            drivers.append(driver)
        metadata: dict[str, Any] = {"name": node}
        if dice.chance(0.6):
            plugins = ",".join(dice.some(MIGRATED, 1, 4))
            metadata["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": plugins}
        scene.things.append(thing(CSI_NODES, {"metadata": metadata, "spec": {"drivers": drivers}}))
    volumes = [one for one in scene.things if one.resource is VOLUMES and "csi" in one.manifest["spec"]]
    for number, volume in enumerate(dice.some(volumes, 0, 12)):
        spec = {
            "attacher": volume.manifest["spec"]["csi"]["driver"],
            "nodeName": dice.choice(scene.node_names()),
            "source": {"persistentVolumeName": volume.name},
        }
        metadata = {"name": f"{scene.prefix}-a{number}"}
        scene.things.append(thing(VOLUME_ATTACHMENTS, {"metadata": metadata, "spec": spec}))


def use_disks(scene: Scene, pod: Manifest) -> None:
    """Disks named in the pod itself, from a small number of each kind."""
    dice = scene.dice
    for kind in dice.some(("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd", "azureDisk", "cinder"), 1, 2):
        add_volume(pod, **{kind: _disk(scene, kind)})


def _disk(scene: Scene, kind: str) -> Manifest:
    dice = scene.dice
    number, read_only = dice.randint(1, 3), {"readOnly": True} if dice.chance(0.4) else {}
    if kind == "gcePersistentDisk":
        return {"pdName": f"disk-{number}", **read_only}
    if kind == "awsElasticBlockStore":
        return {"volumeID": f"vol-{number}", **read_only}
    if kind == "azureDisk":
        return {"diskName": f"disk-{number}", "diskURI": f"/subscriptions/s/disk-{number}", "kind": "Managed"}
    if kind == "cinder":
        return {"volumeID": f"cinder-{number}", **read_only}
    if kind == "iscsi":
        return {"targetPortal": "10.0.0.1:3260", "iqn": f"iqn.2026-01.com.example:{number}", "lun": 0, **read_only}
    return {"monitors": dice.some(("10.0.0.1", "10.0.0.2", "10.0.0.3"), 1, 2), "image": f"i{number}", **read_only}
