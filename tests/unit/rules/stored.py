"""Storage objects for tests, in one line each."""

from typing import Any

from pointsman.kube.objects import LabelSelector, Metadata, NodeSelector, NodeSelectorTerm
from pointsman.kube.storage_objects import (
    ClaimResources,
    ClaimSpec,
    ClaimStatus,
    CSIDriver,
    CSIDriverSpec,
    CSIStorageCapacity,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    TopologyLabelRequirement,
    TopologySelectorTerm,
    VolumeNodeAffinity,
    VolumeSpec,
    VolumeStatus,
)
from pointsman.testing.builders import term

LATE = "late"  # the class of claims that wait for a pod
PROVISIONER = "csi.example.com"


def claim(
    name: str,
    size: str = "1Gi",
    class_name: str | None = LATE,
    *,
    annotations: dict[str, str] | None = None,
    phase: str = "Pending",
    metadata: dict[str, Any] | None = None,
    **spec: Any,
) -> PersistentVolumeClaim:
    """A claim in namespace default that waits for a pod, unless told otherwise."""
    return PersistentVolumeClaim(
        metadata=Metadata(
            name=name,
            namespace="default",
            uid=f"claim-{name}",
            resource_version="1",
            annotations=annotations or {},
            **(metadata or {}),
        ),
        spec=ClaimSpec(
            storage_class_name=class_name,
            resources=ClaimResources(requests={"storage": size}),
            **{"access_modes": ("ReadWriteOnce",), **spec},
        ),
        status=ClaimStatus(phase=phase),
    )


def bound_claim(name: str, volume_name: str, **more: Any) -> PersistentVolumeClaim:
    """A claim that the volume controller has bound."""
    completed = {"pv.kubernetes.io/bind-completed": "yes"}
    return claim(name, phase="Bound", annotations=completed, volume_name=volume_name, **more)


def volume(
    name: str,
    size: str = "1Gi",
    class_name: str = LATE,
    *,
    on: str = "",
    terms: tuple[NodeSelectorTerm, ...] = (),
    phase: str = "Available",
    metadata: dict[str, Any] | None = None,
    **spec: Any,
) -> PersistentVolume:
    """An available volume, that of one node where `on` names it."""
    places = (term(("kubernetes.io/hostname", "In", on)),) if on else terms
    affinity = VolumeNodeAffinity(required=NodeSelector(node_selector_terms=places)) if places else None
    return PersistentVolume(
        metadata=Metadata(name=name, uid=f"volume-{name}", resource_version="1", **(metadata or {})),
        spec=VolumeSpec(
            storage_class_name=class_name,
            capacity={"storage": size},
            node_affinity=affinity,
            **{"access_modes": ("ReadWriteOnce",), **spec},
        ),
        status=VolumeStatus(phase=phase),
    )


def promised(to: str, uid: str = "") -> ObjectReference:
    """A claimRef to a claim of namespace default."""
    return ObjectReference(kind="PersistentVolumeClaim", namespace="default", name=to, uid=uid)


def storage_class(
    name: str = LATE, *allowed: tuple[tuple[str, ...], ...], mode: str = "WaitForFirstConsumer", provisioner: str = ""
) -> StorageClass:
    """A class; each of `allowed` is a topology term of (key, *values)."""
    terms = tuple(
        TopologySelectorTerm(
            match_label_expressions=tuple(
                TopologyLabelRequirement(key=key, values=tuple(values)) for key, *values in one
            )
        )
        for one in allowed
    )
    metadata = Metadata(name=name, resource_version="1")
    return StorageClass(metadata=metadata, provisioner=provisioner, volume_binding_mode=mode, allowed_topologies=terms)


def csi_driver(name: str = PROVISIONER, *, tracks_room: bool = True) -> CSIDriver:
    return CSIDriver(
        metadata=Metadata(name=name, resource_version="1"), spec=CSIDriverSpec(storage_capacity=tracks_room)
    )


def room(
    name: str, size: str | None, labels: dict[str, str] | None, class_name: str = LATE, largest: str | None = None
) -> CSIStorageCapacity:
    """What is left on nodes with these labels; None for labels: nowhere."""
    return CSIStorageCapacity(
        metadata=Metadata(name=name, namespace="csi", resource_version="1"),
        storage_class_name=class_name,
        node_topology=None if labels is None else LabelSelector(match_labels=labels),
        capacity=size,
        maximum_volume_size=largest,
    )
