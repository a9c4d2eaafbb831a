"""Services and controllers: what makes pods belong together where they say nothing about spreading themselves."""

from typing import Any, Final

from pointsman.kube.resources import REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS
from tests.oracle.things import Manifest, thing
from tests.oracle.worlds.scene import APPS, Dice, Scene

TEMPLATE_SPEC: Final = {"containers": [{"name": "main", "image": "registry.example.com/app-0"}]}


def add_owners(scene: Scene) -> None:
    """A few Services and controllers of each namespace, and references to them for pods to carry."""
    dice = scene.dice
    for namespace in scene.namespaces:
        for number in range(dice.randint(0, 3)):
            metadata = {"name": f"{scene.prefix}-s{number}", "namespace": namespace}
            spec: dict[str, Any] = {"clusterIP": "None"}
            if dice.chance(0.9):
                spec["selector"] = _labels(dice)
            scene.things.append(thing(SERVICES, {"metadata": metadata, "spec": spec}))
        references = [_controller(scene, namespace, number) for number in range(dice.randint(0, 4))]
        scene.owners[namespace] = [*references, *_strangers(scene)]


def _controller(scene: Scene, namespace: str, number: int) -> Manifest:
    dice = scene.dice
    resource = dice.choice((REPLICATION_CONTROLLERS, REPLICA_SETS, REPLICA_SETS, STATEFUL_SETS))
    name = f"{scene.prefix}-c{number}"
    labels = _labels(dice)
    spec: dict[str, Any] = {"replicas": 0, "template": {"metadata": {"labels": labels}, "spec": TEMPLATE_SPEC}}
    if resource is REPLICATION_CONTROLLERS:
        spec["selector"] = labels
    else:
        spec["selector"] = {"matchLabels": labels}
        if dice.chance(0.4):
            key, value = next(iter(labels.items()))
            spec["selector"] = {"matchExpressions": [{"key": key, "operator": "In", "values": [value, "other"]}]}
    if resource is STATEFUL_SETS:
        spec["serviceName"] = "none"
    scene.things.append(thing(resource, {"metadata": {"name": name, "namespace": namespace}, "spec": spec}))
    return _reference(resource.api_version, resource.kind, name)


def _strangers(scene: Scene) -> list[Manifest]:
    """Owners that are unknown, or of a kind that says nothing about spreading."""
    if not scene.dice.chance(0.3):
        return []
    return [
        _reference("apps/v1", "ReplicaSet", "no-such-set"),
        _reference("batch/v1", "Job", "job"),
        _reference("example.com/v1", "ReplicaSet", f"{scene.prefix}-c0"),
    ]


def _reference(api_version: str, kind: str, name: str) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": f"uid-of-{name}", "controller": True}


def _labels(dice: Dice) -> dict[str, str]:
    labels = {"app": dice.choice(APPS)}
    if dice.chance(0.3):
        labels["version"] = dice.choice("12")
    return labels
