"""What a search for nodes found: the feasible rows, and for all others who refused them and whether for good.

A row that was refused is resolvable if fewer pods on the node could help (kube-scheduler's Unschedulable); all others
are not: rows outside the profile's pool, rows that predicates left out by name, and refusals that stand whatever runs
there (UnschedulableAndUnresolvable). Preemption looks at resolvable rows only.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.preparing import Prepared, Refused
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.rule import Predicate
from pointsman.policy.view import BoolArray, Rows

POOL_REJECTOR = "nodes.selector"  # not a predicate: nodes are outside the profile's pool


def no_rows() -> Rows:
    """What a search found that found nothing."""
    return np.zeros(0, np.intp)


class Refusal(NamedTuple):
    """Rows whose first failing predicate this is, with the state in which it refused them."""

    predicate: Predicate[Any]
    state: Any
    rows: Rows

    def reasons(self, row: int) -> tuple[str, ...]:
        with asking(self.predicate.name):
            return self.predicate.reasons(self.state, row)

    def count_reasons(self) -> Mapping[str, int]:
        """On how many of the rows each reason stands."""
        with asking(self.predicate.name):
            return self.predicate.count_reasons(self.state, self.rows)

    def resolvable(self) -> Rows:
        """Those of the rows where fewer pods could help."""
        with asking(self.predicate.name):
            rows: Rows = self.rows[self.predicate.resolvable(self.state, self.rows)]
            return rows


@dataclass(frozen=True, slots=True)
class Search:
    """What became of every node: feasible, refused by a predicate, outside the pool, or left out by name."""

    node_count: int
    outside_pool: int
    feasible: Rows = field(default_factory=no_rows)
    refusals: tuple[Refusal, ...] = ()
    left_out: int = 0  # candidates that `restrictors` do not name
    restrictors: tuple[str, ...] = ()
    refused: Refused | None = None  # the pod was refused before any node was looked at
    prepared: tuple[Prepared, ...] = ()

    @property
    def evaluated(self) -> int:
        """How many nodes were looked at."""
        return len(self.feasible) + sum(len(refusal.rows) for refusal in self.refusals)

    def rejectors(self) -> frozenset[str]:
        """Whose change of mind could make the pod fit: instance names, and POOL_REJECTOR."""
        if self.refused is not None:
            return frozenset(self.refused.rejectors)
        names = {*self.restrictors, *(refusal.predicate.name for refusal in self.refusals)}
        if self.outside_pool:
            names.add(POOL_REJECTOR)
        return frozenset(names)

    def resolvable(self, candidates: BoolArray) -> Rows:
        """Rows, rising, where fewer pods could help; of the `candidates` that were searched, bool (capacity,)."""
        if self.refused is not None:
            return np.flatnonzero(candidates) if self.refused.resolvable else no_rows()
        rows = [refusal.resolvable() for refusal in self.refusals]
        return np.sort(np.concatenate(rows)) if rows else no_rows()

    def reason_counts(self) -> Counter[str]:
        """On how many nodes each reason stands in the way; asks the predicates for their words."""
        if self.refused is not None:
            return Counter(dict.fromkeys(self.refused.reasons, self.node_count))
        counts: Counter[str] = Counter()
        for refusal in self.refusals:
            counts.update(refusal.count_reasons())
        if self.outside_pool:
            counts[fit_error.OUTSIDE_POOL] += self.outside_pool
        if self.left_out:
            counts[fit_error.left_out(self.restrictors)] += self.left_out
        return counts

    def message(self, counts: Mapping[str, int]) -> str:
        """kube-scheduler's text for a pod that fits nowhere, from `reason_counts`."""
        if self.refused is not None:
            return fit_error.refused_at_once(self.node_count, self.refused.reasons)
        return fit_error.refused_by_nodes(self.node_count, counts)
