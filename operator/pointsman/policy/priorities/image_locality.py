"""ImageLocality: nodes that already hold the pod's images, weighed by size and by how widespread an image is.

An image that few nodes hold counts less, so that not all pods run after the first one. Formula and thresholds of
imagelocality/image_locality.go, 1.36, where image volumes add to the sum but not to the threshold.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Rows

_MIN_BYTES: Final = 23 * 2**20
_MAX_BYTES_PER_CONTAINER: Final = 1000 * 2**20


@dataclass(frozen=True, slots=True)
class State:
    """Bytes that an image adds where it is present, image by image; and the sum at which the score is full."""

    images: tuple[tuple[int, BoolArray], ...]
    full: int


class ImageLocality(PriorityBase[State]):
    """Depends on all nodes: placing an image anywhere changes every holder's score."""

    reads = Reads(frozenset({"images", "container_count"}), Dependence.NODE | Dependence.NODES)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        if pod.container_count == 0:
            return SKIP
        images = []
        for name, times in Counter(pod.images).items():
            image = view.image(name)
            if image is not None:
                spread = image.nodes / view.node_count
                images.append((times * int(float(image.size) * spread), image.present))
        return State(tuple(images), _MAX_BYTES_PER_CONTAINER * pod.container_count)

    def score(self, state: State, rows: Rows) -> IntArray:
        total = np.zeros(len(rows), dtype=np.int64)
        for size, present in state.images:
            total += size * present.take(rows)
        kept = np.clip(total, _MIN_BYTES, state.full)
        return MAX_SCORE * (kept - _MIN_BYTES) // (state.full - _MIN_BYTES)
