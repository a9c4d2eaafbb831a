"""ResourceLimitsPriority: nodes that could hold all of the pod's limits for cpu or memory are a little better.

noderesources/resource_limits.go, 1.19, the last release that had it: a score of 1 to break ties, out of 100 as out of
the older 10. Limits are the larger of the containers' sum and each init container, sidecars not told apart.
"""

import logging
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pointsman.kube.objects import Container, PodSpec
from pointsman.kube.quantity import QuantityError, to_milli, to_value
from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.resource_names import CPU, MEMORY
from pointsman.policy.rule import SKIP, Dependence, PriorityBase, Reads, Skip
from pointsman.policy.view import ClusterView, IntArray, Rows

logger = logging.getLogger(__name__)


class Limit(NamedTuple):
    """What the pod may use of a resource at most, above 0, and what nodes have, (capacity,)."""

    amount: int
    allocatable: IntArray


class ResourceLimitsPriority(PriorityBase[tuple[Limit, ...]]):
    """The state is the limits that the pod has."""

    reads = Reads(frozenset({"pod.spec.containers", "pod.spec.init_containers"}), Dependence.NODE)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> tuple[Limit, ...] | Skip:
        amounts = ((resource, _limit(pod.pod.spec, resource)) for resource in (CPU, MEMORY))
        return tuple(Limit(amount, view.allocatable(resource)) for resource, amount in amounts if amount > 0) or SKIP

    def score(self, state: tuple[Limit, ...], rows: Rows) -> IntArray:
        covered = np.zeros(len(rows), dtype=np.bool_)
        for limit in state:
            covered |= limit.allocatable.take(rows) >= limit.amount
        return covered.astype(np.int64)


def _limit(spec: PodSpec, resource: str) -> int:
    """Millicores of cpu, bytes of memory; 0 without a limit."""
    return max(sum(_limits(spec.containers, resource)), *_limits(spec.init_containers, resource), 0)


def _limits(containers: Iterable[Container], resource: str) -> list[int]:
    return [_amount(resource, container.resources.limits.get(resource, 0)) for container in containers]


@lru_cache(maxsize=4096)
def _amount(resource: str, amount: str | float) -> int:
    """Remembered, so that an amount that cannot be read is told once."""
    try:
        return to_milli(amount) if resource == CPU else to_value(amount)
    except QuantityError as error:
        logger.warning("a container's limit of %s: %s; counted as none", resource, error)
        return 0
