"""One world: its themes, its nodes and running pods, and the candidates. The same arguments give the same world."""

from collections.abc import Callable, Sequence
from typing import Final

from pointsman.policy.registry import BUILT
from tests.oracle.things import Candidate, Manifest, World
from tests.oracle.worlds import themes
from tests.oracle.worlds.nodes import add_nodes
from tests.oracle.worlds.pods import add_running_pods, bare_pod
from tests.oracle.worlds.scene import Dice, Scene
from tests.oracle.worlds.shared import NAMESPACES

CANDIDATES: Final = 40

Adds = Callable[[Scene, Manifest], None]

# Theme -> the rule that it is for, what it adds to a pod (nothing: it shows in nodes and amounts), how often.
THEMES: Final[dict[str, tuple[str, Adds | None, float]]] = {
    "resources": ("NodeResourcesFit", None, 0.0),
    "taints": ("TaintToleration", themes.tolerate, 0.7),
    "node-affinity": ("NodeAffinity", themes.choose_nodes, 0.6),
    "ports": ("NodePorts", themes.take_ports, 0.6),
    "images": ("ImageLocality", themes.use_image_volume, 0.2),
    "features": ("NodeDeclaredFeatures", themes.need_features, 0.5),
}


def generate(seed: int, number: int, schedulers: Sequence[str]) -> World:
    """World `number` of a seed, for pods of these schedulers."""
    dice = Dice(f"world {seed} {number}")
    known = [name for name, (rule, _, _) in THEMES.items() if rule in BUILT]
    chosen = frozenset(dice.some(known, 2, 4))
    scene = Scene(dice, f"w{number}", schedulers, chosen, NAMESPACES)
    add_nodes(scene, dice.choice((10, 12, 15, 20, 30, 40, 60)))
    terminating = add_running_pods(scene, 2)
    candidates = [_candidate(scene, f"{scene.prefix}-p{index}") for index in range(CANDIDATES)]
    namespaces = {name: _namespace_labels(dice) for name in NAMESPACES}
    return World(namespaces, tuple(scene.things), frozenset(terminating), tuple(candidates))


def _candidate(scene: Scene, name: str) -> Candidate:
    dice = scene.dice
    pod = bare_pod(scene, name, light=dice.chance(0.3))
    for theme in sorted(scene.themes):
        _, add, share = THEMES[theme]
        if add is not None and dice.chance(share):
            add(scene, pod)
    return Candidate(pod)


def _namespace_labels(dice: Dice) -> dict[str, str]:
    labels = {"team": dice.choice("ab"), "env": dice.choice(("prod", "test"))}
    return dict(dice.some(tuple(labels.items()), 0, 2))
