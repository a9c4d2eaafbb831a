"""NodePreferAvoidPodsPriority: nodes whose annotation asks to be spared this controller's pods score nothing.

nodepreferavoidpods/node_prefer_avoid_pods.go, 1.22. Only pods of a ReplicationController or a ReplicaSet are spared:
for all others, and where the annotation is absent or cannot be read, a node scores all. In files of its time the
weight was 10000, which lets this rule decide before any other.
"""

import json
import logging
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import Dependence, PriorityBase, Reads
from pointsman.policy.spread.owners import controller_of
from pointsman.policy.view import ClusterView, IntArray, Rows

ANNOTATION: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_KINDS: Final = frozenset({"ReplicationController", "ReplicaSet"})
_MAX_SHOWN: Final = 100

logger = logging.getLogger(__name__)


class Controller(NamedTuple):
    """What an annotation says of the pods to avoid: whose they are."""

    kind: str
    uid: str


class NodePreferAvoidPodsPriority(PriorityBase[IntArray | None]):
    """The state is the score of each row, (capacity,), or None where all rows score the same."""

    reads = Reads(frozenset({"pod.metadata.owner_references"}), Dependence.NODE)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> IntArray | None:
        controller = _controller_of(pod)
        column = view.annotations(ANNOTATION) if controller is not None else None
        if column is None or not column.values:
            return None
        by_value = [0 if controller in avoided(value) else MAX_SCORE for value in column.values]
        return np.array([*by_value, MAX_SCORE], dtype=np.int64).take(column.ids)  # id -1, no annotation, is the last

    def score(self, state: IntArray | None, rows: Rows) -> IntArray:
        return np.full(len(rows), MAX_SCORE, dtype=np.int64) if state is None else state.take(rows)


def _controller_of(pod: PodInfo) -> Controller | None:
    """The pod's controller, if it is of a kind that can be avoided."""
    owner = controller_of(pod)
    return Controller(owner.kind, owner.uid) if owner is not None and owner.kind in _KINDS else None


@lru_cache(maxsize=4096)
def avoided(annotation: str) -> frozenset[Controller]:
    """Whose pods an annotation asks to avoid. Remembered, so that one that cannot be read is told once."""
    try:
        listed = json.loads(annotation).get("preferAvoidPods") or ()
        return frozenset(_controller_in(entry) for entry in listed)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        shown = json.dumps(annotation[:_MAX_SHOWN])
        logger.warning("node annotation %s: %s cannot be read: %s; no pods are avoided", ANNOTATION, shown, error)
        return frozenset()


def _controller_in(entry: dict[str, dict[str, dict[str, str]]]) -> Controller:
    controller = (entry.get("podSignature") or {}).get("podController") or {}
    return Controller(str(controller.get("kind", "")), str(controller.get("uid", "")))
