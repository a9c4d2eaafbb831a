"""Storage: classes, drivers, volumes and claims in every state, and pods that use them."""

from typing import Any, Final

from pointsman.kube.resources import CLAIMS, CSI_DRIVERS, CSI_STORAGE_CAPACITIES, STORAGE_CLASSES, VOLUMES
from tests.oracle.things import Manifest, thing
from tests.oracle.worlds.scene import HOSTNAME, OLD_ZONE, REGION, REGIONS, ZONE, ZONES, Scene, Shelf

DRIVERS: Final = ("csi.example.com", "disk.csi.example.com")
COUNTED: Final = "capacity.csi.example.com"  # its driver says how much room each topology has
SIZES: Final = ("1Gi", "5Gi", "8G", "20Gi")
BOUND: Final = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
HELD: Final = "example.com/held"
OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"  # counts more than the field
SELECTED: Final = "volume.kubernetes.io/selected-node"


def add_storage(scene: Scene) -> None:
    """Put up classes, drivers, volumes and claims."""
    _add_classes(scene)
    _add_capacities(scene)
    for namespace in scene.namespaces:
        shelf = scene.shelves[namespace] = Shelf()
        for number in range(6):
            shelf.bound.append(_bound_pair(scene, namespace, f"{scene.prefix}-b{number}"))
        for number in range(6):
            shelf.others.append(_unbound(scene, namespace, f"{scene.prefix}-u{number}"))
    for number in range(scene.dice.randint(4, 14)):
        _available(scene, f"{scene.prefix}-free{number}")


def use_claims(scene: Scene, pod: Manifest) -> None:
    """One or two claims of the pod's namespace, now and then one that does not exist."""
    dice, namespace = scene.dice, pod["metadata"]["namespace"]
    shelf = scene.shelves[namespace]
    names = [dice.choice(shelf.bound if dice.chance(0.6) else shelf.others) for _ in range(dice.choice((1, 1, 2)))]
    if dice.chance(0.04):
        names.append("no-such-claim")
    for name in dict.fromkeys(names):
        add_volume(pod, persistentVolumeClaim={"claimName": name, "readOnly": dice.chance(0.2)})


def use_bound_claims(scene: Scene, pod: Manifest) -> None:
    """Up to three claims that are bound: what a node has to attach."""
    shelf = scene.shelves[pod["metadata"]["namespace"]]
    for name in scene.dice.some(shelf.bound, 1, 3):
        add_volume(pod, persistentVolumeClaim={"claimName": name})


def ephemeral_claim(scene: Scene, pod: Manifest) -> Manifest:
    """Give a pod a generic ephemeral volume; the claim that a controller would make for it comes back."""
    dice = scene.dice
    name = dice.choice((f"{scene.prefix}-wait", f"{scene.prefix}-local", f"{scene.prefix}-narrow"))
    spec = {**_claim_spec(scene), "storageClassName": name}
    volume = add_volume(pod, ephemeral={"volumeClaimTemplate": {"spec": spec}})
    owner = pod["metadata"]
    metadata: dict[str, Any] = {"name": f"{owner['name']}-{volume}", "namespace": owner["namespace"]}
    if dice.chance(0.15):
        metadata["ownerReferences"] = []
    return {"metadata": metadata, "spec": spec}


def volume_spec(scene: Scene, handle: str) -> Manifest:
    """A volume that a CSI driver made, or one of a kind that drivers have taken over since."""
    dice = scene.dice
    source: Manifest = {"csi": {"driver": dice.choice(DRIVERS), "volumeHandle": handle}}
    if dice.chance(0.2):
        source = dice.choice(
            (
                {"gcePersistentDisk": {"pdName": handle}},
                {"awsElasticBlockStore": {"volumeID": f"aws://{dice.choice(ZONES)}/vol-{handle}"}},
                {"awsElasticBlockStore": {"volumeID": f"vol-{handle}"}},
                {"azureDisk": {"diskName": handle, "diskURI": f"/subscriptions/s/{handle}", "kind": "Managed"}},
                {"cinder": {"volumeID": handle}},
            )
        )
    return {
        "capacity": {"storage": dice.choice(SIZES)},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Delete",
        **source,
    }


