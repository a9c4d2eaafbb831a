"""Which nodes a pod fits: predicates in the policy's order, over all candidate rows at once.

As kube-scheduler 1.36 does it (schedule_one.go, framework/runtime/framework.go): a row falls to the first predicate
that refuses it, a row with nominated pods must pass with and without them, and the pod's own nominated node is tried
before the others. Who refused which rows is remembered; the words are made only if somebody asks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.preparing import Preparation, Prepared, Refused, prepare
from pointsman.engine.cycle.rule_error import asking
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Predicate
from pointsman.policy.view import BoolArray, ClusterView, Pods, Rows

POOL_REJECTOR = "nodes.selector"  # not a predicate: nodes are outside the profile's pool

_NO_ROWS: Rows = np.zeros(0, np.intp)
Rivals = Mapping[int, Pods]  # nominated pods to yield to, by row


class Refusal(NamedTuple):
    """Rows whose first failing predicate this is, with the state in which it refused them."""

    predicate: Predicate[Any]
    state: Any
    rows: Rows

    def reasons(self, row: int) -> tuple[str, ...]:
        with asking(self.predicate.name):
            return self.predicate.reasons(self.state, row)


@dataclass(frozen=True, slots=True)
class Search:
    """What became of every node: feasible, refused by a predicate, outside the pool, or left out by name."""

    node_count: int
    outside_pool: int
    feasible: Rows
    refusals: tuple[Refusal, ...] = ()
    left_out: int = 0  # candidates that `restrictors` do not name
    restrictors: tuple[str, ...] = ()
    refused: Refused | None = None  # the pod was refused before any node was looked at

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

    def reason_counts(self) -> Counter[str]:
        """On how many nodes each reason stands in the way; asks the predicates for their words."""
        if self.refused is not None:
            return Counter(dict.fromkeys(self.refused.reasons, self.node_count))
        counts: Counter[str] = Counter()
        for predicate, state, rows in self.refusals:
            with asking(predicate.name):
                counts.update(predicate.count_reasons(state, rows))
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


def search(policy: Policy, pod: PodInfo, cluster: ClusterView, candidates: BoolArray, nominator: Nominator) -> Search:
    """Find the candidate rows that the pod fits.

    `candidates` is bool (capacity,). If the pod's nominated node still fits, it is the only feasible one. Raises
    RuleError.
    """
    inside = int(np.count_nonzero(candidates))
    outside = cluster.node_count - inside
    preparation = prepare(policy, pod, cluster)
    if isinstance(preparation, Refused):
        return Search(cluster.node_count, outside, _NO_ROWS, refused=preparation)
    rivals = _rivals_by_row(pod, cluster, nominator)
    mask = _named(preparation, cluster, candidates)
    nominated = cluster.row_of(pod.nominated_node_name) if pod.nominated_node_name else None
    if nominated is not None and candidates[nominated]:
        alone = np.zeros_like(candidates)
        alone[nominated] = True
        feasible, refusals = filter_rows(preparation.prepared, alone, rivals)
        if len(feasible):
            return Search(cluster.node_count, outside, feasible)
        mask[nominated] = True  # its own refusal counts, even if the predicates name other nodes
    left_out = inside - int(np.count_nonzero(mask))
    feasible, refusals = filter_rows(preparation.prepared, mask, rivals)
    return Search(cluster.node_count, outside, feasible, refusals, left_out, preparation.restrictors)


def filter_rows(prepared: Sequence[Prepared], mask: BoolArray, rivals: Rivals) -> tuple[Rows, tuple[Refusal, ...]]:
    """The rows of the mask that every predicate accepts, and who refused the others."""
    refusals = []
    standing = mask.copy()
    for row, pods in rivals.items():
        if mask[row] and (refusal := _refusal_with(prepared, row, pods)) is not None:
            refusals.append(refusal)
            standing[row] = False
    rows = np.flatnonzero(standing)
    for predicate, state in prepared:
        if not len(rows):
            break
        with asking(predicate.name):
            fits = predicate.feasible(state, rows)
            if not fits.all():
                refusals.append(Refusal(predicate, state, rows[~fits]))
                rows = rows[fits]
    return rows, tuple(refusals)


def _refusal_with(prepared: Sequence[Prepared], row: int, pods: Pods) -> Refusal | None:
    """The first predicate that refuses the row if the nominated pods ran there."""
    rows = np.array([row], np.intp)
    for predicate, state in prepared:
        with asking(predicate.name):
            crowded = predicate.with_pods(state, row, pods, ())
            if not predicate.feasible(crowded, rows)[0]:
                return Refusal(predicate, crowded, rows)
    return None


def _rivals_by_row(pod: PodInfo, cluster: ClusterView, nominator: Nominator) -> Rivals:
    rows = ((cluster.row_of(node), pods) for node, pods in nominator.rivals(pod).items())
    return {row: pods for row, pods in rows if row is not None}


def _named(preparation: Preparation, cluster: ClusterView, candidates: BoolArray) -> BoolArray:
    """The candidates, less those that the predicates do not name."""
    if preparation.names is None:
        return candidates.copy()
    mask = np.zeros_like(candidates)
    rows = [row for name in preparation.names if (row := cluster.row_of(name)) is not None]
    mask[rows] = candidates[rows]
    return mask
