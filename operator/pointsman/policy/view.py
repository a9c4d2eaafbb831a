"""What a rule may see of the cluster: nodes as rows of columns.

`engine.cluster` owns the arrays; rules get this read-only face of them, so that `policy` needs nothing of the engine
and a test can build a small view by hand. A row is an index into every column; rows of removed nodes are reused and
are never among the rows that a rule is asked about. Columns are views into live arrays: a rule must not write into
them and must not keep them beyond the cycle whose `prepare` handed them out.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.pod import HostPort, PodInfo

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
IdArray = NDArray[np.int32]
Rows = NDArray[np.intp]
Pods = Sequence[PodInfo]


class LabelColumn(NamedTuple):
    """One label key over all rows: `ids[row]` indexes `values`, -1 where the node lacks the key."""

    ids: IdArray  # shape (capacity,)
    values: Sequence[str]


class TaintKey(NamedTuple):
    """A distinct taint; the interned unit of taint columns."""

    key: str
    value: str
    effect: str


class ImageState(NamedTuple):
    """One image name: the size in bytes that the first node reported, the rows that hold it."""

    size: int
    present: BoolArray  # shape (capacity,)
    nodes: int  # how many rows hold it


class ClusterView(Protocol):
    """Columns over all rows; `capacity` is their length, `node_count` the number of real nodes in them."""

    @property
    def capacity(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    def node_name(self, row: int) -> str: ...
    def row_of(self, name: str) -> int | None:
        """Row of a node, None when there is no such node."""
        ...

    def labels(self, key: str) -> LabelColumn: ...
    def allocatable(self, resource: str) -> IntArray:
        """int64 (capacity,): cpu in millicores, the rest in base units; 0 where a node does not name it."""
        ...

    def requested(self, resource: str) -> IntArray:
        """int64 (capacity,): sum of the requests of all pods on the node, whoever placed them."""
        ...

    def nonzero_requested(self, resource: str) -> IntArray:
        """The same with kube-scheduler's defaults for missing requests; only "cpu" and "memory"."""
        ...

    def allowed_pods(self) -> IntArray: ...
    def pod_count(self) -> IntArray: ...
    def unschedulable(self) -> BoolArray: ...
    def taints(self) -> dict[TaintKey, BoolArray]:
        """Every distinct taint in the cluster with the rows that carry it."""
        ...

    def taints_of(self, row: int) -> Sequence[TaintKey]:
        """A node's taints in the order of its spec."""
        ...

    def port_users(self, port: HostPort) -> IntArray:
        """How many pods on each row use exactly this (address, protocol, port); zeros when nobody does."""
        ...

    def used_ports(self, protocol: str, port: int) -> Sequence[HostPort]:
        """The distinct host ports in use anywhere with this protocol and number, over all addresses."""
        ...

    def image(self, name: str) -> ImageState | None: ...
    def pods_on(self, row: int) -> Pods: ...
    def pods_with_required_anti_affinity(self) -> Sequence[tuple[int, PodInfo]]:
        """(row, pod) of every assigned pod with required anti-affinity terms; short in most clusters."""
        ...

    def namespace_labels(self, namespace: str) -> dict[str, str] | None:
        """Labels of a namespace, None when it is not known."""
        ...
