"""How evenly pods that belong together are spread over nodes and zones: the formula of the older spreading priorities.

selectorspread/selector_spread.go, 1.22: a third of the score looks at the node, two thirds at its zone. Maxima are
those of the rows that are scored. Zones are named as component-helpers/node/topology/helpers.go names them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import Selector
from pointsman.policy.priorities.normalize import MAX_SCORE
from pointsman.policy.rule import SKIP, Dependence, Reads, Skip
from pointsman.policy.spread.domains import count_pods
from pointsman.policy.topology_labels import OLD_REGION, OLD_ZONE, REGION, ZONE
from pointsman.policy.view import ClusterView, IntArray, Rows

READS: Final = Reads(
    frozenset({"namespace", "pod.metadata", "pod.spec.topology_spread_constraints"}),
    Dependence.ROW | Dependence.DOMAIN | Dependence.CLUSTER,
)

_ZONE_SHARE: Final = 2.0 / 3.0
_NOWHERE: Final = 0


class Evenness(NamedTuple):
    """Pods that belong with the incoming one on each row, and the row's zone, 0 for none: int64 (capacity,)."""

    pods: IntArray
    zones: IntArray


def evenness(pod: PodInfo, view: ClusterView, selector: Selector) -> Evenness | Skip:
    """The pods that the selector means. A pod with spread constraints says itself how it is to be spread."""
    if pod.pod.spec.topology_spread_constraints:
        return SKIP
    return Evenness(count_pods(view, selector, pod.namespace), _zones(view))


def even_scores(state: Evenness, rows: Rows) -> IntArray:
    """0..100, int64 (len(rows),): the fewer pods on the node and in its zone, the better."""
    pods = state.pods.take(rows)
    scores = _fewest_first(pods)
    zones = state.zones.take(rows)
    zoned = zones != _NOWHERE
    if zoned.any():
        _, places = np.unique(zones[zoned], return_inverse=True)
        by_zone = np.bincount(places, pods[zoned]).astype(np.int64)
        zone_scores = _fewest_first(by_zone)[places]
        scores[zoned] = scores[zoned] * (1.0 - _ZONE_SHARE) + _ZONE_SHARE * zone_scores
    return scores.astype(np.int64)


def _fewest_first(pods: IntArray) -> NDArray[np.float64]:
    most = pods.max(initial=0)
    if most == 0:
        return np.full(len(pods), float(MAX_SCORE))
    scores: NDArray[np.float64] = MAX_SCORE * ((most - pods) / most)
    return scores


def _zones(view: ClusterView) -> IntArray:
    """A number for each pair of region and zone, 0 where a node has neither; int64 (capacity,)."""
    zones, count = _numbers(view, (OLD_ZONE, ZONE))
    regions, _ = _numbers(view, (OLD_REGION, REGION))
    return regions * count + zones


def _numbers(view: ClusterView, keys: tuple[str, str]) -> tuple[IntArray, int]:
    """A number for each value of the first of these labels that a node has, 0 for none or an empty one; how many."""
    known = {"": _NOWHERE}
    numbers = np.full(view.capacity, _NOWHERE, dtype=np.int64)
    for key in reversed(keys):  # the first has the last word
        column = view.labels(key)
        table = np.array([known.setdefault(value, len(known)) for value in column.values] or [_NOWHERE], np.int64)
        numbers = np.where(column.ids >= 0, table.take(column.ids, mode="wrap"), numbers)
    return numbers, len(known)
