"""Which nodes a pod fits: predicates in the policy's order, over all candidate rows at once.

As kube-scheduler 1.36 does it (schedule_one.go, framework/runtime/framework.go): a row falls to the first predicate
that refuses it, a row with nominated pods must pass with and without them, and the pod's own nominated node is tried
before the others. Who refused which rows is remembered in a `Search`; the words are made only if somebody asks.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.preparing import Preparation, Prepared, Refused, prepare
from pointsman.engine.cycle.rule_error import asking
from pointsman.engine.cycle.search import Refusal, Search
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray, ClusterView, Pods, Rows

Rivals = Mapping[int, Pods]  # nominated pods to yield to, by row


def search(policy: Policy, pod: PodInfo, cluster: ClusterView, candidates: BoolArray, nominator: Nominator) -> Search:
    """Find the candidate rows that the pod fits.

    `candidates` is bool (capacity,). If the pod's nominated node still fits, it is the only feasible one. Raises
    RuleError.
    """
    inside = int(np.count_nonzero(candidates))
    outside = cluster.node_count - inside
    preparation = prepare(policy, pod, cluster)
    if isinstance(preparation, Refused):
        return Search(cluster.node_count, outside, refused=preparation, prepared=preparation.prepared)
    prepared, rivals = preparation.prepared, rivals_by_row(pod, cluster, nominator)
    mask = _named(preparation, cluster, candidates)
    nominated = nominated_row(pod, cluster, nominator)
    restrictors = preparation.restrictors
    if nominated is not None and candidates[nominated]:
        alone = np.zeros_like(candidates)
        alone[nominated] = True
        feasible, refusals = filter_rows(prepared, alone, rivals)
        if len(feasible):
            return Search(cluster.node_count, outside, feasible, prepared=prepared)
        mask[nominated] = True  # its own refusal counts, even if the predicates name other nodes
        # kube-scheduler has one set of plugins for both, so it names this one among those that left nodes out.
        restrictors = (*restrictors, *(one.predicate.name for one in refusals if one.predicate.name not in restrictors))
    left_out = inside - int(np.count_nonzero(mask))
    feasible, refusals = filter_rows(prepared, mask, rivals)
    return Search(cluster.node_count, outside, feasible, refusals, left_out, restrictors, prepared=prepared)


def filter_rows(prepared: Sequence[Prepared], mask: BoolArray, rivals: Rivals) -> tuple[Rows, tuple[Refusal, ...]]:
    """The rows of the mask that every predicate accepts, and who refused the others."""
    refusals = []
    standing = mask.copy()
    for row, pods in rivals.items():
        if mask[row] and (refusal := refusal_with(prepared, row, pods)) is not None:
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


def refusal_with(prepared: Sequence[Prepared], row: int, pods: Pods) -> Refusal | None:
    """The first predicate that refuses the row if these pods ran there too."""
    rows = np.array([row], np.intp)
    for predicate, state in prepared:
        with asking(predicate.name):
            crowded = predicate.with_pods(state, row, pods, ()) if pods else state
            if not predicate.feasible(crowded, rows)[0]:
                return Refusal(predicate, crowded, rows)
    return None


def nominated_row(pod: PodInfo, cluster: ClusterView, nominator: Nominator) -> int | None:
    """Row of the node that the pod is nominated to, as we decided or else as its status says."""
    node = nominator.node_of(pod.uid) or pod.nominated_node_name
    return cluster.row_of(node) if node else None


def rivals_by_row(pod: PodInfo, cluster: ClusterView, nominator: Nominator) -> Rivals:
    """Nominated pods that this one yields to, by row."""
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
