"""Nodes: sizes, labels, taints, images, features. Some lack what most have, down to any label or allocatable amount."""

from typing import Any, Final

from pointsman.kube.resources import NODES
from tests.oracle.things import Manifest, thing
from tests.oracle.worlds.scene import HOSTNAME, OLD_REGION, OLD_ZONE, REGION, REGIONS, ZONE, ZONES, Dice, Scene

IMAGES: Final = tuple(f"registry.example.com/app-{number}" for number in range(6))
TAINTS: Final = (
    {"key": "dedicated", "value": "a"},
    {"key": "dedicated", "value": "b"},
    {"key": "gpu"},
    {"key": "node.kubernetes.io/unschedulable"},
)
EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
FEATURES: Final = (
    "ExtendWebSocketsToKubelet",
    "RestartAllContainersOnContainerExits",
    "UserNamespacesHostNetworkSupport",
)
MEBIBYTE: Final = 1 << 20


def add_nodes(scene: Scene, count: int) -> None:
    """Put up the nodes of a world."""
    for number in range(count):
        node = _node(scene, f"{scene.prefix}-n{number}")
        scene.nodes.append(node)
        scene.things.append(thing(NODES, node))


def _node(scene: Scene, name: str) -> Manifest:
    dice = scene.dice
    spec: Manifest = {}
    if dice.chance(0.15 if scene.has("taints") else 0.02):
        spec["unschedulable"] = True
    if dice.chance(0.6 if scene.has("taints") else 0.05):
        spec["taints"] = _taints(dice)
    status: Manifest = {"allocatable": _allocatable(scene)}
    if scene.has("images"):
        status["images"] = _images(dice)
    if scene.has("features"):
        status["declaredFeatures"] = sorted(dice.some(FEATURES, 0, 3))
    return {"metadata": {"name": name, "labels": _labels(dice, name)}, "spec": spec, "status": status}


def _labels(dice: Dice, name: str) -> dict[str, str]:
    if dice.chance(0.03):
        return {}
    labels = {HOSTNAME: name}
    if dice.chance(0.03):
        del labels[HOSTNAME]
    zone = dice.choice(ZONES)
    if dice.chance(0.9):
        labels[ZONE] = zone
    if dice.chance(0.7):
        labels[REGION] = REGIONS[zone]
    if dice.chance(0.15):
        labels[OLD_ZONE] = zone
        labels[OLD_REGION] = REGIONS[zone]
    if dice.chance(0.9):
        labels["pool"] = dice.choice("abc")
    if dice.chance(0.6):
        labels["disk"] = dice.choice(["ssd", "hdd", ""])
    if dice.chance(0.7):
        labels["tier"] = dice.choice(["1", "3", "5", "10", "007", "many"])
    if dice.chance(0.8):
        labels["rack"] = f"rack-{dice.randint(1, 6)}"
    return labels


def _taints(dice: Dice) -> list[Manifest]:
    chosen = [{**taint, "effect": dice.choice(EFFECTS)} for taint in dice.some(TAINTS, 1, 3)]
    return list({(taint["key"], taint["effect"]): taint for taint in chosen}.values())


def _allocatable(scene: Scene) -> dict[str, Any]:
    dice = scene.dice
    if dice.chance(0.02):
        return {}
    amounts: dict[str, Any] = {
        "cpu": dice.choice(["1", "2", "3900m", "4", "8", "16"]),
        "memory": dice.choice(["2Gi", "4Gi", "7800M", "16Gi", "32Gi"]),
        "pods": dice.choice(["4", "8", "30", "110"]) if scene.has("resources") else "110",
    }
    if dice.chance(0.8):
        amounts["ephemeral-storage"] = dice.choice(["10Gi", "50Gi", "100G"])
    if dice.chance(0.5):
        amounts["example.com/gpu"] = dice.choice(["0", "1", "4", "8"])
    if dice.chance(0.2):
        amounts["example.com/fpga"] = dice.choice(["2", "1k"])
    if dice.chance(0.3):
        amounts["other.example.com/nic"] = "3"
    if dice.chance(0.4):
        amounts["hugepages-2Mi"] = dice.choice(["0", "64Mi", "512Mi"])
    if dice.chance(0.03):
        del amounts[dice.choice(["cpu", "memory", "pods"])]
    return amounts


def _images(dice: Dice) -> list[Manifest]:
    sizes = (5, 30, 200, 700, 1500)
    return [
        {
            "names": [f"{image}@sha256:{index:064x}", f"{image}:{tag}"],
            "sizeBytes": sizes[index % 5] * MEBIBYTE + 7 * index,
        }
        for index, image in enumerate(IMAGES)
        if dice.chance(0.5)
        for tag in dice.some(("latest", "v1"), 1, 1)
    ]
