"""The shape of a rule: predicates and priorities over rows, what they depend on, and what wakes the pods they reject.

Built-in rules and users' rules have the same shape. A rule is a small object made by its factory from validated args;
what it works out for one pod is its state `S`, an immutable value of its own choosing, so that a cycle may hold two of
them (with and without nominated pods) and preemption may try many. Nothing here does I/O or awaits.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from pointsman.policy.pod import PodInfo
from pointsman.policy.view import BoolArray, ClusterView, IntArray, Pods, PodsBelow, Rows

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Skip:
    """The rule has nothing to say about this pod: a predicate lets every node pass, a priority adds nothing."""


@dataclass(frozen=True, slots=True)
class Reject:
    """The pod fits nowhere, whatever the node; the reasons are told once, not per node.

    Also what kube-scheduler calls UnschedulableAndUnresolvable in PreFilter when `resolvable` is False: preempting
    other pods would not help.
    """

    reasons: tuple[str, ...]
    resolvable: bool = False


SKIP = Skip()


class Happening(Flag):
    """What changed in the cluster, after updates were split (kube-scheduler's ActionType, framework/events.go 1.36)."""

    NODE_ADD = auto()
    NODE_ALLOCATABLE = auto()
    NODE_LABELS = auto()
    NODE_TAINTS = auto()  # taints changed, or unschedulable went from true to false
    NODE_DELETE = auto()
    NODE_IMAGES = auto()
    POD_DELETE = auto()  # an assigned pod left its node: deleted, finished, or its bind was given up
    POD_ADD = auto()  # an assigned pod appeared on a node
    POD_LABELS = auto()
    POD_SCALE_DOWN = auto()  # an assigned pod, or the pending one, asks for less
    OWN_TOLERATIONS = auto()  # the pending pod itself
    OWN_GATES_ELIMINATED = auto()
    OWN_UPDATE = auto()  # any other change of the pending pod's spec or labels
    NAMESPACE = auto()  # labels of a namespace changed
    # The objects below appeared, changed, or went if that may help anybody.
    NODE_FEATURES = auto()
    PERSISTENT_VOLUME_CLAIM = auto()
    PERSISTENT_VOLUME = auto()
    STORAGE_CLASS = auto()
    CSI_NODE = auto()
    CSI_DRIVER = auto()
    CSI_STORAGE_CAPACITY = auto()
    VOLUME_ATTACHMENT_DELETE = auto()
    SERVICE = auto()  # or a controller whose selector spreading looks at; also when one goes


@dataclass(frozen=True, slots=True)
class Change:
    """One event for the queue. `row` and `view` tell of the node after the change, where there is one."""

    happening: Happening
    view: ClusterView
    row: int | None = None
    pod: PodInfo | None = None  # the pod that the event is about
    old_pod: PodInfo | None = None
    key: tuple[str, str] = ("", "")  # namespace and name of an object that is neither pod nor node


Hint = Callable[[PodInfo, Change], bool]


@dataclass(frozen=True, slots=True)
class Wakes:
    """Which happenings can make a rejected pod schedulable; the hint, if any, looks closer.

    Waking too often costs an attempt; waking too seldom leaves a pod waiting for up to five minutes. In doubt, wake.
    """

    on: Happening
    hint: Hint | None = None


class Dependence(Flag):
    """What a raw answer for one row depends on besides the pod: decides how long it may be cached."""

    NODE = auto()  # the object of this node
    NODES = auto()  # the objects of all nodes
    ROW = auto()  # this node and the pods on it
    DOMAIN = auto()  # other nodes that share a topology value
    CLUSTER = auto()  # anything (image counts, namespaces, nominations)
    TIME = auto()  # the clock


@dataclass(frozen=True, slots=True)
class Reads:
    """The pod's fields that make the class key, and what else the answer depends on. No fields: never cached.

    `pod_fields` are attribute paths from PodInfo: `requests`, `pod.spec.tolerations`.
    """

    pod_fields: frozenset[str]
    depends: Dependence


NODE_ALONE: Final = Reads(frozenset({"pod.spec.scheduler_name"}), Dependence.NODE)
"""For a rule that looks at nothing of the pod: a field in which all pods of a profile agree."""


@runtime_checkable
class Predicate(Protocol[S]):
    """Whether a pod may run on a node. `name` is the instance's name in the profile, `rule` the rule's own."""

    name: str
    wakes_on: Wakes
    reads: Reads

    def prepare(self, pod: PodInfo, view: ClusterView) -> S | Skip | Reject:
        """PreFilter: work out once what all rows need."""
        ...

    def narrows(self, state: S) -> frozenset[str] | None:
        """Names of the only nodes worth looking at (PreFilterResult), None for all of them."""
        ...

    def feasible(self, state: S, rows: Rows) -> BoolArray:
        """Filter: bool (len(rows),)."""
        ...

    def with_pods(self, state: S, row: int, add: Pods, remove: Pods) -> S:
        """The state as if `add` ran on the row and `remove` did not (AddPod, RemovePod); `state` stays as it is."""
        ...

    def resolvable(self, state: S, rows: Rows) -> BoolArray:
        """Of rows that are not feasible, those where fewer pods on the node could help: bool (len(rows),).

        kube-scheduler's Unschedulable, against UnschedulableAndUnresolvable: preemption looks at no other rows.
        """
        ...

    def reasons(self, state: S, row: int) -> tuple[str, ...]:
        """kube-scheduler's words for a row that is not feasible; asked only when needed."""
        ...

    def count_reasons(self, state: S, rows: Rows) -> Mapping[str, int]:
        """On how many of these rows, none of them feasible, each reason stands: `reasons` of all of them at once."""
        ...


@runtime_checkable
class Reserving(Protocol[S_contra]):
    """A predicate that has to set something aside on the node that was chosen (Reserve), before the pod is bound."""

    def reserve(self, state: S_contra, row: int) -> object | None:
        """What is to be set aside, None for nothing. Pure: the engine's `binding` does what it says."""
        ...


class OneNode(Protocol):
    """What a predicate makes of one node while preemption tries pods on it; a value, like every state."""

    def with_pods(self, add: Pods, remove: Pods) -> "OneNode":
        """The node with these pods more and fewer."""
        ...

    def fits(self) -> bool: ...
    def reasons(self) -> tuple[str, ...]:
        """Why it does not fit."""
        ...


@runtime_checkable
class Relievable(Protocol[S]):
    """A predicate whose answer for a row depends on the pods of that row alone, so that it can take rows apart.

    Preemption tries many sets of pods on many rows: it asks such a predicate about all rows at once first, and then
    about a row without dragging the others along.
    """

    def without(self, state: S, leaving: PodsBelow) -> S:
        """`with_pods` for all rows: the state as if these pods were gone."""
        ...

    def alone(self, state: S, row: int) -> OneNode:
        """One row of the state."""
        ...


@runtime_checkable
class ByInputs(Protocol[S_contra]):
    """A rule whose answer for a row depends on the pod and on a few numbers of that row.

    Its state holds the pod's part and live columns, so it stays good for equal pods as long as no node changes.
    """

    def inputs(self, state: S_contra, row: int) -> tuple[int, ...]:
        """The row's numbers: rows in which they are equal get the same answer."""
        ...


@runtime_checkable
class Priority(Protocol[S]):
    """How good a feasible node is. Raw scores are int64, normalised ones 0..100."""

    name: str
    reads: Reads

    def prepare(self, pod: PodInfo, view: ClusterView) -> S | Skip:
        """PreScore."""
        ...

    def score(self, state: S, rows: Rows) -> IntArray:
        """Score (map): int64 (len(rows),)."""
        ...

    def normalize(self, state: S, scores: IntArray) -> IntArray:
        """NormalizeScore (reduce): to 0..100 over the feasible rows. Most rules return `scores` as they are."""
        ...


class PredicateBase(Generic[S]):
    """Defaults for predicates whose answer does not depend on the pods of a node.

    One that always gives the same reason names it in `reason` and is done; any other overrides `reasons`, and
    `count_reasons` too if it can tell faster than row by row. `preemptible` answers `resolvable` for every row.
    """

    reason = ""
    preemptible = False

    def narrows(self, state: S) -> frozenset[str] | None:  # noqa: ARG002 - part of the protocol
        return None

    def with_pods(self, state: S, row: int, add: Pods, remove: Pods) -> S:  # noqa: ARG002 - part of the protocol
        return state

    def resolvable(self, state: S, rows: Rows) -> BoolArray:  # noqa: ARG002 - part of the protocol
        return np.full(len(rows), self.preemptible)

    def reasons(self, state: S, row: int) -> tuple[str, ...]:  # noqa: ARG002 - part of the protocol
        return (self.reason,)

    def count_reasons(self, state: S, rows: Rows) -> Mapping[str, int]:
        if self.reason:
            return {self.reason: len(rows)}
        return Counter(reason for row in rows.tolist() for reason in self.reasons(state, row))


class PriorityBase(Generic[S]):
    """Defaults for priorities that need no reduce step."""

    def normalize(self, state: S, scores: IntArray) -> IntArray:  # noqa: ARG002 - part of the protocol
        return scores
