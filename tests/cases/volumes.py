"""Section F: claims, volumes, and what nodes can attach."""

from typing import Any, Final

from pointsman.testing.builders import node, pod
from tests.cases.situation import Json, Situation, fits, preempts, refused

DRIVER: Final = "d.example.com"
TAKEN: Final = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
AWAY: Final = "node(s) didn't match PersistentVolume's node affinity"
IN_VAIN: Final = (
    "1 No preemption victims found for incoming pod",
    "1 Preemption is not helpful for scheduling",
)


def storage_class(name: str, *, waits: bool) -> Json:
    """A class of the driver; with `waits` its claims wait for their first consumer."""
    mode = "WaitForFirstConsumer" if waits else "Immediate"
    return _object("storage.k8s.io/v1", "StorageClass", name, provisioner=DRIVER, volumeBindingMode=mode)


def claim(name: str, namespace: str = "default", *, storage_class: str = "", volume: str = "", **fields: Any) -> Json:
    """A claim for 1Gi, bound to a volume if one is named; `fields` are `access` and parts of the metadata."""
    access = fields.pop("access", "ReadWriteOnce")
    metadata: Json = {"namespace": namespace, **fields}
    spec: Json = {"accessModes": [access], "resources": {"requests": {"storage": "1Gi"}}}
    spec["storageClassName"] = storage_class
    if volume:
        metadata["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
        spec["volumeName"] = volume
    made = _object(
        "v1",
        "PersistentVolumeClaim",
        name,
        **{"spec": spec, "status": {"phase": "Bound"}} if volume else {"spec": spec},
    )
    made["metadata"].update(metadata)
    return made


def volume(name: str, claimed_by: str, namespace: str = "default", *, driver: str = DRIVER, **spec: Any) -> Json:
    """A volume that is bound to a claim."""
    return _object(
        "v1",
        "PersistentVolume",
        name,
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": spec.pop("access", ["ReadWriteOnce"]),
            "csi": {"driver": driver, "volumeHandle": f"handle-{name}"},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": claimed_by},
            **spec,
        },
        status={"phase": "Bound"},
    )


def csi_node(name: str, **limits: int) -> Json:
    """What a node can attach, by driver with `_` for dots."""
    drivers = [
        {"name": driver.replace("_", "."), "nodeID": name, "allocatable": {"count": count}}
        for driver, count in limits.items()
    ]
    return _object("storage.k8s.io/v1", "CSINode", name, spec={"drivers": drivers})


def _object(api_version: str, kind: str, name: str, **parts: Any) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


_TWO: Final = (node("n1"), node("n2"))

_LIMITS: Final = tuple(
    Situation(
        "C55",
        name,
        nodes=_TWO,
        pods=(pod("old").claim("old").on("n1"),),
        objects=(
            storage_class("waits", waits=True),
            csi_node("n1", d_example_com=1),
            csi_node("n2"),
            claim("old", volume="h1"),
            volume("h1", "old"),
            claim("new", storage_class="waits"),
            claim("foreign", volume="h3"),
            volume("h3", "foreign", driver="e.example.com"),
        ),
        pod=pod("p").claim(wanted),
        expected=expected,
    )
    for name, wanted, expected in (
        ("a claim without volume counts; a node without entry has no limit", "new", fits("n2")),
        ("the same volume counts once", "old", fits("n1", "n2")),
        ("another driver", "foreign", fits("n1", "n2")),
    )
)

_IN_B: Final = {
    "required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]}
}
_ZONES: Final = tuple(
    Situation(
        "C57",
        f"priority {priority}",
        nodes=(node("a1").label("zone", "a"), node("b1").label("zone", "b").cpu("1")),
        pods=(pod("old").container(cpu="1").on("b1"),),
        objects=(claim("c", volume="pv"), volume("pv", "c", nodeAffinity=_IN_B)),
        pod=pod("p").container(cpu="1").claim("c").priority(priority),
        expected=expected,
    )
    for priority, expected in (
        (
            0,
            refused(2, "1 Insufficient cpu", f"1 {AWAY}", preemption=f"0/2 nodes are available: {', '.join(IN_VAIN)}."),
        ),
        (100, preempts("b1", "old")),
    )
)

_ALONE: Final = "ReadWriteOncePod"
_EXCLUSIVE: Final = tuple(
    Situation(
        "C58",
        name,
        nodes=_TWO,
        pods=(pod("holder").claim("c").priority(10).on("n1"),),
        objects=(
            claim("c", volume="pv", access=_ALONE),
            volume("pv", "c", access=[_ALONE]),
            claim("c", "other", volume="pv2", access=_ALONE),
            volume("pv2", "c", "other", access=[_ALONE]),
        ),
        pod=incoming,
        expected=expected,
    )
    for name, incoming, expected in (
        (
            "as important as the holder",
            pod("p").claim("c").priority(10),
            refused(
                2, f"2 {TAKEN}", preemption="0/2 nodes are available: 2 No preemption victims found for incoming pod."
            ),
        ),
        ("more important than the holder", pod("p").claim("c").priority(50), preempts("n1", "holder")),
        ("a namesake elsewhere", pod("p", "other").claim("c"), fits("n1", "n2")),
    )
)

_SHARED: Final = Situation(
    "C59",
    "a claim for one node binds nobody to that node",
    nodes=_TWO,
    pods=(pod("p1").claim("c").on("n1"),),
    objects=(claim("c", volume="pv"), volume("pv", "c")),
    pod=pod("p2").claim("c"),
    expected=fits("n1", "n2"),
)

_UNUSABLE: Final = tuple(
    Situation("C60", name, nodes=_TWO, objects=objects, pod=incoming, expected=refused(2, words))
    for name, objects, incoming, words in (
        ("no such claim", (), pod("p").claim("c"), 'persistentvolumeclaim "c" not found'),
        (
            "a claim that is being deleted",
            (
                claim(
                    "c",
                    volume="pv",
                    finalizers=["kubernetes.io/pvc-protection"],
                    deletionTimestamp="2026-01-01T00:00:00Z",
                ),
                volume("pv", "c"),
            ),
            pod("p").claim("c"),
            'persistentvolumeclaim "c" is being deleted',
        ),
        (
            "a claim that should have its volume by now",
            (storage_class("at-once", waits=False), claim("c", storage_class="at-once")),
            pod("p").claim("c"),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            "a claim of a class that does not exist",
            (claim("c", storage_class="gone"),),
            pod("p").claim("c"),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            "an ephemeral claim that belongs to nobody",
            (claim("p-scratch", volume="pv"), volume("pv", "p-scratch")),
            pod("p").ephemeral_claim("scratch"),
            "PVC default/p-scratch was not created for pod default/p (pod is not owner)",
        ),
    )
)

SITUATIONS: Final = (*_LIMITS, *_ZONES, *_EXCLUSIVE, _SHARED, *_UNUSABLE)
