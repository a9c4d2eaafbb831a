"""NodePorts: two pods cannot use one host port of one node (nodeports/node_ports.go, 1.36).

Ports conflict when protocol and number agree and the addresses are equal or one of them is 0.0.0.0. Addresses are plain
text: `::` is not a wildcard.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.pod import ANY_ADDRESS, HostPort, PodInfo
from pointsman.policy.rule import SKIP, Change, Dependence, Happening, PredicateBase, Reads, Skip, Wakes
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, Rows


@dataclass(frozen=True, slots=True)
class State:
    """How many uses of a row's ports stand against the wanted ones, (capacity,); and what `with_pods` changed."""

    wanted: frozenset[HostPort]
    conflicts: IntArray


class NodePorts(PredicateBase[State]):
    """The state counts, so that a pod taken away frees only its own ports."""

    reason = "node(s) didn't have free ports for the requested pod ports"
    preemptible = True
    reads = Reads(frozenset({"host_ports"}), Dependence.ROW)

    def __init__(self, name: str, _: Args) -> None:
        self.name = name
        self.wakes_on = Wakes(Happening.NODE_ADD | Happening.NODE_TAINTS | Happening.POD_DELETE, _may_help)

    def prepare(self, pod: PodInfo, view: ClusterView) -> State | Skip:
        if not pod.host_ports:
            return SKIP
        wanted = frozenset(pod.host_ports)
        conflicts = np.zeros(view.capacity, dtype=np.int64)
        for protocol, number in {(port.protocol, port.port) for port in wanted}:
            for used in view.used_ports(protocol, number):
                if _conflicts(used, wanted):
                    conflicts += view.port_users(used)
        return State(wanted, conflicts)

    def feasible(self, state: State, rows: Rows) -> BoolArray:
        free: BoolArray = state.conflicts.take(rows) == 0
        return free

    def with_pods(self, state: State, row: int, add: Pods, remove: Pods) -> State:
        change = _uses(add, state.wanted) - _uses(remove, state.wanted)
        if change == 0:
            return state
        conflicts = state.conflicts.copy()
        conflicts[row] += change
        return replace(state, conflicts=conflicts)


def _conflicts(used: HostPort, wanted: Iterable[HostPort]) -> bool:
    return any(
        (used.protocol, used.port) == (port.protocol, port.port)
        and (used.address == port.address or ANY_ADDRESS in (used.address, port.address))
        for port in wanted
    )


def _uses(pods: Pods, wanted: frozenset[HostPort]) -> int:
    return sum(_conflicts(port, wanted) for pod in pods for port in frozenset(pod.host_ports))


def _may_help(pod: PodInfo, change: Change) -> bool:
    if not change.happening & Happening.POD_DELETE or change.pod is None:
        return True
    return _uses((change.pod,), frozenset(pod.host_ports)) > 0
