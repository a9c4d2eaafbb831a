"""Whether a pod's volumes would be too many for rows, as they are or with other pods imagined on one of them.

The first is asked of columns for all rows at once; the second, for nominated pods and for preemption, counts the pods
of one row anew, since a volume leaves a node only with the last pod that uses it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pointsman.policy.storage_view import AttachedView
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods
from pointsman.policy.volumes.attached import Attaching, keeps_attached
from pointsman.policy.volumes.in_tree import AttachedVolume


@dataclass(frozen=True, slots=True)
class Imagined:
    """The incoming pod's volumes, the limits of their drivers, (capacity,) each, and rows whose pods are imagined.

    Pods without volumes that count are left out.
    """

    volumes: frozenset[AttachedVolume]
    limits: Mapping[str, IntArray]
    attaching: Attaching
    view: ClusterView
    pods: Mapping[int, Pods] = field(default_factory=dict)

    def with_pods(self, row: int, add: Pods, remove: Pods) -> "Imagined":
        """As if `add` ran on the row and `remove` did not."""
        gone = {pod.uid for pod in remove}
        here = self.pods.get(row)
        if here is None:
            here = tuple(filter(keeps_attached, self.view.pods_on(row)))
        stay = (pod for pod in here if pod.uid not in gone)
        return replace(self, pods={**self.pods, row: (*stay, *filter(keeps_attached, add))})

    def over_limit_on(self, row: int) -> bool:
        """Whether the volumes would be too many for a row whose pods are imagined."""
        attached = self.attaching(self.pods[row], self.view.node_name(row), self.view.storage)
        more = Counter(volume.driver for volume in self.volumes - attached.volumes)
        return any(attached.counts.get(driver, 0) + count > self.limits[driver][row] for driver, count in more.items())


def over_limit(imagined: Imagined, attached: AttachedView) -> BoolArray:
    """Where the volumes would be too many, whatever is imagined: bool (capacity,)."""
    over = np.zeros(imagined.view.capacity, dtype=np.bool_)
    for driver, limits in imagined.limits.items():
        volumes = [volume for volume in imagined.volumes if volume.driver == driver]
        more = np.full(len(over), len(volumes), dtype=np.int64)
        for volume in volumes:
            more[list(attached.rows_with(volume))] -= 1
        over |= (more > 0) & (attached.counts(driver) + more > limits)
    return over
