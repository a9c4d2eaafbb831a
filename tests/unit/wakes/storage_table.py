"""The same for rules about volumes, and for the features that nodes declare."""

from typing import Final

from tests.unit.engine_process.harness import ours
from tests.unit.rules.stored import LATE, PROVISIONER, bound_claim, claim, csi_driver, room, storage_class, volume
from tests.unit.wakes.table import Wake

from pointsman.kube.objects import Container, ContainerRestartRule, Metadata
from pointsman.kube.storage_objects import (
    AttachmentSource,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSIVolumeSource,
    NodeResources,
    PersistentVolume,
    VolumeAttachment,
    VolumeAttachmentSpec,
)
from pointsman.testing.builders import node, pod

ZONE: Final = "topology.kubernetes.io/zone"
ALONE: Final = ("ReadWriteOncePod",)
_P: Final = ours("p").claim("c")
_N1: Final = node("n1")


def _csi_volume(name: str) -> PersistentVolume:
    return volume(name, phase="Bound", csi=CSIVolumeSource(driver=PROVISIONER, volume_handle=f"handle-{name}"))


def _limit(count: int) -> CSINode:
    driver = CSINodeDriver(name=PROVISIONER, node_id="n1", allocatable=NodeResources(count=count))
    return CSINode(metadata=Metadata(name="n1", resource_version=str(count)), spec=CSINodeSpec(drivers=(driver,)))


def _attached(name: str) -> VolumeAttachment:
    source = AttachmentSource(persistent_volume_name=name)
    spec = VolumeAttachmentSpec(attacher=PROVISIONER, node_name="n1", source=source)
    return VolumeAttachment(metadata=Metadata(name=f"attached-{name}"), spec=spec)


_HOLDER: Final = pod("holder").claim("c").on("n1")
_ALONE: Final = (
    _N1,
    bound_claim("c", "v", access_modes=ALONE),
    volume("v", phase="Bound", access_modes=ALONE),
    _HOLDER,
)
RESTRICTIONS: Final = (
    Wake("VolumeRestrictions", "who alone may have the claim goes", _ALONE, _P, takes=(_HOLDER,)),
    Wake(
        "VolumeRestrictions",
        "who alone may have the claim ends",
        _ALONE,
        _P,
        puts=(_HOLDER.status(phase="Succeeded"),),
    ),
    Wake(
        "VolumeRestrictions",
        "its claim comes",
        (_N1, volume("v", phase="Bound")),
        _P,
        puts=(bound_claim("c", "v"),),
    ),
)

_OTHER: Final = pod("other").claim("d").on("n1")
_CROWDED: Final = (
    _N1,
    _limit(1),
    bound_claim("c", "v"),
    _csi_volume("v"),
    bound_claim("d", "w"),
    _csi_volume("w"),
    _OTHER,
)
_ATTACHED: Final = (_N1, _limit(1), bound_claim("c", "v"), _csi_volume("v"), _csi_volume("w"), _attached("w"))
LIMITS: Final = (
    Wake("NodeVolumeLimits", "the node takes more volumes", _CROWDED, _P, puts=(_limit(2),)),
    Wake("NodeVolumeLimits", "a pod with a volume goes", _CROWDED, _P, takes=(_OTHER,)),
    Wake("NodeVolumeLimits", "a volume is detached", _ATTACHED, _P, takes=(_attached("w"),)),
    Wake("NodeVolumeLimits", "an attached volume is no more", _ATTACHED, _P, takes=(_csi_volume("w"),)),
    Wake("NodeVolumeLimits", "the node tells of no limit any more", _CROWDED, _P, takes=(_limit(1),)),
    Wake(
        "NodeVolumeLimits",
        "the other claim has a class no more",
        (
            _N1,
            _limit(1),
            bound_claim("c", "v"),
            _csi_volume("v"),
            claim("d"),
            storage_class(provisioner=PROVISIONER),
            _OTHER,
        ),
        _P,
        takes=(storage_class(),),
    ),
    Wake(
        "NodeVolumeLimits",
        "the other claim gets a volume of another driver",
        (
            _N1,
            _limit(1),
            bound_claim("c", "v"),
            _csi_volume("v"),
            claim("d"),
            storage_class(provisioner=PROVISIONER),
            volume("w", csi=CSIVolumeSource(driver="other.example.com", volume_handle="w")),
            _OTHER,
        ),
        _P,
        puts=(bound_claim("d", "w"),),
    ),
    Wake("NodeVolumeLimits", "a node without limit comes", _CROWDED, _P, puts=(node("n2"),)),
)

