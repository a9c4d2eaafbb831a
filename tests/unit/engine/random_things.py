"""Random nodes, storage, Services and namespaces in the world of the random pods."""

from typing import Any, Final, TypeVar

import msgspec
from tests.unit.engine.putting import Thing
from tests.unit.engine.random_pods import APPS, CLAIMS, EPHEMERAL, GPU, HOST, NAMESPACES, ZONE, Draw
from tests.unit.rules.stored import (
    LATE,
    PROVISIONER,
    bound_claim,
    claim,
    csi_driver,
    promised,
    room,
    storage_class,
    volume,
)

from pointsman.kube.objects import Metadata, Namespace, OwnerReference
from pointsman.kube.storage_objects import (
    AttachmentSource,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSIVolumeSource,
    NodeResources,
    PersistentVolume,
    PersistentVolumeClaim,
    VolumeAttachment,
    VolumeAttachmentSpec,
)
from pointsman.kube.workload_objects import ControllerSpec, ReplicaSet, Service, ServiceSpec
from pointsman.testing.builders import NodeBuilder, asks, node, term

T = TypeVar("T", bound=Any)
NODES: Final = ("n0", "n1", "n2", "n3", "n4")
MEBIBYTE: Final = 2**20


def some_node(draw: Draw) -> NodeBuilder:
    """A node under one of a few names."""
    built = node(draw.choice(NODES)).cpu(draw.choice(("2", "4", "8"))).pods(draw.choice((5, 8, 110)))
    if draw.random() < 0.8:
        built = built.label(ZONE, draw.choice(("z1", "z2", "z3")))
    for key, values in (("rack", "12"), ("disk", ("ssd", "hdd"))):
        if draw.random() < 0.6:
            built = built.label(key, draw.choice(values))
    if draw.random() < 0.2:
        built = built.taint(draw.choice(("t", "u")), effect=draw.choice(("NoSchedule", "PreferNoSchedule")))
    if draw.random() < 0.04:
        built = built.unschedulable()
    if draw.random() < 0.4:
        built = built.allocatable(GPU, draw.choice((1, 4)))
    if draw.random() < 0.5:
        built = built.image("app:latest", size=400 * MEBIBYTE)
    if draw.random() < 0.5:
        built = built.status(declared_features=("RestartAllContainersOnContainerExits",))
    return built


def some_namespace(draw: Draw) -> Namespace:
    name = draw.choice(NAMESPACES)
    labels = draw.choice(({}, {"team": "x"}, {"team": "y"}))
    return Namespace(metadata=Metadata(name=name, uid=f"namespace-{name}", labels=labels))


def some_owner(draw: Draw) -> Service | ReplicaSet:
    metadata = Metadata(name=draw.choice(("r0", "r1")), namespace=draw.choice(NAMESPACES))
    if draw.random() < 0.5:
        return Service(metadata=metadata, spec=ServiceSpec(selector={"app": draw.choice(APPS)}))
    return ReplicaSet(metadata=metadata, spec=ControllerSpec(selector=asks(app=draw.choice(APPS))))


def some_claim(draw: Draw) -> PersistentVolumeClaim:
    """A claim: bound to the volume of its number, or waiting for one."""
    name = draw.choice(CLAIMS)
    modes = (draw.choice(("ReadWriteOnce", "ReadWriteOnce", "ReadWriteOncePod")),)
    if draw.random() < 0.5:
        return fresh(draw, bound_claim(name, f"v{name[1:]}", access_modes=modes))
    return fresh(draw, claim(name, class_name=draw.choice((LATE, LATE, "now", "never")), access_modes=modes))


def some_ephemeral_claim(draw: Draw) -> PersistentVolumeClaim:
    """The claim of a generic ephemeral volume of one of the first pods."""
    name = f"{draw.choice(('p', 'probe-'))}{draw.randint(0, 3)}"
    owner = OwnerReference(kind="Pod", name=name, uid=f"pod-default-{name}", controller=True)
    made = claim(f"{name}-{EPHEMERAL}", metadata={"owner_references": (owner,)})
    return fresh(draw, made)


def some_volume(draw: Draw) -> PersistentVolume:
    """A volume of somewhere, promised to a claim or to be had."""
    number = draw.randint(0, 5)
    where: dict[str, Any] = draw.choice(
        ({}, {"on": draw.choice(NODES)}, {"terms": (term((ZONE, "In", draw.choice(("z1", "z2")))),)})
    )
    labels: dict[str, str] = draw.choice(({}, {ZONE: draw.choice(("z1", "z2__z3"))}))
    source = CSIVolumeSource(driver=PROVISIONER, volume_handle=f"h{number}")
    phase = draw.choice(("Available", "Available", "Bound", "Released"))
    more: dict[str, Any] = {"claim_ref": promised(f"c{number}")} if number < 4 and draw.random() < 0.5 else {}
    size = draw.choice(("1Gi", "2Gi", "100Mi"))
    made = volume(f"v{number}", size, phase=phase, metadata={"labels": labels}, csi=source, **where, **more)
    return fresh(draw, made)


def some_storage(draw: Draw) -> Thing:
    """Any other object about storage."""
    return fresh(draw, draw.choice((_class, _driver, _room, _csi_node, _attachment))(draw))


def _class(draw: Draw) -> Thing:
    if draw.random() < 0.2:
        return storage_class("now", mode="Immediate", provisioner=PROVISIONER)
    allowed = draw.choice(((), ((ZONE, "z1", "z2"),), ((HOST, "n0"),)))
    return storage_class(LATE, *((allowed,) if allowed else ()), provisioner=draw.choice((PROVISIONER, "")))


def _driver(draw: Draw) -> Thing:
    return csi_driver(tracks_room=draw.random() < 0.5)


def _room(draw: Draw) -> Thing:
    where = draw.choice(({}, {ZONE: "z1"}, {ZONE: "z2"}, None))
    return room(draw.choice(("room0", "room1")), draw.choice(("1Mi", "5Gi", None)), where)


def _csi_node(draw: Draw) -> Thing:
    name, count = draw.choice(NODES), draw.choice((None, 0, 1, 1, 2))
    limit = None if count is None else NodeResources(count=count)
    spec = CSINodeSpec(drivers=(CSINodeDriver(name=PROVISIONER, node_id=name, allocatable=limit),))
    return CSINode(metadata=Metadata(name=name), spec=spec)


def _attachment(draw: Draw) -> Thing:
    """The spec of one never changes."""
    name, where = f"v{draw.randint(0, 5)}", draw.choice(NODES)
    source = AttachmentSource(persistent_volume_name=name)
    spec = VolumeAttachmentSpec(attacher=PROVISIONER, node_name=where, source=source)
    return VolumeAttachment(metadata=Metadata(name=f"{name}-{where}"), spec=spec)


def fresh(draw: Draw, thing: T) -> T:
    """The same as another version."""
    metadata = msgspec.structs.replace(thing.metadata, resource_version=str(draw.randint(2, 10**9)))
    return msgspec.structs.replace(thing, metadata=metadata)
