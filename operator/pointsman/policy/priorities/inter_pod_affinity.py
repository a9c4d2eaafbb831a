"""InterPodAffinity, the priority: weights of preferred terms, of the pod's own and of running pods' that mean it.

A term's weight counts once for every pod that it joins to the incoming one, in all of that pod's topology domain;
anti-affinity counts against it (interpodaffinity/scoring.go, 1.36).
"""

from collections.abc import Iterator

import numpy as np

from pointsman.policy.affinity_matching import meaning, meant_pods
from pointsman.policy.domain_counts import DomainCounts
from pointsman.policy.inter_pod_affinity_args import InterPodAffinityArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodQuery
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import ClusterView, IntArray, Rows, TermKind

State = tuple[DomainCounts, ...]


class InterPodAffinity(PriorityBase[State]):
    """The state is the points of each value of each topology key."""

    reads = Reads(
        frozenset({"namespace", "pod.metadata.labels", "affinity"}),
        Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER,
    )

    def __init__(self, name: str, args: InterPodAffinityArgs) -> None:
        self.name = name
        self._ignores_others = args.ignore_preferred_terms_of_existing_pods
        self._of_running = (
            (TermKind.REQUIRED, args.hard_pod_affinity_weight),
            (TermKind.PREFERRED, 1),
            (TermKind.PREFERRED_ANTI, -1),
        )

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        # Own preferred terms bring in those of running pods too, whatever the args say.
        if self._ignores_others and not pod.affinity.preferred and not pod.affinity.preferred_anti:
            return SKIP
        points: dict[str, IntArray] = {}
        for key, more in (*_by_own_terms(pod, view), *self._by_terms_of_others(pod, view)):
            points[key] = points[key] + more if key in points else more
        if not points:
            return SKIP
        rows = view.node_rows()
        domains = (DomainCounts.of(view.labels(key), of_key, rows) for key, of_key in points.items())
        return tuple(counts for counts in domains if counts.any()) or SKIP

    def score(self, state: State, rows: Rows) -> IntArray:
        total = np.zeros(len(rows), dtype=np.int64)
        for counts in state:
            total += counts.at(rows)
        return total

    def normalize(self, state: State, scores: IntArray) -> IntArray:  # noqa: ARG002 - part of the protocol
        lowest = scores.min(initial=np.iinfo(np.int64).max)
        span = scores.max(initial=lowest) - lowest
        result = np.zeros(len(scores), dtype=np.int64)
        if span > 0:
            result[:] = MAX_SCORE * ((scores - lowest) / span)  # cut to whole numbers
        return result

    def _by_terms_of_others(self, pod: PodInfo, view: ClusterView) -> Iterator[tuple[str, IntArray]]:
        """Topology key and points per row, int64 (capacity,), for each distinct term of running pods."""
        for kind, factor in self._of_running:
            terms = view.carried_terms(kind, pod.pod.metadata.labels) if factor else ()
            for term in meaning(terms, pod, view):
                weight = factor if kind is TermKind.REQUIRED else factor * term.weight
                yield term.topology_key, weight * term.carriers


def _by_own_terms(pod: PodInfo, view: ClusterView) -> Iterator[tuple[str, IntArray]]:
    for terms, sign in ((pod.affinity.preferred, 1), (pod.affinity.preferred_anti, -1)):
        for term in terms:
            counts = view.pod_counts(PodQuery((meant_pods(term, view),)))
            yield term.topology_key, sign * term.weight * counts
