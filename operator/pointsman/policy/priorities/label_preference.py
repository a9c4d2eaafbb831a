"""LabelPreference: nodes that have a label are better, or those that lack it, whatever its value.

nodelabel/node_label.go, 1.22, with one label for each instance.
"""

from pointsman.policy.legacy_args import LabelPreferenceArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import NODE_ALONE, PriorityBase
from pointsman.policy.view import ClusterView, IdArray, IntArray, Rows


class LabelPreference(PriorityBase[IdArray]):
    """The state is the label's column of value ids."""

    reads = NODE_ALONE

    def __init__(self, name: str, args: LabelPreferenceArgs) -> None:
        self.name = name
        self._label = args.label
        self._presence = args.presence

    def prepare(self, pod: PodInfo, view: ClusterView) -> IdArray:  # noqa: ARG002 - part of the protocol
        return view.labels(self._label).ids

    def score(self, state: IdArray, rows: Rows) -> IntArray:
        wanted = (state.take(rows) >= 0) == self._presence
        score: IntArray = wanted.astype("int64") * MAX_SCORE
        return score
