"""InterPodAffinity, the predicate: near the pods that it asks for, far from those that it shuns and that shun it.

Counts are kept per topology key and value, as interpodaffinity/filtering.go, 1.36, keeps them: pods that match all
required affinity terms, pods that match a required anti-affinity term, and running pods' anti-affinity terms that mean
the incoming pod. Terminating pods count.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pointsman.policy.affinity_matching import may_mean, meaning, means, meant_pods
from pointsman.policy.args import Args
from pointsman.policy.domain_counts import DomainCounts
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup, PodQuery
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, Rows, TermKind

REASON_AFFINITY = "node(s) didn't match pod affinity rules"
REASON_ANTI = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"

ByKey = Mapping[str, DomainCounts]
"""Counts per value of each topology key."""


@dataclass(frozen=True, slots=True)
class State:
    """What the pod asks for, and the counts; `view` is kept for the keys of pods that are yet to be added."""

    pod: PodInfo
    view: ClusterView
    namespace_labels: Mapping[str, str]
    wanted: tuple[PodGroup, ...]  # a pod must be in all of them to count
    shunned: tuple[tuple[str, PodGroup], ...]  # by topology key
    affinity: ByKey  # every key of a required affinity term
    anti: ByKey
    existing: ByKey

    def wants(self, pod: PodInfo) -> bool:
        labels = pod.pod.metadata.labels
        return bool(self.wanted) and all(group.has(pod.namespace, labels) for group in self.wanted)


class InterPodAffinity(PredicateBase[State]):
    """The counts hold whole domains, so that a pod that comes or goes on one row concerns all rows of its domain."""

    reads = Reads(
        frozenset({"namespace", "pod.metadata.labels", "affinity"}),
        Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER,
    )

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(_HAPPENINGS, _may_help)

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        existing = _existing(pod, view)
        terms = pod.affinity
        if not existing and not terms.required and not terms.required_anti:
            return SKIP
        labels = view.namespace_labels(pod.namespace) or {}
        wanted = tuple(meant_pods(term, view) for term in terms.required)
        shunned = tuple((term.topology_key, meant_pods(term, view)) for term in terms.required_anti)
        near: dict[str, IntArray] = {}
        if wanted:
            near = dict.fromkeys((term.topology_key for term in terms.required), view.pod_counts(PodQuery(wanted)))
        far: dict[str, IntArray] = {}
        for key, group in shunned:
            _add(far, key, view.pod_counts(PodQuery((group,))))
        return State(pod, view, labels, wanted, shunned, _by_key(near, view), _by_key(far, view), existing)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        return _near(state, rows) & _far(state.anti, rows) & _far(state.existing, rows)

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        affinity: Counter[str] = Counter()
        anti: Counter[str] = Counter()
        existing: Counter[str] = Counter()
        for amount, pods in ((1, add), (-1, remove)):
            for pod in pods:
                if state.wants(pod):
                    affinity.update(dict.fromkeys(state.affinity, amount))
                for key, group in state.shunned:
                    anti[key] += amount * group.has(pod.namespace, pod.pod.metadata.labels)
                for term in pod.affinity.required_anti:
                    existing[term.topology_key] += amount * means(term, state.pod, state.namespace_labels)
        return replace(
            state,
            affinity=_changed(state.affinity, affinity, row, state.view),
            anti=_changed(state.anti, anti, row, state.view),
            existing=_changed(state.existing, existing, row, state.view),
        )

    def resolvable(self, state: State, rows: Rows) -> BoolArray:
        return _near(state, rows)

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return tuple(self.count_reasons(state, np.array([row])))

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        near = rows[_near(state, rows)]
        far = int(np.count_nonzero(_far(state.anti, near)))
        counts = {REASON_AFFINITY: len(rows) - len(near), REASON_ANTI: len(near) - far, REASON_EXISTING: far}
        return {reason: count for reason, count in counts.items() if count > 0}


def _existing(pod: PodInfo, view: ClusterView) -> ByKey:
    """Required anti-affinity terms of running pods that mean the pod; keys under which none counts are left out."""
    carriers: dict[str, IntArray] = {}
    for term in meaning(view.carried_terms(TermKind.REQUIRED_ANTI, pod.pod.metadata.labels), pod, view):
        _add(carriers, term.topology_key, term.carriers)
    if not carriers:
        return {}
    return {key: counts for key, counts in _by_key(carriers, view).items() if counts.any()}


def _add(amounts: dict[str, IntArray], key: str, more: IntArray) -> None:
    amounts[key] = amounts[key] + more if key in amounts else more


def _by_key(amounts: Mapping[str, IntArray], view: ClusterView) -> ByKey:
    rows = view.node_rows() if amounts else np.zeros(0, np.intp)
    return {key: DomainCounts.of(view.labels(key), of_key, rows) for key, of_key in amounts.items()}


def _changed(counts: ByKey, changes: Counter[str], row: int, view: ClusterView) -> ByKey:
    changed = dict(counts)
    for key, amount in changes.items():
        if amount:
            changed[key] = (counts.get(key) or DomainCounts.zero(view.labels(key))).plus(row, amount)
    return changed


def _near(state: State, rows: Rows) -> BoolArray:
    """Where required affinity holds.

    Every topology key must be there and every count above 0; but a pod that matches its own terms may be the first of
    its kind, where nobody in the cluster counts.
    """
    near = np.ones(len(rows), dtype=np.bool_)
    first = state.wants(state.pod) and not any(counts.any() for counts in state.affinity.values())
    for counts in state.affinity.values():
        near &= counts.known(rows) if first else counts.at(rows) > 0
    return near


def _far(counts: ByKey, rows: Rows) -> BoolArray:
    """Where nothing is counted under any key."""
    far = np.ones(len(rows), dtype=np.bool_)
    for of_key in counts.values():
        far &= of_key.at(rows) <= 0
    return far


_HAPPENINGS = (
    Happening.POD_ADD
    | Happening.POD_DELETE
    | Happening.POD_LABELS
    | Happening.NODE_ADD
    | Happening.NODE_LABELS
    | Happening.NODE_TAINTS
    | Happening.NODE_DELETE
    | Happening.NAMESPACE
    | Happening.OWN_UPDATE
)


def _may_help(pod: PodInfo, change: Change) -> bool:
    """Also where kube-scheduler's hint is too strict: it knows no namespace selectors (kubernetes issue 141953), no
    nodes that join for a pod without terms, and not that the last pod that counts may have gone."""
    if change.happening & Happening.NODE_ADD and pod.affinity.required and change.row is not None:
        row = change.row
        return any(change.view.labels(term.topology_key).ids[row] >= 0 for term in pod.affinity.required)
    if not change.happening & (Happening.POD_ADD | Happening.POD_DELETE | Happening.POD_LABELS):
        return True
    others = [other for other in (change.pod, change.old_pod) if other is not None]
    return not others or any(_concerns(pod, other, change.happening) for other in others)


def _concerns(pod: PodInfo, other: PodInfo, happening: Happening) -> bool:
    """Whether what happened to another pod can count for this one."""
    if pod.affinity.required and all(may_mean(term, other) for term in pod.affinity.required):
        return True
    if happening & Happening.POD_ADD:
        return False
    shuns = any(may_mean(term, other) for term in pod.affinity.required_anti)
    return shuns or any(may_mean(term, pod) for term in other.affinity.required_anti)
