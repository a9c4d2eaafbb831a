"""Constraints over the rows of a view: which constraints a pod is under, which nodes count, how many pods are where.

Every node of the cluster counts, whether or not the profile may use it (podtopologyspread, 1.36).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pointsman.policy.node_selectors import RowTest, bind_labels, bind_terms, compile_terms, match_any
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup, PodQuery, Selector
from pointsman.policy.rule import Dependence, Reads
from pointsman.policy.selectors import equality_tests
from pointsman.policy.spread.constraints import SpreadConstraint, of_kind
from pointsman.policy.spread.owners import default_selector
from pointsman.policy.tolerations import tolerated
from pointsman.policy.view import BoolArray, ClusterView, IdArray, IntArray, Rows

READS: Final = Reads(
    frozenset(
        {
            "namespace",
            "pod.metadata.labels",
            "pod.metadata.owner_references",
            "pod.spec.topology_spread_constraints",
            "pod.spec.node_selector",
            "pod.spec.affinity",
            "pod.spec.tolerations",
        }
    ),
    Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER,
)
"""Default constraints depend on Services and controllers, whence the cluster."""

_REPELLING: Final = ("NoSchedule", "NoExecute")


class Spread(NamedTuple):
    """One constraint over the rows of a view."""

    constraint: SpreadConstraint
    ids: IdArray  # (capacity,): the row's domain, -1 where the node lacks the key
    values: Sequence[str]  # by domain; not all of them need be in use
    pods: IntArray  # (capacity,): pods of the row that the constraint counts
    counted: BoolArray  # (capacity,): rows of nodes that belong to their domain


def constraints_for(
    pod: PodInfo, view: ClusterView, defaults: Sequence[SpreadConstraint], when_unsatisfiable: str
) -> tuple[SpreadConstraint, ...]:
    """The pod's own constraints of this kind or, if it brings none of either, the defaults that apply to it."""
    if pod.pod.spec.topology_spread_constraints:
        return of_kind(pod.spread.constraints, when_unsatisfiable)
    wanted = of_kind(defaults, when_unsatisfiable)
    if not wanted:
        return ()
    selector = default_selector(pod, view.owners)
    return () if selector.empty else tuple(constraint._replace(selector=selector) for constraint in wanted)


def spreads(
    pod: PodInfo, view: ClusterView, constraints: Sequence[SpreadConstraint], *, every_key: bool
) -> tuple[Spread, ...]:
    """The constraints over the view. With `every_key` a node counts only if it has the keys of all of them."""
    rows = view.node_rows()
    columns = [view.labels(constraint.topology_key) for constraint in constraints]
    keyed = np.ones(len(rows), dtype=np.bool_)
    if every_key:
        for column in columns:
            keyed &= column.ids.take(rows) >= 0
    let_in = _let_in(pod, view, constraints, rows)
    return tuple(
        Spread(
            constraint=constraint,
            ids=column.ids,
            values=column.values,
            pods=count_pods(view, constraint.selector, pod.namespace),
            counted=_column(view, rows, keyed & included),
        )
        for constraint, column, included in zip(constraints, columns, let_in, strict=True)
    )


def sums(ids: IdArray, pods: IntArray, size: int) -> IntArray:
    """Pods by domain, int64 (size,). Ids and pods are of the same rows, ids from 0 to below `size`."""
    return np.bincount(ids, pods, size).astype(np.int64)  # in floats on the way: exact up to 2**53 pods


def count_pods(view: ClusterView, selector: Selector, namespace: str) -> IntArray:
    """Pods of the namespace that the selector matches, those being deleted apart: int64 (capacity,).

    An empty selector counts none, though it matches every one (countPodsMatchSelector; until 1.37).
    """
    if selector.empty or selector.nothing:
        return np.zeros(view.capacity, dtype=np.int64)
    return view.pod_counts(PodQuery((PodGroup(frozenset((namespace,)), selector),), terminating=False))


def _let_in(pod: PodInfo, view: ClusterView, constraints: Sequence[SpreadConstraint], rows: Rows) -> list[BoolArray]:
    """For each constraint the rows that its inclusion policies let in, bool (len(rows),)."""
    everywhere = np.ones(len(rows), dtype=np.bool_)
    wanted = _wanted(pod, view, rows) if any(item.honors_affinity for item in constraints) else everywhere
    open_ = _open(pod, view, rows) if any(item.honors_taints for item in constraints) else everywhere
    return [
        (wanted if item.honors_affinity else everywhere) & (open_ if item.honors_taints else everywhere)
        for item in constraints
    ]


def _wanted(pod: PodInfo, view: ClusterView, rows: Rows) -> BoolArray:
    """Rows that nodeSelector and required node affinity match; a term that cannot be read matches nothing."""
    spec = pod.pod.spec
    answer = RowTest(bind_labels(equality_tests(spec.node_selector), view)).match(rows)
    affinity = spec.affinity.node_affinity if spec.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    if required is not None:
        answer &= match_any(bind_terms(compile_terms(required.node_selector_terms), view), rows)
    return answer


def _open(pod: PodInfo, view: ClusterView, rows: Rows) -> BoolArray:
    """Rows without a NoSchedule or NoExecute taint that the pod does not tolerate."""
    answer = np.ones(len(rows), dtype=np.bool_)
    for taint, tainted in view.taints().items():
        if taint.effect in _REPELLING and not tolerated(taint, pod.pod.spec.tolerations):
            answer &= ~tainted.take(rows)
    return answer


def _column(view: ClusterView, rows: Rows, values: BoolArray) -> BoolArray:
    column = np.zeros(view.capacity, dtype=np.bool_)
    column[rows] = values
    return column
