"""The ledger of placed pods: who is on which node, bound or only assumed, whether or not the node is known.

Keyed by uid, so a pod is on at most one node. A pod on a node that does not exist (yet, or any more) stays in the
ledger: its delete event may come late, and the node may come back.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import Happening

FINISHED_PHASES = frozenset({"Succeeded", "Failed"})
_NOBODY: dict[str, PodInfo] = {}


class Placement(NamedTuple):
    """One pod on one node; while it is only `assumed`, the pod itself names no node."""

    pod: PodInfo
    node: str
    assumed: bool


def is_finished(pod: PodInfo) -> bool:
    """Whether the pod has ended and holds nothing any more."""
    return pod.pod.status.phase in FINISHED_PHASES


def update_happenings(before: Placement, after: PodInfo) -> tuple[Happening, ...]:
    """The parts of an update of a pod that stays on its node, as kube-scheduler splits it (framework/events.go, 1.36).

    The first sight of an assumed pod as bound is its arrival. A pod that begins to end is told like one with other
    labels: spreading no longer counts it, which kube-scheduler notices only when it is gone.
    """
    relabelled = after.pod.metadata.labels != before.pod.pod.metadata.labels
    parts = (
        (Happening.POD_ADD, before.assumed),
        (Happening.POD_LABELS, relabelled or after.terminating > before.pod.terminating),
        (Happening.POD_SCALE_DOWN, _asks_less(before.pod.usage, after.usage)),
    )
    return tuple(happening for happening, happened in parts if happened)


class Ledger:
    """Placements by uid and by node name."""

    def __init__(self) -> None:
        self._placements: dict[str, Placement] = {}
        self._on: dict[str, dict[str, PodInfo]] = {}

    def __len__(self) -> int:
        return len(self._placements)

    def get(self, uid: str) -> Placement | None:
        return self._placements.get(uid)

    def on(self, node: str) -> Collection[PodInfo]:
        return self._on.get(node, _NOBODY).values()

    def put(self, placement: Placement) -> None:
        """Add a placement of a pod that has none."""
        pod = placement.pod
        self._placements[pod.uid] = placement
        self._on.setdefault(placement.node, {})[pod.uid] = pod

    def pop(self, uid: str) -> Placement | None:
        placement = self._placements.pop(uid, None)
        if placement is None:
            return None
        neighbours = self._on[placement.node]
        del neighbours[uid]
        if not neighbours:
            del self._on[placement.node]
        return placement


def _asks_less(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    return any(name not in after or after[name] < amount for name, amount in before.items())