def add_volume(pod: Manifest, **source: Manifest) -> str:
    """Give a pod a volume; its name comes back."""
    volumes = pod["spec"].setdefault("volumes", [])
    volumes.append({"name": f"volume{len(volumes)}", **source})
    return str(volumes[-1]["name"])


def _add_classes(scene: Scene) -> None:
    narrow = [{"matchLabelExpressions": [{"key": ZONE, "values": list(ZONES[:2])}]}]
    if scene.dice.chance(0.5):
        narrow.append({"matchLabelExpressions": [{"key": "pool", "values": ["a"]}]})
    late, now = "WaitForFirstConsumer", "Immediate"
    for name, provisioner, mode, topologies in (
        ("wait", DRIVERS[0], late, None),
        ("local", "kubernetes.io/no-provisioner", late, None),
        ("narrow", DRIVERS[1], late, narrow),
        ("counted", COUNTED, late, None),
        ("now", DRIVERS[0], now, None),
    ):
        made: dict[str, Any] = {
            "metadata": {"name": f"{scene.prefix}-{name}"},
            "provisioner": provisioner,
            "volumeBindingMode": mode,
        }
        if topologies:
            made["allowedTopologies"] = topologies
        scene.things.append(thing(STORAGE_CLASSES, made))


def _add_capacities(scene: Scene) -> None:
    dice = scene.dice
    spec = {"storageCapacity": dice.chance(0.8), "attachRequired": True}
    scene.things.append(thing(CSI_DRIVERS, {"metadata": {"name": COUNTED}, "spec": spec}))
    for number, zone in enumerate(dice.some(ZONES, 0, 3)):
        made: dict[str, Any] = {
            "metadata": {"name": f"{scene.prefix}-room{number}", "namespace": "default"},
            "storageClassName": f"{scene.prefix}-counted",
        }
        if dice.chance(0.9):
            made["nodeTopology"] = {"matchLabels": {ZONE: zone}}
        if dice.chance(0.9):
            made["capacity"] = dice.choice(("2Gi", "10Gi", "100Gi"))
        if dice.chance(0.3):
            made["maximumVolumeSize"] = dice.choice(("3Gi", "6Gi"))
        scene.things.append(thing(CSI_STORAGE_CAPACITIES, made))


def _claim_spec(scene: Scene) -> Manifest:
    dice = scene.dice
    return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": dice.choice(SIZES)}}}


def _bound_pair(scene: Scene, namespace: str, name: str) -> str:
    """A claim and its volume; the volume may be tied to places, or missing."""
    dice = scene.dice
    volume = f"{name}-{namespace}"
    spec = {**_claim_spec(scene), "volumeName": volume, "storageClassName": dice.choice(("", f"{scene.prefix}-now"))}
    if dice.chance(0.3 if scene.has("exclusive") else 0.03):
        spec["accessModes"] = ["ReadWriteOncePod"]
    metadata = {"name": name, "namespace": namespace, "annotations": BOUND}
    scene.things.append(thing(CLAIMS, {"metadata": metadata, "spec": spec}, {"phase": "Bound"}))
    if dice.chance(0.04):
        return name
    made = volume_spec(scene, f"handle-{volume}")
    made["accessModes"] = spec["accessModes"]
    made["storageClassName"] = spec["storageClassName"]
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": name, "namespace": namespace}
    made["claimRef"] = reference
    if dice.chance(0.4 if scene.has("storage") else 0.05):
        made["nodeAffinity"] = {"required": {"nodeSelectorTerms": [_place(scene)]}}
    labels = _zone_labels(scene) if dice.chance(0.6 if scene.has("zones") else 0.02) else {}
    bound = {"metadata": {"name": volume, "labels": labels}, "spec": made}
    scene.things.append(thing(VOLUMES, bound, {"phase": "Bound"}))
    return name


