"""The dice, and what the parts of one world tell each other while it is made."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.oracle.things import Manifest, Thing

T = TypeVar("T")

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOSTNAME = "kubernetes.io/hostname"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION = "failure-domain.beta.kubernetes.io/region"

APPS = ("web", "db", "cache", "batch")
ZONES = ("eu-north-a", "eu-north-b", "eu-south-a", "eu-south-b")  # drivers read the region out of a zone's name
REGIONS = {zone: zone.rpartition("-")[0] for zone in ZONES}


class Dice(random.Random):
    """Random choices in the words of a generator."""

    def chance(self, share: float) -> bool:
        return self.random() < share

    def some(self, items: Sequence[T], low: int, high: int) -> list[T]:
        """Between `low` and `high` different items, in random order."""
        return self.sample(items, min(self.randint(low, high), len(items)))


@dataclass(slots=True)
class Shelf:
    """Claims of one namespace that pods may name: those that are bound, and all the others."""

    bound: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Scene:
    """A world in the making."""

    dice: Dice
    prefix: str  # begins the names of what is not in a namespace
    schedulers: Sequence[str]
    themes: frozenset[str]
    namespaces: Sequence[str]
    nodes: list[Manifest] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    shelves: dict[str, Shelf] = field(default_factory=dict)  # by namespace, where there is storage
    owners: dict[str, list[Manifest]] = field(default_factory=dict)  # namespace -> owner references of pods

    starts: set[int] = field(default_factory=set)
    ports: dict[str, set[tuple[str, int, str]]] = field(default_factory=dict)  # by node, of running pods

    def next_start(self) -> str:
        """When a pod started, in the past; no two are the same."""
        second = self.dice.randrange(86400)
        while second in self.starts:
            second = (second + 1) % 86400
        self.starts.add(second)
        return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"

    def has(self, theme: str) -> bool:
        return theme in self.themes

    def node_names(self) -> list[str]:
        return [node["metadata"]["name"] for node in self.nodes]
