"""What makes a pod choosy about nodes: taints, node affinity, host ports, features. Each adds to a bare pod."""

from typing import Final

from tests.oracle.things import Manifest
from tests.oracle.worlds.nodes import EFFECTS
from tests.oracle.worlds.scene import HOSTNAME, ZONE, ZONES, Dice, Scene
from tests.oracle.worlds.storage import add_volume

PORTS: Final = (8080, 9090, 53)
ADDRESSES: Final = ("", "0.0.0.0", "127.0.0.1", "10.0.0.1")


def tolerate(scene: Scene, pod: Manifest) -> None:
    """Tolerations, from one taint to all of them."""
    dice = scene.dice
    pod["spec"]["tolerations"] = [_toleration(dice) for _ in range(dice.randint(0, 3))]


def choose_nodes(scene: Scene, pod: Manifest) -> None:
    """nodeSelector and node affinity, required and preferred, by labels and by name."""
    dice, spec = scene.dice, pod["spec"]
    if dice.chance(0.3):
        spec["nodeSelector"] = dict(
            dice.some((("pool", dice.choice("abc")), ("disk", "ssd"), (ZONE, dice.choice(ZONES))), 1, 2)
        )
    affinity: Manifest = {}
    if dice.chance(0.5):
        terms = [_term(scene, required=True) for _ in range(dice.choice((1, 1, 2, 3)))]
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if dice.chance(0.5):
        affinity["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": dice.randint(1, 100), "preference": _term(scene, required=False)}
            for _ in range(dice.randint(1, 4))
        ]
    if affinity:
        spec.setdefault("affinity", {})["nodeAffinity"] = affinity


def take_ports(scene: Scene, pod: Manifest) -> None:
    """Host ports, some of them on one address only; now and then the host's network."""
    dice, spec = scene.dice, pod["spec"]
    if dice.chance(0.2):
        spec["hostNetwork"] = True
    holders = [*spec["containers"], *spec.get("initContainers", ())]
    # Two pods of one node that hold the very same port: a kubelet would never run both, and kube-scheduler frees the
    # port as soon as one of them goes.
    taken = scene.ports.setdefault(spec["nodeName"], set()) if "nodeName" in spec else set()
    for holder in dice.some(holders, 1, 2):
        ports = []
        for port in dice.some(PORTS, 1, 2):
            protocol, address = dice.choice(("TCP", "UDP")), dice.choice(ADDRESSES)
            key = (protocol, port, address or ADDRESSES[1])
            if key in taken:
                continue
            taken.add(key)
            made = {"containerPort": port, "hostPort": port, "protocol": protocol}
            ports.append({**made, "hostIP": address} if address else made)
        holder["ports"] = ports


def need_features(scene: Scene, pod: Manifest) -> None:
    """Restart rules that only a kubelet with the feature can follow."""
    pod["spec"]["restartPolicy"] = "Always"
    first = pod["spec"]["containers"][0]
    first["restartPolicy"] = "Never"
    action = scene.dice.choice(("RestartAllContainers", "RestartAllContainers", "Restart"))
    first["restartPolicyRules"] = [{"action": action, "exitCodes": {"operator": "In", "values": [42]}}]


def use_image_volume(scene: Scene, pod: Manifest) -> None:
    """A volume made of an image: it counts for ImageLocality as a container's does."""
    reference = {"reference": pod["spec"]["containers"][0]["image"], "pullPolicy": "IfNotPresent"}
    add_volume(pod, image=reference)


def _toleration(dice: Dice) -> Manifest:
    made: Manifest = {}
    if dice.chance(0.1):
        made["operator"] = "Exists"
    else:
        made["key"] = dice.choice(("dedicated", "dedicated", "gpu", "node.kubernetes.io/unschedulable"))
        if dice.chance(0.4):
            made["operator"] = "Exists"
        else:
            made["value"] = dice.choice(("a", "b", ""))
    if dice.chance(0.6):
        made["effect"] = dice.choice(EFFECTS)
    return made


def _term(scene: Scene, *, required: bool) -> Manifest:
    dice = scene.dice
    term: Manifest = {}
    if required and dice.chance(0.15):
        operator = dice.choice(("In", "In", "NotIn"))
        names = [*scene.node_names(), "no-such-node"]
        term["matchFields"] = [{"key": "metadata.name", "operator": operator, "values": [dice.choice(names)]}]
    if not term or dice.chance(0.4):
        term["matchExpressions"] = [_expression(scene) for _ in range(dice.choice((1, 1, 2)))]
    return term


def _expression(scene: Scene) -> Manifest:
    dice = scene.dice
    values = {"pool": "abc", "disk": ("ssd", "hdd", ""), "rack": ("rack-1", "rack-2", "rack-3"), ZONE: ZONES}
    kind = dice.random()
    if kind < 0.2:
        return {"key": "tier", "operator": dice.choice(("Gt", "Lt")), "values": [dice.choice(("0", "3", "7", "07"))]}
    key = dice.choice((*values, HOSTNAME) if dice.chance(0.1) else tuple(values))
    if kind < 0.4:
        return {"key": key, "operator": dice.choice(("Exists", "Exists", "DoesNotExist"))}
    chosen = dice.some(values.get(key) or scene.node_names(), 1, 3)
    return {"key": key, "operator": dice.choice(("In", "In", "NotIn")), "values": chosen}
