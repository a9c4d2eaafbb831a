"""Preemption: pods of several priorities, since when they run, and PodDisruptionBudgets with little left."""

from typing import Any

from pointsman.kube.resources import DISRUPTION_BUDGETS
from tests.oracle.things import Manifest, thing
from tests.oracle.worlds.neighbours import selector
from tests.oracle.worlds.scene import Scene
from tests.oracle.worlds.shared import NEVER

AMOUNTS = (("500m", "512Mi"), ("1", "1Gi"), ("1500m", "300Mi"), ("200m", "2Gi"))


def weigh(scene: Scene, pod: Manifest) -> None:
    """Make a pod heavy, and give it a priority: low ones that run, mostly high ones that come."""
    dice = scene.dice
    cpu, memory = dice.choice(AMOUNTS)
    pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu, "memory": memory}}
    pod["spec"].pop("resources", None)
    running = "nodeName" in pod["spec"]
    classes = ("lowest", "low", "low", "middle") if running else ("low", "middle", "high", "high", "highest", NEVER)
    pod["spec"]["priorityClassName"] = dice.choice(classes)


def add_budgets(scene: Scene) -> None:
    """A few budgets in each namespace; status.disruptedPods names pods whose disruption is paid for already."""
    dice = scene.dice
    for namespace in scene.namespaces:
        for number in range(dice.randint(0, 3)):
            spec: dict[str, Any] = {"minAvailable": 1}
            if dice.chance(0.95):
                spec["selector"] = selector(dice, {})
            status: dict[str, Any] = {
                "disruptionsAllowed": dice.choice((0, 0, 1, 2)),
                "currentHealthy": 3,
                "desiredHealthy": 1,
                "expectedPods": 3,
                "observedGeneration": 1,
            }
            if dice.chance(0.2):
                status["disruptedPods"] = {f"{scene.prefix}-r{dice.randrange(20)}": "2026-01-01T00:00:00Z"}
            metadata = {"name": f"{scene.prefix}-budget{number}", "namespace": namespace}
            scene.things.append(thing(DISRUPTION_BUDGETS, {"metadata": metadata, "spec": spec}, status))
