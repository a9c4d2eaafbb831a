"""Policy: the executable form of one profile, made by `policy.build` from a policy document."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import msgspec

from pointsman.policy.document import PolicyDocument
from pointsman.policy.rule import Predicate, Priority

LabelMatcher = Callable[[dict[str, str]], bool]


@dataclass(frozen=True, slots=True)
class WeightedPriority:
    """A priority and the factor of its normalised score in the total."""

    priority: Priority[Any]
    weight: int


@dataclass(frozen=True, slots=True)
class Policy:
    """Ordered predicates, weighted priorities, and whom they are for.

    `candidates` tells from a node's labels whether the profile may use it, `serves` from a namespace's labels whether
    its pods are the profile's; None means all.
    """

    document: PolicyDocument
    hash: str  # of the document's bytes, `sha256:…`
    predicates: tuple[Predicate[Any], ...]
    priorities: tuple[WeightedPriority, ...]
    candidates: LabelMatcher | None
    serves: LabelMatcher | None

    @property
    def profile(self) -> str:
        return self.document.profile

    @property
    def scheduler_name(self) -> str:
        return self.document.scheduler_name

    def without_preemption(self) -> Self:
        """The same decisions, and nobody is evicted for them."""
        return replace(self, document=msgspec.structs.replace(self.document, preemption=None))
