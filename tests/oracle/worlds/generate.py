"""One world: its themes, its nodes and running pods, and the candidates. The same arguments give the same world."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pointsman.kube.resources import PODS
from tests.oracle.things import Candidate, Manifest, World, thing
from tests.oracle.worlds import attachments, budgets, neighbours, storage, themes
from tests.oracle.worlds.nodes import add_nodes
from tests.oracle.worlds.owners import add_owners
from tests.oracle.worlds.pods import bare_pod, running_pod, running_status
from tests.oracle.worlds.scene import Dice, Scene
from tests.oracle.worlds.shared import NAMESPACES

CANDIDATES: Final = 40
SIZES: Final = (10, 10, 12, 12, 15, 20, 30, 40, 60)
CLAIMED: Final = frozenset({"storage", "limits", "exclusive", "zones"})
# Where nothing but a deletion can wake a pod that waits for its victims to go, it may wait through some decisions.
QUIET: Final = frozenset({"resources", "taints", "node-affinity", "ports", "images", "owners", "preemption"})

Adds = Callable[[Scene, Manifest], None]


class Theme(NamedTuple):
    """What a theme adds to a pod (None: it shows elsewhere), and to which share of candidates and running pods."""

    add: Adds | None = None
    candidates: float = 0.0
    running: float = 0.0


THEMES: Final[dict[str, Theme]] = {
    "resources": Theme(),
    "taints": Theme(themes.tolerate, 0.7),
    "node-affinity": Theme(themes.choose_nodes, 0.6),
    "ports": Theme(themes.take_ports, 0.6, 0.5),
    "images": Theme(themes.use_image_volume, 0.2),
    "features": Theme(themes.need_features, 0.5),
    "spread": Theme(neighbours.spread, 0.7),
    "owners": Theme(),
    "neighbours": Theme(neighbours.seek_neighbours, 0.6, 0.5),
    "storage": Theme(storage.use_claims, 0.5, 0.1),
    "zones": Theme(storage.use_bound_claims, 0.6),
    "exclusive": Theme(attachments.use_disks, 0.5, 0.5),
    "limits": Theme(storage.use_bound_claims, 0.6, 0.4),
    "preemption": Theme(budgets.weigh, 1.0, 1.0),
}


def generate(seed: int, number: int, schedulers: Sequence[str]) -> World:
    """World `number` of a seed, for pods of these schedulers."""
    dice = Dice(f"world {seed} {number}")
    chosen = _choose_themes(dice)
    scene = Scene(dice, f"w{number}", schedulers, chosen, NAMESPACES)
    add_nodes(scene, dice.choice(SIZES))
    if scene.has("owners"):
        add_owners(scene)
    if chosen & CLAIMED:
        storage.add_storage(scene)
    if scene.has("preemption"):
        budgets.add_budgets(scene)
    terminating = _add_running_pods(scene)
    if scene.has("limits"):
        attachments.add_limits(scene)
    candidates = _candidates(scene)
    namespaces = {name: _namespace_labels(dice) for name in NAMESPACES}
    return World(
        namespaces=namespaces,
        things=tuple(scene.things),
        terminating=frozenset(terminating),
        candidates=tuple(candidates),
        preempts=scene.has("preemption"),
        quiet=chosen <= QUIET,
    )


def _choose_themes(dice: Dice) -> frozenset[str]:
    """Two to four of them; preemption is wanted in more worlds than others, in half of those with quiet company."""
    chosen = set(dice.some(tuple(THEMES), 2, 4))
    if dice.chance(0.2):
        quiet = dice.chance(0.5)
        chosen = {name for name in chosen if not quiet or name in QUIET} | {"preemption"}
    return frozenset(chosen)


def _add_running_pods(scene: Scene) -> list[str]:
    """Put some pods on each node; the names (namespace/name) of those that are being deleted come back."""
    dice = scene.dice
    terminating = []
    number = 0
    for node in scene.node_names():
        for _ in range(dice.randint(1, 6) if scene.has("preemption") else dice.randint(0, 2)):
            made = running_pod(scene, f"{scene.prefix}-r{number}", node)
            number += 1
            _add(scene, made, {name: theme.running for name, theme in THEMES.items()})
            told = scene.has("preemption") or dice.chance(0.3 if scene.has("resources") else 0.03)
            scene.things.append(thing(PODS, made, running_status(scene, made) if told else None))
            if dice.chance(0.06):
                terminating.append(f"{made['metadata']['namespace']}/{made['metadata']['name']}")
    return terminating


def _candidates(scene: Scene) -> list[Candidate]:
    """Pods to be scheduled; now and then one is like another before it, as those of a workload are."""
    made: list[Candidate] = []
    for index in range(CANDIDATES):
        name, plain = f"{scene.prefix}-p{index}", [one for one in made if not one.gated and not one.beyond_int64]
        made.append(
            _like(scene.dice.choice(plain), name) if plain and scene.dice.chance(0.25) else _candidate(scene, name)
        )
    return made


def _like(other: Candidate, name: str) -> Candidate:
    manifest = other.manifest
    return Candidate({**manifest, "metadata": {**manifest["metadata"], "name": name}})


def _candidate(scene: Scene, name: str) -> Candidate:
    dice = scene.dice
    pod = bare_pod(scene, name, light=dice.chance(0.3))
    _add(scene, pod, {name: theme.candidates for name, theme in THEMES.items()})
    claims: tuple[Manifest, ...] = ()
    if scene.has("storage") and dice.chance(0.1):
        claim = storage.ephemeral_claim(scene, pod)
        claims = (claim,) if dice.chance(0.7) else ()
    nominated = dice.choice(scene.node_names()) if not claims and dice.chance(0.03) else ""
    beyond = scene.has("resources") and dice.chance(0.01)
    if beyond:
        pod["spec"].pop("resources", None)
        pod["spec"]["containers"][0]["resources"] = {
            "requests": {"memory": dice.choice(("9223372036854775807", "50E"))}
        }
    return Candidate(pod, claims, nominated, beyond)


def _add(scene: Scene, pod: Manifest, shares: dict[str, float]) -> None:
    for name in sorted(scene.themes):
        add = THEMES[name].add
        if add is not None and scene.dice.chance(shares[name]):
            add(scene, pod)


def _namespace_labels(dice: Dice) -> dict[str, str]:
    labels = {"team": dice.choice("ab"), "env": dice.choice(("prod", "test"))}
    return dict(dice.some(tuple(labels.items()), 0, 2))
