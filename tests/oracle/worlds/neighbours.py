"""What makes a pod choosy about other pods: spread constraints, and affinity to them."""

from typing import Any, Final

from tests.oracle.things import Manifest
from tests.oracle.worlds.scene import APPS, HOSTNAME, REGION, ZONE, Dice, Scene

KEYS: Final = (ZONE, ZONE, HOSTNAME, HOSTNAME, "rack", REGION, "no-such-label")


def spread(scene: Scene, pod: Manifest) -> None:
    """Topology spread constraints with all their fields."""
    dice = scene.dice
    constraints = [_constraint(dice, pod) for _ in range(dice.choice((1, 1, 2, 3)))]
    unique = {(one["topologyKey"], one["whenUnsatisfiable"]): one for one in constraints}
    pod["spec"]["topologySpreadConstraints"] = list(unique.values())


def seek_neighbours(scene: Scene, pod: Manifest) -> None:
    """Pod affinity and anti-affinity, required and preferred."""
    dice = scene.dice
    affinity = pod["spec"].setdefault("affinity", {})
    if dice.chance(0.35):
        affinity.setdefault("podAffinity", {})["requiredDuringSchedulingIgnoredDuringExecution"] = _terms(scene, 2)
    if dice.chance(0.35):
        affinity.setdefault("podAntiAffinity", {})["requiredDuringSchedulingIgnoredDuringExecution"] = _terms(scene, 2)
    for kind in ("podAffinity", "podAntiAffinity"):
        if dice.chance(0.35):
            weighted = [{"weight": dice.choice((1, 5, 50, 100)), "podAffinityTerm": term} for term in _terms(scene, 3)]
            affinity.setdefault(kind, {})["preferredDuringSchedulingIgnoredDuringExecution"] = weighted
    if dice.chance(0.05):
        affinity.setdefault(dice.choice(("podAffinity", "podAntiAffinity")), {})
    if not affinity:
        del pod["spec"]["affinity"]


def selector(dice: Dice, labels: dict[str, str]) -> Manifest:
    """A label selector of pods; often one that matches these labels."""
    kind = dice.random()
    if kind < 0.05:
        return {}
    if kind < 0.5 and labels:
        return {"matchLabels": dict(dice.some(tuple(labels.items()), 1, 2))}
    if kind < 0.75:
        return {"matchLabels": {"app": dice.choice(APPS)}}
    return {"matchExpressions": [_requirement(dice) for _ in range(dice.choice((1, 1, 2)))]}


def _constraint(dice: Dice, pod: Manifest) -> Manifest:
    hard = dice.chance(0.5)
    made: dict[str, Any] = {
        "topologyKey": dice.choice(KEYS[: -1 if dice.chance(0.9) else None]),
        "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
        "maxSkew": dice.choice((1, 1, 2, 3, 5)),
    }
    labels = pod["metadata"]["labels"]
    if dice.chance(0.95):
        made["labelSelector"] = selector(dice, {"app": labels["app"]} if "app" in labels else {})
        keys = [key for key in ("version", "tier") if key not in str(made["labelSelector"])]
        if keys and dice.chance(0.25):
            made["matchLabelKeys"] = dice.some(keys, 1, 2)
    if hard and dice.chance(0.3):
        made["minDomains"] = dice.randint(1, 5)
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if dice.chance(0.4):
            made[policy] = dice.choice(("Honor", "Ignore"))
    return made


def _terms(scene: Scene, most: int) -> list[Manifest]:
    return [_term(scene) for _ in range(scene.dice.randint(1, most))]


def _term(scene: Scene) -> Manifest:
    dice = scene.dice
    made: dict[str, Any] = {"topologyKey": dice.choice(KEYS[: -1 if dice.chance(0.9) else None])}
    if dice.chance(0.95):
        made["labelSelector"] = selector(dice, {"app": dice.choice(APPS)})
        keys = [key for key in ("version", "tier") if key not in str(made["labelSelector"])]
        if keys and dice.chance(0.2):
            made[dice.choice(("matchLabelKeys", "mismatchLabelKeys"))] = [dice.choice(keys)]
    if dice.chance(0.3):
        made["namespaces"] = dice.some(scene.namespaces, 1, 2)
    if dice.chance(0.35):
        made["namespaceSelector"] = _namespace_selector(dice)
    return made


def _namespace_selector(dice: Dice) -> Manifest:
    kind = dice.random()
    if kind < 0.2:
        return {}
    if kind < 0.6:
        return {"matchLabels": dict([dice.choice((("team", "a"), ("team", "b"), ("env", "prod")))])}
    operator = dice.choice(("In", "NotIn", "Exists", "DoesNotExist"))
    made: dict[str, Any] = {"key": dice.choice(("team", "env")), "operator": operator}
    if operator in ("In", "NotIn"):
        made["values"] = dice.some(("a", "b", "prod", "test"), 1, 3)
    return {"matchExpressions": [made]}


def _requirement(dice: Dice) -> Manifest:
    operator = dice.choice(("In", "In", "NotIn", "Exists", "DoesNotExist"))
    key = dice.choice(("app", "app", "version", "tier"))
    made: dict[str, Any] = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        values = {"app": APPS, "version": ("1", "2"), "tier": ("front", "back")}[key]
        made["values"] = dice.some(values, 1, 2)
    return made