def _unbound(scene: Scene, namespace: str, name: str) -> str:
    dice = scene.dice
    spec = _claim_spec(scene)
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    status = None
    kind = dice.choice(("wait", "local", "local", "local", "narrow", "counted", "counted", "now", "none", "odd"))
    if kind in ("wait", "local", "narrow", "counted", "now"):
        spec["storageClassName"] = f"{scene.prefix}-{kind}"
    elif kind == "none":
        spec["storageClassName"] = dice.choice(("", "no-such-class"))
    elif dice.chance(0.5):
        spec["volumeName"], spec["storageClassName"] = "gone", ""
        status = {"phase": "Lost"}
    else:
        spec["volumeName"], spec["storageClassName"] = f"{scene.prefix}-b0-default", ""
    if kind == "local":
        _particular(scene, spec)
    if dice.chance(0.05):
        metadata["finalizers"] = [HELD]
    if kind in ("wait", "local") and dice.chance(0.1):
        metadata["annotations"] = {SELECTED: dice.choice(scene.node_names())}
    if dice.chance(0.1) and "storageClassName" in spec:
        metadata.setdefault("annotations", {})[OLD_CLASS] = spec.pop("storageClassName")
    scene.things.append(thing(CLAIMS, {"metadata": metadata, "spec": spec}, status))
    return name


def _particular(scene: Scene, spec: Manifest) -> None:
    """Wishes of a claim about the volume that it takes."""
    dice = scene.dice
    if dice.chance(0.2):
        spec["selector"] = {"matchLabels": {"speed": dice.choice(("fast", "slow"))}}
    if dice.chance(0.1):
        spec["volumeMode"] = "Block"
    if dice.chance(0.1):
        spec["accessModes"] = ["ReadWriteOnce", "ReadOnlyMany"]
    if dice.chance(0.1):
        spec["volumeAttributesClassName"] = "gold"


def _available(scene: Scene, name: str) -> None:
    """A volume without a claim, mostly on one node."""
    dice = scene.dice
    spec: dict[str, Any] = {
        "capacity": {"storage": dice.choice(SIZES)},
        "accessModes": dice.choice((["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"])),
        "persistentVolumeReclaimPolicy": "Delete",
        "storageClassName": f"{scene.prefix}-{dice.choice(('local', 'local', 'local', 'wait'))}",
        "volumeMode": "Block" if dice.chance(0.1) else "Filesystem",
        "local": {"path": "/mnt/disk"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [_place(scene)]}},
    }
    if dice.chance(0.15):
        namespace = dice.choice(scene.namespaces)
        claim = {"name": f"{scene.prefix}-u{dice.randrange(6)}", "namespace": namespace}
        spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim}
    if dice.chance(0.15):
        del spec["local"]
        spec |= {"csi": {"driver": dice.choice(DRIVERS), "volumeHandle": name}, "volumeAttributesClassName": "gold"}
    phase = "Available" if dice.chance(0.9) else dice.choice(("Released", "Failed"))
    metadata: dict[str, Any] = {"name": name, "labels": {"speed": dice.choice(("fast", "slow"))}}
    if dice.chance(0.08):
        metadata["finalizers"] = [HELD]
    made = {"metadata": metadata, "spec": spec}
    scene.things.append(thing(VOLUMES, made, {"phase": phase}))


def _place(scene: Scene) -> Manifest:
    dice = scene.dice
    key, values = dice.choice(
        (
            (HOSTNAME, dice.some(scene.node_names(), 1, 4)),
            (ZONE, dice.some(ZONES, 1, 2)),
            ("pool", dice.some("abc", 1, 2)),
        )
    )
    return {"matchExpressions": [{"key": key, "operator": "In", "values": values}]}


def _zone_labels(scene: Scene) -> dict[str, str]:
    dice = scene.dice
    kind = dice.random()
    if kind < 0.5:
        return {ZONE: dice.choice(ZONES)}
    if kind < 0.7:
        return {ZONE: "__".join(dice.choice((ZONES[:2], ZONES[2:])))}
    if kind < 0.85:
        return {OLD_ZONE: dice.choice(ZONES)}
    return {ZONE: dice.choice(ZONES), REGION: dice.choice(tuple(REGIONS.values()))}
