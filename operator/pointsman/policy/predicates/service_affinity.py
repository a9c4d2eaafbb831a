"""ServiceAffinity: pods that look alike and belong to a Service run where some labels of nodes are the same.

serviceaffinity/service_affinity.go, 1.22. A pod's nodeSelector may name the values; for labels that it leaves open, the
node of a pod that runs already decides. kube-scheduler took the first pod of a list whose order said nothing; here it
is the one on the first row.
"""

from dataclasses import dataclass, replace

import numpy as np

from pointsman.policy.legacy_args import ServiceAffinityArgs
from pointsman.policy.node_selectors import RowTest, bind_labels
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup, PodQuery, Selector
from pointsman.policy.rule import Change, Dependence, Happening, PredicateBase, Reads, Wakes
from pointsman.policy.selectors import equality_tests
from pointsman.policy.view import BoolArray, ClusterView, IdArray, IntArray, Pods, Rows

_POD_EVENTS = Happening.POD_ADD | Happening.POD_DELETE | Happening.POD_LABELS


@dataclass(frozen=True, slots=True)
class State:
    """What the nodeSelector says of the labels, the columns of the labels that it leaves open, and who decides those.

    `alike` counts pods of the namespace with all of the incoming pod's labels by row, int64 (capacity,).
    """

    query: PodQuery
    named: RowTest
    open: tuple[IdArray, ...]
    alike: IntArray


class ServiceAffinity(PredicateBase[State]):
    """The state counts pods, so that those which come and go in thought may change who decides."""

    reason = "node(s) didn't match service affinity"
    preemptible = True
    reads = Reads(
        frozenset({"namespace", "pod.metadata.labels", "pod.spec.node_selector"}),
        Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER,
    )

    def __init__(self, name: str, args: ServiceAffinityArgs) -> None:
        self.name = name
        self.wakes_on = Wakes(
            _POD_EVENTS
            | Happening.NODE_ADD
            | Happening.NODE_DELETE
            | Happening.NODE_LABELS
            | Happening.NODE_TAINTS
            | Happening.SERVICE
            | Happening.OWN_UPDATE,
            _may_help,
        )
        self._labels = args.labels

    def prepare(self, pod: PodInfo, view: ClusterView) -> State:
        selector = pod.pod.spec.node_selector
        named = {label: selector[label] for label in self._labels if label in selector}
        decides = bool(view.owners.services_of(pod))
        left_open = [label for label in self._labels if label not in selector and decides]
        query, rows = _alike(pod), view.node_rows()
        alike = np.zeros(view.capacity, dtype=np.int64)
        alike[rows] = view.pod_counts(query).take(rows)
        return State(
            query=query,
            named=RowTest(bind_labels(equality_tests(named), view)),
            open=tuple(view.labels(label).ids for label in left_open),
            alike=alike,
        )

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        answer = state.named.match(rows)
        first = int(np.argmax(state.alike > 0))
        if state.alike[first] > 0:
            for ids in state.open:
                if ids[first] >= 0:
                    answer &= ids.take(rows) == ids[first]
        return answer

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        change = _counted(state.query, add) - _counted(state.query, remove)
        if not change:
            return state
        alike = state.alike.copy()
        alike[row] += change
        return replace(state, alike=alike)


def _alike(pod: PodInfo) -> PodQuery:
    """Pods of the namespace that have all labels of this one, those being deleted among them."""
    return PodQuery((PodGroup(frozenset((pod.namespace,)), Selector().also(pod.pod.metadata.labels)),))


def _counted(query: PodQuery, pods: Pods) -> int:
    return sum(query.counts(pod.namespace, pod.pod.metadata.labels, terminating=pod.terminating) for pod in pods)


def _may_help(pod: PodInfo, change: Change) -> bool:
    if not change.happening & _POD_EVENTS or change.pod is None:
        return True
    seen = [change.pod] if change.old_pod is None else [change.pod, change.old_pod]
    return _counted(_alike(pod), seen) > 0