_MADE_LATE: Final = storage_class(provisioner=PROVISIONER)
_ON_N1: Final = volume("v", phase="Bound", on="n1")
BINDING: Final = (
    Wake(
        "VolumeBinding",
        "its claim is bound",
        (_N1, storage_class("now", mode="Immediate"), claim("c", class_name="now"), volume("v", phase="Bound")),
        _P,
        puts=(bound_claim("c", "v"),),
    ),
    Wake("VolumeBinding", "a volume comes", (_N1, storage_class(), claim("c")), _P, puts=(volume("v"),)),
    Wake(
        "VolumeBinding",
        "a volume becomes available",
        (_N1, storage_class(), claim("c"), volume("v", phase="Released")),
        _P,
        puts=(volume("v", metadata={"generation": 2}),),
    ),
    Wake("VolumeBinding", "the class comes", (_N1, claim("c")), _P, puts=(_MADE_LATE,)),
    Wake(
        "VolumeBinding",
        "the class is for more places",
        (_N1.label("zone", "a"), storage_class(LATE, (("zone", "b"),), provisioner=PROVISIONER), claim("c")),
        _P,
        puts=(_MADE_LATE,),
    ),
    Wake(
        "VolumeBinding",
        "a node gets the label that the class is for",
        (_N1, storage_class(LATE, (("zone", "b"),), provisioner=PROVISIONER), claim("c")),
        _P,
        puts=(_N1.label("zone", "b"),),
    ),
    Wake(
        "VolumeBinding",
        "a node comes that has the volume",
        (node("n2"), bound_claim("c", "v"), _ON_N1),
        _P,
        puts=(_N1,),
    ),
    Wake(
        "VolumeZone",
        "the volume of its claim comes",
        (_N1, bound_claim("c", "v")),
        _P,
        puts=(volume("v", phase="Bound"),),
    ),
    Wake(
        "VolumeBinding",
        "room for a new volume comes",
        (_N1, _MADE_LATE, csi_driver(), claim("c")),
        _P,
        puts=(room("r", "5Gi", {}),),
    ),
    Wake(
        "VolumeBinding",
        "room for a new volume grows",
        (_N1, _MADE_LATE, csi_driver(), claim("c"), room("r", "1Mi", {})),
        _P,
        puts=(room("r", "5Gi", {}),),
    ),
    Wake(
        "VolumeBinding",
        "its driver tracks room no more",
        (_N1, _MADE_LATE, csi_driver(), claim("c")),
        _P,
        puts=(csi_driver(tracks_room=False),),
    ),
    Wake("VolumeBinding", "its driver goes", (_N1, _MADE_LATE, csi_driver(), claim("c")), _P, takes=(csi_driver(),)),
)


def _zoned(zone: str) -> PersistentVolume:
    return volume("v", phase="Bound", metadata={"labels": {ZONE: zone}})


_IN_A: Final = _N1.label(ZONE, "a")
ZONES: Final = (
    Wake(
        "VolumeZone",
        "a node of the zone comes",
        (_IN_A, bound_claim("c", "v"), _zoned("b")),
        _P,
        puts=(node("n2").label(ZONE, "b"),),
    ),
    Wake(
        "VolumeZone",
        "the node changes its zone",
        (_IN_A, bound_claim("c", "v"), _zoned("b")),
        _P,
        puts=(_N1.label(ZONE, "b"),),
    ),
    Wake("VolumeZone", "the node has no zone any more", (_IN_A, bound_claim("c", "v"), _zoned("b")), _P, puts=(_N1,)),
    Wake(
        "VolumeZone",
        "the volume changes its zone",
        (_IN_A, bound_claim("c", "v"), _zoned("b")),
        _P,
        puts=(_zoned("a"),),
    ),
)

_RULES: Final = (ContainerRestartRule(action="RestartAllContainers"),)
_RESTARTS: Final = ours("p").spec(containers=(Container(name="main", restart_policy_rules=_RULES),))
_ABLE: Final = {"declared_features": ("RestartAllContainersOnContainerExits",)}
FEATURES: Final = (
    Wake("NodeDeclaredFeatures", "the node learns it", (_N1,), _RESTARTS, puts=(_N1.status(**_ABLE),)),
    Wake("NodeDeclaredFeatures", "such a node comes", (_N1,), _RESTARTS, puts=(node("n2").status(**_ABLE),)),
    Wake("NodeDeclaredFeatures", "it needs that no more", (_N1,), _RESTARTS, puts=(ours("p").container(),)),
)

STORAGE_WAKES: Final = (*RESTRICTIONS, *LIMITS, *BINDING, *ZONES, *FEATURES)
