"""ServiceAntiAffinity: spreads the pods of a Service over the values of a label, say over racks.

serviceaffinity/service_affinity.go, 1.22, with one label for each instance. Of several Services one counts. A node
without the label scores nothing.
"""

from typing import NamedTuple

import numpy as np

from pointsman.policy.legacy_args import ServiceAntiAffinityArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import NOTHING
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.spread.domains import count_pods, sums
from pointsman.policy.view import ClusterView, IntArray, LabelColumn, Rows


class State(NamedTuple):
    """Pods of the Service on each row, (capacity,), and the label's column."""

    pods: IntArray
    column: LabelColumn


class ServiceAntiAffinity(PriorityBase[State]):
    """Scores are final: the reduce step of old needed the labels of the rows."""

    reads = Reads(
        frozenset({"namespace", "pod.metadata.labels"}), Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER
    )

    def __init__(self, name: str, args: ServiceAntiAffinityArgs) -> None:
        self.name = name
        self._label = args.label

    def prepare(self, pod: PodInfo, view: ClusterView) -> State:
        services = view.owners.services_of(pod)
        selector = services[0] if services else NOTHING
        return State(count_pods(view, selector, pod.namespace), view.labels(self._label))

    def score(self, state: State, rows: Rows) -> IntArray:
        pods, ids = state.pods.take(rows), state.column.ids.take(rows)
        total = int(pods.sum())
        labelled = ids >= 0
        scores = np.zeros(len(rows), dtype=np.int64)
        if total == 0:
            scores[labelled] = MAX_SCORE
            return scores
        places = ids[labelled]
        together = sums(places, pods[labelled], len(state.column.values))[places]
        scores[labelled] = (MAX_SCORE * ((total - together) / total)).astype(np.int64)
        return scores
