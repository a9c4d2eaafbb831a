"""PodTopologySpread, the predicate: no domain gets more than `maxSkew` pods ahead of the emptiest one.

Only constraints with DoNotSchedule bind here. Order of the checks and their words as in podtopologyspread/filtering.go,
1.36.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, Change, Happening, PredicateBase, Skip, Wakes
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.policy.spread.constraints import HARD, SpreadConstraint
from pointsman.policy.spread.domains import READS, Spread, constraints_for, spreads, sums
from pointsman.policy.view import BoolArray, ClusterView, IdArray, IntArray, Pods, Rows

REASON_SKEW: Final = "node(s) didn't match pod topology spread constraints"
REASON_LABEL: Final = f"{REASON_SKEW} (missing required label)"

_FITS, _NO_LABEL, _CROWDED = range(3)
_REASONS: Final = {_NO_LABEL: REASON_LABEL, _CROWDED: REASON_SKEW}
_NO_DOMAIN: Final = 2**31 - 1  # the fewest pods where there is no domain at all
_POD_EVENTS: Final = Happening.POD_ADD | Happening.POD_DELETE | Happening.POD_LABELS


class Domains(NamedTuple):
    """One constraint: the domains of its key and the pods in them. The last place is for nodes without the key."""

    constraint: SpreadConstraint
    ids: IdArray  # (capacity,): the row's domain, -1 where the node lacks the key
    counted: BoolArray  # (capacity,): rows of nodes that belong to their domain
    known: BoolArray  # (domains + 1,): domains that some node belongs to
    pods: IntArray  # (domains + 1,)
    verdicts: NDArray[np.int8]  # (domains + 1,): what becomes of the rows of a domain


@dataclass(frozen=True, slots=True)
class State:
    """The pod and its constraints in the order in which they are checked."""

    pod: PodInfo
    constraints: tuple[Domains, ...]


class PodTopologySpread(PredicateBase[State]):
    """The state counts pods by domain, so that `with_pods` changes one number for each constraint.

    kube-scheduler remembers the two emptiest domains and corrects them as pods come and go. Those of one node are all
    in one domain, so that gives the same minimum as looking at all domains, which is what happens here.
    """

    reads = READS

    def __init__(self, name: str, args: PodTopologySpreadArgs) -> None:
        self.name = name
        self.wakes_on = Wakes(
            _POD_EVENTS
            | Happening.OWN_TOLERATIONS
            | Happening.OWN_UPDATE
            | Happening.NODE_ADD
            | Happening.NODE_DELETE
            | Happening.NODE_LABELS
            | Happening.NODE_TAINTS
            | Happening.SERVICE,
            self._may_help,
        )
        self._defaults = args.defaults

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        constraints = constraints_for(pod, view, self._defaults, HARD)
        if not constraints:
            return SKIP
        made = spreads(pod, view, constraints, every_key=True)
        return State(pod, tuple(_domains(spread, pod) for spread in made))

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        fits: BoolArray = _verdicts(state, rows) == _FITS
        return fits

    def resolvable(self, state: State, rows: Rows) -> BoolArray:
        crowded: BoolArray = _verdicts(state, rows) == _CROWDED
        return crowded

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return tuple(self.count_reasons(state, np.array([row], np.intp)))

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        counts = np.bincount(_verdicts(state, rows), minlength=len(_REASONS) + 1)
        return {reason: int(counts[verdict]) for verdict, reason in _REASONS.items() if counts[verdict]}

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        changes = [
            _matching(add, state.pod, domains.constraint) - _matching(remove, state.pod, domains.constraint)
            if domains.counted[row]
            else 0
            for domains in state.constraints
        ]
        if not any(changes):
            return state
        changed = zip(state.constraints, changes, strict=True)
        return State(state.pod, tuple(_changed(domains, row, change, state.pod) for domains, change in changed))

    def _may_help(self, pod: PodInfo, change: Change) -> bool:
        constraints = constraints_for(pod, change.view, self._defaults, HARD)
        if change.happening & _POD_EVENTS:
            return change.pod is None or _concerns(constraints, pod, change.pod, change.old_pod)
        if change.happening & Happening.OWN_TOLERATIONS:
            return any(constraint.honors_taints for constraint in constraints)
        if change.happening & Happening.OWN_UPDATE and change.pod is not None and change.old_pod is not None:
            return _asked(change.pod) != _asked(change.old_pod)
        if change.happening & (Happening.NODE_ADD | Happening.NODE_TAINTS) and change.row is not None:
            keys = (change.view.labels(constraint.topology_key) for constraint in constraints)
            return all(column.ids[change.row] >= 0 for column in keys)
        return True


def _domains(spread: Spread, pod: PodInfo) -> Domains:
    ids = spread.ids[spread.counted]
    known = np.zeros(len(spread.values) + 1, dtype=np.bool_)
    known[ids] = True
    pods = sums(ids, spread.pods[spread.counted], len(known))
    verdicts = _judge(spread.constraint, known, pods, pod)
    return Domains(spread.constraint, spread.ids, spread.counted, known, pods, verdicts)


def _judge(constraint: SpreadConstraint, known: BoolArray, pods: IntArray, pod: PodInfo) -> NDArray[np.int8]:
    """What becomes of the rows of each domain, int8 (domains + 1,)."""
    fewest = pods[known].min(initial=_NO_DOMAIN)
    if np.count_nonzero(known) < constraint.min_domains:
        fewest = 0
    own = int(constraint.selector.matches(pod.pod.metadata.labels))
    verdicts = np.where(pods + own - fewest > constraint.max_skew, _CROWDED, _FITS).astype(np.int8)
    verdicts[-1] = _NO_LABEL
    return verdicts


def _changed(domains: Domains, row: int, change: int, pod: PodInfo) -> Domains:
    """With so many more pods in the row's domain."""
    pods = domains.pods.copy()
    pods[domains.ids[row]] += change
    return domains._replace(pods=pods, verdicts=_judge(domains.constraint, domains.known, pods, pod))


def _verdicts(state: State, rows: Rows) -> NDArray[np.int8]:
    """What the first constraint that a row fails says of it, int8 (len(rows),)."""
    verdicts = np.zeros(len(rows), dtype=np.int8)
    for domains in state.constraints:
        verdicts = np.where(verdicts == _FITS, domains.verdicts.take(domains.ids.take(rows)), verdicts)
    return verdicts


def _matching(pods: Pods, incoming: PodInfo, constraint: SpreadConstraint) -> int:
    """How many of the pods come and go with the constraint's count; those being deleted do (updateWithPod)."""
    return sum(
        pod.namespace == incoming.namespace and constraint.selector.matches(pod.pod.metadata.labels) for pod in pods
    )


def _asked(pod: PodInfo) -> tuple[object, ...]:
    """What of a waiting pod decides, tolerations apart."""
    spec = pod.pod.spec
    return pod.pod.metadata.labels, spec.topology_spread_constraints, spec.node_selector, spec.affinity


def _concerns(constraints: tuple[SpreadConstraint, ...], pod: PodInfo, other: PodInfo, before: PodInfo | None) -> bool:
    """Whether a pod that came, went or got new labels changes a count."""
    if other.namespace != pod.namespace:
        return False
    now = [constraint.selector.matches(other.pod.metadata.labels) for constraint in constraints]
    if before is None or other.pod.metadata.labels == before.pod.metadata.labels:
        return any(now)
    return now != [constraint.selector.matches(before.pod.metadata.labels) for constraint in constraints]
