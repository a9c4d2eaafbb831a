"""Priorities that would cancel each other: those of old Policy files about requested resources, beside the base's fit.

LeastRequestedPriority and MostRequestedPriority on one node always add up to the same, and the base scores with the
first one's heir. Who means to replace it has to say so; a profile without the base may hold any of them together, as
old Policy files do.
"""

from collections.abc import Iterator
from typing import Final

from pointsman.api.spec import Base
from pointsman.policy.entries import Changes
from pointsman.policy.errors import Problem

_FIT: Final = "NodeResourcesFit"
_STRATEGIES: Final = {
    "LeastRequestedPriority": "LeastAllocated",
    "MostRequestedPriority": "MostAllocated",
    "RequestedToCapacityRatioPriority": "RequestedToCapacityRatio",
}
"""The fit's strategy that took a rule's place."""


def cancelling(base: Base, priorities: Changes) -> Iterator[Problem]:
    """One problem for each entry that scores what the base's NodeResourcesFit scores too."""
    off = _FIT in priorities.disabled or (priorities.star and _FIT not in priorities.enabled)
    if base is not Base.DEFAULT or off:
        return
    for entry in priorities.enabled.values():
        if entry.rule.name in _STRATEGIES:
            strategy = _STRATEGIES[entry.rule.name]
            words = (
                f"must not stand beside spec.priorities[{_FIT}], which the base has and which scores the same"
                f" resources: disable that one, or give it args.scoringStrategy.type {strategy} and remove this entry"
            )
            yield Problem(entry.path, words)
