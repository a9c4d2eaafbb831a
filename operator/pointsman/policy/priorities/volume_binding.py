"""VolumeBinding as a priority: it has nothing to say while StorageCapacityScoring is off (volumebinding/, 1.36).

kube-scheduler scores with it by default, so a profile may name it; its scorer is nil and its PreScore skips every pod.
"""

import numpy as np

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import ClusterView, IntArray, Rows
from pointsman.policy.volume_binding_args import VolumeBindingArgs


class VolumeBinding(PriorityBase[None]):
    """Skips every pod."""

    reads = Reads(frozenset({"pod.spec.volumes"}), Dependence.NODE)

    def __init__(self, name: str, _: VolumeBindingArgs) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> Skip:  # noqa: ARG002 - part of the protocol
        return SKIP

    def score(self, state: None, rows: Rows) -> IntArray:  # noqa: ARG002 - never asked: every pod is skipped
        return np.zeros(len(rows), np.int64)
