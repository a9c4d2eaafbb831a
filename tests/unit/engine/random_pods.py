"""Random pods in a small world: everything that makes a pod choosy, and everything that makes others keep away."""

import random
from collections.abc import Callable
from typing import Any, Final

import msgspec

from pointsman.kube.objects import ContainerRestartRule, LabelSelector, PodAffinityTerm
from pointsman.testing.builders import PodBuilder, asks, host_port, pod, pod_term, term

HOST: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
KEYS: Final = (HOST, ZONE, ZONE, "rack")
APPS: Final = ("a", "b", "c")
NAMESPACES: Final = ("default", "default", "default", "team")
CLAIMS: Final = ("c0", "c1", "c2", "c3")
EPHEMERAL: Final = "scratch"
GPU: Final = "example.com/gpu"
Draw = random.Random


def some_pod(draw: Draw, name: str, wishes: int = 2) -> PodBuilder:
    """A pod with up to so many wishes."""
    built = pod(name, draw.choice(NAMESPACES)).label("app", draw.choice(APPS))
    built = built.container(cpu=f"{draw.choice((0, 0, 1, 5, 12))}00m", image="app", memory="1Gi")
    for wish in draw.sample(WISHES, draw.randint(0, wishes)):
        built = wish(draw, built)
    return built


def _labels(draw: Draw) -> LabelSelector:
    app = draw.choice(APPS)
    return draw.choice((asks(app=app), asks(("app", "In", app, "b")), asks(("app", "NotIn", app)), LabelSelector()))


def _term(draw: Draw) -> PodAffinityTerm:
    if draw.random() < 0.3:
        wanted = draw.choice((asks(team="x"), asks(("team", "Exists")), LabelSelector()))
        return pod_term(draw.choice(KEYS), _labels(draw), namespace_selector=wanted)
    named = ("team",) if draw.random() < 0.2 else ()
    return pod_term(draw.choice(KEYS), _labels(draw), namespaces=named)


def _near(draw: Draw, built: PodBuilder) -> PodBuilder:
    return built.near(*(_term(draw) for _ in range(draw.randint(1, 2))))


def _far(draw: Draw, built: PodBuilder) -> PodBuilder:
    return built.far(*(_term(draw) for _ in range(draw.randint(1, 2))))


def _wish_near(draw: Draw, built: PodBuilder) -> PodBuilder:
    near = built.prefer_near((draw.choice((1, 40)), _term(draw)))
    return near.prefer_far((draw.choice((2, 100)), _term(draw)))


def _spread(draw: Draw, built: PodBuilder) -> PodBuilder:
    fields: dict[str, Any] = {
        "max_skew": draw.choice((1, 1, 2)),
        "min_domains": draw.choice((None, None, 2)),
        "node_taints_policy": draw.choice(("", "Honor")),
        "node_affinity_policy": draw.choice(("", "Ignore")),
    }
    return built.spread(draw.choice(KEYS), _labels(draw), **fields)


def _wish_spread(draw: Draw, built: PodBuilder) -> PodBuilder:
    taints = draw.choice(("", "Honor"))
    first = built.spread(draw.choice(KEYS), _labels(draw), "ScheduleAnyway", node_taints_policy=taints)
    return first.spread(draw.choice(KEYS), _labels(draw), "ScheduleAnyway", max_skew=3)


def _ports(draw: Draw, built: PodBuilder) -> PodBuilder:
    port = host_port(draw.choice((80, 81)), draw.choice(("", "10.0.0.1")))
    return built.container(name="web", ports=(port,))


def _nodes(draw: Draw, built: PodBuilder) -> PodBuilder:
    key, value = draw.choice((("disk", "ssd"), ("disk", "hdd"), (ZONE, "z1")))
    return draw.choice(
        (
            built.select(key, value),
            built.prefer(
                (
                    5,
                    term((key, "In", value)),
                ),
                (1, term((ZONE, "Exists"))),
            ),
        )
    )


def _tolerant(draw: Draw, built: PodBuilder) -> PodBuilder:
    return built.tolerate(draw.choice(("", "t", "u", "node.kubernetes.io/unschedulable")))


def _claims(draw: Draw, built: PodBuilder) -> PodBuilder:
    for name in draw.sample(CLAIMS, draw.randint(1, 2)):
        built = built.claim(name)
    return built


def _ephemeral(_: Draw, built: PodBuilder) -> PodBuilder:
    return built.ephemeral_claim(EPHEMERAL)


def _owned(draw: Draw, built: PodBuilder) -> PodBuilder:
    return built.controlled_by("ReplicaSet", draw.choice(("r0", "r1")))


def _greedy(draw: Draw, built: PodBuilder) -> PodBuilder:
    return built.container(name="gpu", requests={GPU: str(draw.randint(1, 2))})


def _featured(_: Draw, built: PodBuilder) -> PodBuilder:
    rules = (ContainerRestartRule(action="RestartAllContainers"),)
    first, *others = built.draft.spec.containers
    return built.spec(containers=(msgspec.structs.replace(first, restart_policy_rules=rules), *others))


WISHES: Final[tuple[Callable[[Draw, PodBuilder], PodBuilder], ...]] = (
    _near,
    _far,
    _wish_near,
    _spread,
    _wish_spread,
    _ports,
    _nodes,
    _tolerant,
    _claims,
    _claims,
    _ephemeral,
    _owned,
    _greedy,
    _featured,
)
