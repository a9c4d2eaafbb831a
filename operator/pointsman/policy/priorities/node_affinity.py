"""NodeAffinity, the priority: the sum of the weights of the preferred terms that a node matches.

Terms of the pod and terms that the profile adds (nodeaffinity/node_affinity.go, 1.36).
"""

from collections.abc import Sequence

import numpy as np

from pointsman.kube.objects import PreferredSchedulingTerm
from pointsman.policy.node_affinity_args import NodeAffinityArgs
from pointsman.policy.node_selectors import RowTest, compile_term
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import normalize
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import ClusterView, IntArray, Rows

State = Sequence[tuple[int, RowTest]]


class NodeAffinity(PriorityBase[State]):
    """The state is the weighted terms, bound to the view's label columns."""

    reads = Reads(frozenset({"pod.spec.affinity.node_affinity"}), Dependence.NODE)

    def __init__(self, name: str, args: NodeAffinityArgs) -> None:
        self.name = name
        self._added = args.preferred

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        terms = (*self._added, *_preferred(pod))
        if not terms:
            return SKIP
        compiled = ((entry.weight, compile_term(entry.preference)) for entry in terms if entry.weight != 0)
        return [(weight, term.bind(view)) for weight, term in compiled if term is not None]

    def score(self, state: State, rows: Rows) -> IntArray:
        total = np.zeros(len(rows), dtype=np.int64)
        for weight, term in state:
            total += weight * term.match(rows)
        return total

    def normalize(self, state: State, scores: IntArray) -> IntArray:  # noqa: ARG002 - part of the protocol
        return normalize(scores)


def _preferred(pod: PodInfo) -> tuple[PreferredSchedulingTerm, ...]:
    affinity = pod.pod.spec.affinity
    if affinity is None or affinity.node_affinity is None:
        return ()
    return affinity.node_affinity.preferred_during_scheduling_ignored_during_execution
