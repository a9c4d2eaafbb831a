"""NodeResourcesFit, the predicate: what the pod requests is free on the node, and one more pod is allowed there.

All that is missing is told, in kube-scheduler's order (noderesources/fit.go, 1.36): pods, cpu, memory, ephemeral
storage, then the other resources, which kube-scheduler gives in random order and we by name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from pointsman.policy.integers import wrapped
from pointsman.policy.node_resources_args import NodeResourcesFitArgs
from pointsman.policy.pod import PodInfo
from pointsman.policy.resource_names import CPU, EPHEMERAL_STORAGE, MEMORY, is_extended
from pointsman.policy.room import REASON_PODS, Room
from pointsman.policy.rule import Change, Dependence, Happening, PredicateBase, Reads, Wakes
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, PodsBelow, Rows

_FIRST: Final = (CPU, MEMORY, EPHEMERAL_STORAGE)
# A change is one happening; members compare at once where sets of flags take their time.
_SCALE_DOWN: Final = Happening.POD_SCALE_DOWN
_MAKES_ROOM: Final = (Happening.POD_DELETE, Happening.NODE_ADD, Happening.NODE_ALLOCATABLE, _SCALE_DOWN)


class Ask(NamedTuple):
    """A resource that the pod requests, with its columns, (capacity,) each."""

    resource: str
    amount: int  # positive
    allocatable: IntArray
    requested: IntArray


@dataclass(frozen=True, slots=True)
class State:
    """The pod's requests beside the columns that they are compared with."""

    allowed_pods: IntArray
    pod_count: IntArray
    asks: tuple[Ask, ...]


class NodeResourcesFit(PredicateBase[State]):
    """The state holds live columns; `with_pods` puts copies in their place.

    A pod is woken when it fits the row on which room was made, as the row is now. kube-scheduler wakes for any pod that
    leaves, because its hints do not see the node: then a few deletions a second keep thousands of pods that fit nowhere
    in attempts without end.
    """

    reads = Reads(frozenset({"requests"}), Dependence.ROW)

    def __init__(self, name: str, args: NodeResourcesFitArgs) -> None:
        self.name = name
        self.wakes_on = Wakes(
            Happening.NODE_ADD
            | Happening.NODE_ALLOCATABLE
            | Happening.NODE_TAINTS
            | Happening.POD_DELETE
            | Happening.POD_SCALE_DOWN,
            self._may_help,
        )
        self._ignored = frozenset(args.ignored_resources)
        self._ignored_groups = frozenset(args.ignored_resource_groups)

    def prepare(self, pod: PodInfo, view: ClusterView) -> State:
        asks = (Ask(name, amount, view.allocatable(name), view.requested(name)) for name, amount in self._requests(pod))
        return State(view.allowed_pods(), view.pod_count(), tuple(asks))

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        checks = _checks(state, rows)
        _, answer = next(checks)
        for _, passed in checks:
            answer &= passed
        return answer

    def inputs(self, state: State, row: int) -> tuple[int, ...]:
        found = [state.allowed_pods.item(row), state.pod_count.item(row)]
        for ask in state.asks:
            found += (ask.allocatable.item(row), ask.requested.item(row))
        return tuple(found)

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        count = state.pod_count.copy()
        count[row] += len(add) - len(remove)
        asks = (
            ask._replace(requested=_changed(ask.requested, row, _sum(add, ask.resource) - _sum(remove, ask.resource)))
            for ask in state.asks
        )
        return replace(state, pod_count=count, asks=tuple(asks))

    def without(self, state: State, leaving: PodsBelow) -> State:
        asks = (ask._replace(requested=ask.requested - leaving.usage(ask.resource)) for ask in state.asks)
        return replace(state, pod_count=state.pod_count - leaving.pods, asks=tuple(asks))

    def alone(self, state: State, row: int) -> Room:
        return Room(
            state.allowed_pods.item(row) - state.pod_count.item(row),
            tuple((ask.resource, ask.amount) for ask in state.asks),
            tuple(ask.allocatable.item(row) - ask.requested.item(row) for ask in state.asks),
        )

    def resolvable(self, state: State, rows: Rows) -> BoolArray:
        """Not where a request is larger than all that the node has."""
        answer = np.ones(len(rows), np.bool_)
        for ask in state.asks:
            answer &= ask.allocatable.take(rows) >= ask.amount
        return answer

    def reasons(self, state: State, row: int) -> tuple[str, ...]:
        return tuple(reason for reason, passed in _checks(state, np.array([row])) if not passed[0])

    def count_reasons(self, state: State, rows: Rows) -> Mapping[str, int]:
        failed = {reason: len(rows) - int(np.count_nonzero(passed)) for reason, passed in _checks(state, rows)}
        return {reason: count for reason, count in failed.items() if count > 0}

    def _requests(self, pod: PodInfo) -> Iterator[tuple[str, int]]:
        """Name and amount of what is checked, in the order of the reasons."""
        others = sorted(name for name in pod.requests if name not in _FIRST)
        for name in (*_FIRST, *others):
            if name in pod.requests and not self._is_ignored(name):
                yield name, pod.requests[name]

    def _is_ignored(self, name: str) -> bool:
        return is_extended(name) and (name in self._ignored or name.partition("/")[0] in self._ignored_groups)

    def _may_help(self, pod: PodInfo, change: Change) -> bool:
        if change.happening is _SCALE_DOWN and not _gives_up(change, pod):
            return False
        if change.row is None or change.happening not in _MAKES_ROOM:
            return True
        row, view = change.row, change.view
        for name, amount in pod.requests.items():  # asked of every pod that waits: no order, no generator
            free = view.allocatable(name).item(row) - view.requested(name).item(row)
            if free < amount and not self._is_ignored(name):
                return False
        return view.pod_count().item(row) < view.allowed_pods().item(row)


def _checks(state: State, rows: Rows) -> Iterator[tuple[str, BoolArray]]:
    """What is checked, in the order of the reasons: the reason, and which rows pass, bool (len(rows),)."""
    yield REASON_PODS, state.pod_count.take(rows) < state.allowed_pods.take(rows)
    for ask in state.asks:
        free = ask.allocatable.take(rows) - ask.requested.take(rows)
        yield f"Insufficient {ask.resource}", free >= ask.amount


def _gives_up(change: Change, pod: PodInfo) -> bool:
    """Whether a scaled-down pod is the pending one itself or now uses less of something that the pending one wants."""
    old, new = change.old_pod, change.pod
    if old is None or new is None or new.uid == pod.uid:
        return True
    return any(old.usage.get(name, 0) > new.usage.get(name, 0) for name in pod.requests)


def _sum(pods: Pods, resource: str) -> int:
    return sum(pod.usage.get(resource, 0) for pod in pods)


def _changed(column: IntArray, row: int, change: int) -> IntArray:
    if change == 0:
        return column
    copy = column.copy()
    copy[row : row + 1] += wrapped(change)
    return copy
