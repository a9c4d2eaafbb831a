"""How a Deployment moves from old ReplicaSets to a new one: pure arithmetic on counts.

kubernetes 1.36, pkg/controller/deployment/{rolling,recreate}.go and util/deployment_util.go.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Final

HASH_LABEL: Final = "pod-template-hash"
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_HASH_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """One ReplicaSet: wanted, existing and available pods."""

    name: str
    wanted: int
    existing: int
    available: int


@dataclass(frozen=True, slots=True)
class Strategy:
    """How many pods there may be beyond the wanted ones, and how many may be missing. Recreate: `surge` None."""

    replicas: int
    surge: int | None
    unavailable: int


def strategy_of(spec: Mapping[str, Any]) -> Strategy:
    """Read a Deployment's spec. Percentages of surge are rounded up, those of unavailability down; never both zero."""
    replicas, strategy = spec.get("replicas", 1), spec.get("strategy") or {}
    if strategy.get("type") == "Recreate":
        return Strategy(replicas, None, replicas)
    rolling = strategy.get("rollingUpdate") or {}
    surge = _share(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = _share(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    return Strategy(replicas, surge, min(unavailable or (0 if surge else 1), replicas))


def wanted_replicas(strategy: Strategy, new: Counts, old: Sequence[Counts]) -> dict[str, int]:
    """The next number of pods of each ReplicaSet that is to change. `old` is ordered by age, oldest first."""
    if strategy.surge is None:
        return _recreate(strategy, new, old)
    up = _scale_new(strategy, strategy.surge, new, old)
    if up != new.wanted:
        return {new.name: up}
    return _scale_old(strategy, new, old)


def _recreate(strategy: Strategy, new: Counts, old: Sequence[Counts]) -> dict[str, int]:
    """All old pods go before a new one comes."""
    if any(one.wanted for one in old):
        return {one.name: 0 for one in old if one.wanted}
    if any(one.existing for one in old) or new.wanted == strategy.replicas:
        return {}
    return {new.name: strategy.replicas}


def _scale_new(strategy: Strategy, surge: int, new: Counts, old: Sequence[Counts]) -> int:
    if new.wanted >= strategy.replicas:
        return strategy.replicas
    room = strategy.replicas + surge - new.wanted - sum(one.wanted for one in old)
    return new.wanted + max(0, min(room, strategy.replicas - new.wanted))


def _scale_old(strategy: Strategy, new: Counts, old: Sequence[Counts]) -> dict[str, int]:
    """First pods that are not available, then as many as the available ones allow."""
    least = strategy.replicas - strategy.unavailable
    total = new.wanted + sum(one.wanted for one in old)
    budget = total - least - (new.wanted - new.available)
    left = {one.name: one.wanted for one in old}
    for one in old:
        sick = min(max(budget, 0), max(one.wanted - one.available, 0))
        left[one.name] -= sick
        budget -= sick
    spare = new.available + sum(one.available for one in old) - least
    spare = min(spare, budget)
    for one in old:
        gone = min(max(spare, 0), left[one.name])
        left[one.name] -= gone
        spare -= gone
    return {one.name: left[one.name] for one in old if left[one.name] != one.wanted}


def template_hash(template: Mapping[str, Any]) -> str:
    """A short name of a pod template, the same for equal ones."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:_HASH_LENGTH])


def without_hash(template: Mapping[str, Any]) -> dict[str, Any]:
    """A ReplicaSet's template as the Deployment wrote it."""
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH_LABEL}
    kept = {key: value for key, value in metadata.items() if key != "labels"}
    return {**template, "metadata": {**kept, "labels": labels} if labels else kept}


def _share(value: int | str, of: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    exact = int(value.rstrip("%")) * of / 100
    return ceil(exact) if up else floor(exact)
