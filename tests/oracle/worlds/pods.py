"""Bare pods, running and pending: labels, owners, containers, and the amounts they ask for."""

from typing import Any, Final

from tests.oracle.things import Manifest
from tests.oracle.worlds.nodes import IMAGES
from tests.oracle.worlds.scene import APPS, Dice, Scene
from tests.oracle.worlds.shared import RUNTIMES

CPU: Final = ("0", "1m", "50m", "100m", "250m", "500m", "1", "1500m", "0.3")
MEMORY: Final = ("0", "1Mi", "64Mi", "100M", "256Mi", "512Mi", "1Gi", "3e8", "1.5Gi")
BIG_CPU: Final = ("2", "3", "6", "12", "100")
BIG_MEMORY: Final = ("3Gi", "6Gi", "14Gi", "100Gi")


def bare_pod(scene: Scene, name: str, *, light: bool = False) -> Manifest:
    """A pod without wishes about where it runs. A light one asks for little, so that other rules decide."""
    dice = scene.dice
    namespace = dice.choice(scene.namespaces)
    pod_level = dice.chance(0.2 if scene.has("resources") else 0.03)
    rich = scene.has("resources") and not light and not pod_level
    spec: Manifest = {
        "schedulerName": dice.choice(scene.schedulers),
        "terminationGracePeriodSeconds": 30,
        "containers": [container(scene, index, rich=rich) for index in range(dice.choice((1, 1, 1, 2)))],
    }
    if dice.chance(0.4 if rich else 0.05):
        spec["initContainers"] = [
            container(scene, 10 + index, rich=rich, sidecar=dice.chance(0.5)) for index in range(dice.randint(1, 3))
        ]
    if pod_level:
        spec["resources"] = {"requests": _pod_level(dice)}
    if dice.chance(0.2 if rich else 0.05):
        spec["runtimeClassName"] = dice.choice(RUNTIMES)
    metadata: Manifest = {"name": name, "namespace": namespace, "labels": labels(dice)}
    if (owners := scene.owners.get(namespace)) and dice.chance(0.5):
        metadata["ownerReferences"] = [dice.choice(owners)]
    return {"metadata": metadata, "spec": spec}


def labels(dice: Dice) -> dict[str, str]:
    """Labels of a pod, now and then none."""
    if dice.chance(0.05):
        return {}
    made = {"app": dice.choice(APPS)}
    if dice.chance(0.6):
        made["version"] = dice.choice("12")
    if dice.chance(0.3):
        made["tier"] = dice.choice(("front", "back"))
    return made


def container(scene: Scene, index: int, *, rich: bool, sidecar: bool = False) -> Manifest:
    """A container; `rich` ones draw from all resources and all sizes."""
    dice = scene.dice
    made: Manifest = {"name": f"c{index}", "image": image(dice)}
    if sidecar:
        made["restartPolicy"] = "Always"
    requests: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    if dice.chance(0.8 if rich else 0.4):
        requests["cpu"] = dice.choice(BIG_CPU if rich and dice.chance(0.15) else CPU[: None if rich else 5])
    if dice.chance(0.8 if rich else 0.4):
        requests["memory"] = dice.choice(BIG_MEMORY if rich and dice.chance(0.15) else MEMORY[: None if rich else 5])
    if rich:
        _other_resources(dice, requests, limits)
    if requests or limits:
        made["resources"] = {"requests": requests, "limits": limits}
    return made


def image(dice: Dice) -> str:
    """An image, in one of the ways in which the same can be written."""
    index = dice.randrange(len(IMAGES))
    return IMAGES[index] + dice.choice(("", ":latest", ":v1", f"@sha256:{index:064x}"))


def running_pod(scene: Scene, name: str, node: str) -> Manifest:
    """A bare pod on a node."""
    made = bare_pod(scene, name)
    made["spec"]["nodeName"] = node
    return made


def running_status(scene: Scene, made: Manifest) -> Manifest:
    """What a kubelet would say: since when it runs, and now and then a resize on its way."""
    dice = scene.dice
    status: Manifest = {
        "phase": "Running",
        "startTime": scene.next_start(),
    }
    containers = made["spec"]["containers"]
    if dice.chance(0.5 if scene.has("resources") else 0.02):
        status["containerStatuses"] = [_resized(dice, one) for one in containers]
        sidecars = [one for one in made["spec"].get("initContainers", ()) if one.get("restartPolicy")]
        if sidecars:
            status["initContainerStatuses"] = [_resized(dice, one) for one in sidecars]
    if "resources" in made["spec"] and dice.chance(0.5):
        status["resources"] = {"requests": {"cpu": dice.choice(CPU[2:]), "memory": dice.choice(MEMORY[2:])}}
        if dice.chance(0.5):
            status["allocatedResources"] = {"cpu": dice.choice(CPU[2:])}
    if dice.chance(0.2):
        reason = dice.choice(("Infeasible", "Deferred"))
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": reason}]
    return status


def _resized(dice: Dice, one: Manifest) -> Manifest:
    amounts = {"cpu": dice.choice(CPU[2:]), "memory": dice.choice(MEMORY[2:])}
    made: Manifest = {
        "name": one["name"],
        "image": one["image"],
        "imageID": "",
        "ready": True,
        "restartCount": 0,
    }
    if dice.chance(0.8):
        made["resources"] = {"requests": amounts}
    if dice.chance(0.6):
        made["allocatedResources"] = {"cpu": dice.choice(CPU[2:]), "memory": dice.choice(MEMORY[2:])}
    return made


def _pod_level(dice: Dice) -> dict[str, Any]:
    """More than what the containers of a pod that is not rich can ask for together, as the API server demands."""
    amounts = {"cpu": dice.choice(("2", "3500m")), "memory": dice.choice(("1500Mi", "4Gi"))}
    return {name: amounts[name] for name in dice.some(tuple(amounts), 1, 2)}


def _other_resources(dice: Dice, requests: dict[str, Any], limits: dict[str, Any]) -> None:
    if dice.chance(0.2):
        requests["ephemeral-storage"] = dice.choice(("1Gi", "5G", "40Gi"))
    for name, share in (("example.com/gpu", 0.2), ("example.com/fpga", 0.08), ("other.example.com/nic", 0.08)):
        if dice.chance(share):
            requests[name] = limits[name] = dice.choice(("0", "1", "2", "5"))
    if dice.chance(0.12):
        requests["hugepages-2Mi"] = limits["hugepages-2Mi"] = dice.choice(("2Mi", "64Mi", "128Mi"))
        requests.setdefault("cpu", "100m")
