"""A situation as data: what the cluster looks like, the pod that arrives, and what a scheduler has to make of it.

The same value is played to the engine and to the real kube-scheduler, so an expectation cannot hold for one of them by
accident. Objects are those of the API; what the API server would add (requests from limits, priorities from classes)
is written out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pointsman.testing.builders import NodeBuilder, PodBuilder

Json = dict[str, Any]
Scores = Mapping[str, Mapping[str, int]]
"""Normalised scores without weights: priority -> node -> score."""


@dataclass(frozen=True, slots=True)
class Fits:
    """The nodes that the pod fits, and if asked those that are best and what some priorities say."""

    nodes: frozenset[str]
    best: frozenset[str] | None = None
    scores: Scores = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """The pod fits nowhere: the sentence about nodes, and if asked the one about preemption (without its prefix)."""

    sentence: str
    preemption: str = ""


@dataclass(frozen=True, slots=True)
class Preempts:
    """The pod fits nowhere, and room is made for it: on this node, by deleting these pods."""

    node: str
    victims: frozenset[str]


Expected = Fits | Refused | Preempts


@dataclass(frozen=True, slots=True)
class Situation:
    """One run of a case. `pods` are there before; objects of other kinds are manifests."""

    case: str
    name: str
    nodes: tuple[NodeBuilder, ...]
    pod: PodBuilder
    expected: Expected
    pods: tuple[PodBuilder, ...] = ()
    objects: tuple[Json, ...] = ()
    profile: str = "default"  # a key of profiles.PROFILES
    engine_only: str = ""  # why kube-scheduler cannot be asked

    @property
    def id(self) -> str:
        return f"{self.case}: {self.name}"


def fits(*nodes: str, best: tuple[str, ...] = (), scores: Scores | None = None) -> Fits:
    """It fits exactly these."""
    return Fits(frozenset(nodes), frozenset(best) or None, scores or {})


def refused(nodes: int, *reasons: str, preemption: str = "") -> Refused:
    """It fits none of so many nodes; reasons in the order of the message."""
    return Refused(f"0/{nodes} nodes are available: {', '.join(reasons)}.", preemption)


def preempts(node: str, *victims: str) -> Preempts:
    """It gets this node."""
    return Preempts(node, frozenset(victims))
