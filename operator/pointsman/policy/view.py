"""What a rule may see of the cluster: nodes as rows of columns.

`engine.cluster` owns the arrays; rules get this read-only face of them, so that `policy` needs nothing of the engine
and a test can build a small view by hand. A row is an index into every column; rows of removed nodes are reused and
are never among the rows that a rule is asked about. Columns are views into live arrays: a rule must not write into
them and must not keep them beyond the cycle whose `prepare` handed them out.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pointsman.policy.owners_view import OwnersView
from pointsman.policy.pod import HostPort, PodInfo
from pointsman.policy.pod_query import PodQuery, Selector
from pointsman.policy.storage_view import AttachedView, CSINodesView, StorageView

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
IdArray = NDArray[np.int32]
Rows = NDArray[np.intp]
Pods = Sequence[PodInfo]

KEPT_ANNOTATIONS: Final = frozenset({"scheduler.alpha.kubernetes.io/preferAvoidPods"})


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


class PodsBelow(NamedTuple):
    """What the pods of lower priority than some pod's hold on each row: room that preemption could make."""

    pods: IntArray  # how many there are, shape (capacity,)
    usage: Callable[[str], IntArray]  # what they use of a resource, shape (capacity,)


class TermKind(Enum):
    """The four lists of pod affinity terms that a pod may carry."""

    REQUIRED = auto()
    PREFERRED = auto()
    REQUIRED_ANTI = auto()
    PREFERRED_ANTI = auto()


class CarriedTerm(NamedTuple):
    """A distinct pod affinity term of assigned pods, and how many pods on each row carry it."""

    topology_key: str
    namespaces: frozenset[str]  # listed, or the carrying pod's own where it names none
    namespace_selector: Selector  # on labels of the other pod's namespace; matches nothing when absent
    selector: Selector
    weight: int  # 0 for required terms
    carriers: IntArray  # shape (capacity,)


class ClusterView(Protocol):
    """Columns over all rows; `capacity` is their length, `node_count` the number of real nodes in them."""

    @property
    def capacity(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    def node_rows(self) -> Rows:
        """The rows that stand for a node; all others hold nothing that counts."""
        ...

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
    def pod_counts(self, query: PodQuery) -> IntArray:
        """int64 (capacity,): how many assigned pods of each row the query counts. Kept up to date once asked for."""
        ...

    def carried_terms(self, kind: TermKind, labels: Mapping[str, str] | None = None) -> Sequence[CarriedTerm]:
        """Every distinct term of this kind that pods on known nodes carry.

        With labels, at least those that mean a pod of these labels; most of the others are left out.
        """
        ...

    def declares(self, feature: str) -> BoolArray:
        """bool (capacity,): the rows whose nodes name the feature in status.declaredFeatures."""
        ...

    def annotations(self, key: str) -> LabelColumn:
        """One annotation of nodes over all rows, like a label; only for keys of `KEPT_ANNOTATIONS`."""
        ...

    def namespaces_matching(self, selector: Selector) -> frozenset[str]:
        """Names of the known namespaces whose labels match."""
        ...

    @property
    def owners(self) -> OwnersView:
        """Services and controllers: whose pods belong together."""
        ...

    @property
    def storage(self) -> StorageView:
        """Claims, volumes, classes, and what nodes can attach."""
        ...

    @property
    def csi_nodes(self) -> CSINodesView:
        """Limits of drivers, by row."""
        ...

    @property
    def attached_by_driver(self) -> AttachedView:
        """Attached volumes by CSI driver."""
        ...

    @property
    def attached_by_kind(self) -> AttachedView:
        """Attached volumes by built-in kind, named as a provisioner, whoever serves them."""
        ...

    def pods_with_disks(self) -> Mapping[int, Pods]:
        """Rows with pods that mount disks without a claim (policy.volumes.disks), and those pods."""
        ...

    def namespace_labels(self, namespace: str) -> dict[str, str] | None:
        """Labels of a namespace, None when it is not known."""
        ...
