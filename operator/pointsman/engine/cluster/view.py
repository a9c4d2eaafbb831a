"""The reading face of the columns: what rules see (policy.view.ClusterView).

Split from the mutators so that each half can be read alone. Every array is live and read-only: valid until the next
change of the cluster, that is, for the one decision that asked for it.
"""

from collections.abc import Mapping, Sequence

from pointsman.engine.cluster.attached_volumes import AttachedVolumes
from pointsman.engine.cluster.carried_terms import CarriedTerms
from pointsman.engine.cluster.csi_nodes import CSINodes
from pointsman.engine.cluster.disk_pods import DiskPods
from pointsman.engine.cluster.disruption_budgets import DisruptionBudget, DisruptionBudgets
from pointsman.engine.cluster.images import Images
from pointsman.engine.cluster.journal import Journal
from pointsman.engine.cluster.labels import Labels
from pointsman.engine.cluster.namespaces import Namespaces
from pointsman.engine.cluster.owners import Owners
from pointsman.engine.cluster.pod_counts import PodCounts
from pointsman.engine.cluster.pods import Ledger
from pointsman.engine.cluster.ports import HostPorts
from pointsman.engine.cluster.priorities import Priorities
from pointsman.engine.cluster.resources import Resources
from pointsman.engine.cluster.rows import Rows
from pointsman.engine.cluster.storage import Storage
from pointsman.engine.cluster.taints import Taints
from pointsman.kube.storage_objects import CSINode
from pointsman.policy.owners_view import OwnersView
from pointsman.policy.pod import HostPort
from pointsman.policy.pod_query import PodQuery, Selector
from pointsman.policy.resource_names import PODS
from pointsman.policy.view import (
    BoolArray,
    CarriedTerm,
    ImageState,
    IntArray,
    LabelColumn,
    Pods,
    PodsBelow,
    TaintKey,
    TermKind,
)
from pointsman.policy.view import Rows as RowArray
from pointsman.policy.volumes.attached import attached_by_driver, attached_by_kind


class Columns:
    """All columns, empty at first, with room for `capacity` nodes (at least one) before they grow."""

    def __init__(self, capacity: int = 64) -> None:
        self.journal = Journal()
        self._rows = Rows(capacity)
        self._labels = Labels(capacity)
        self._annotations = Labels(capacity)
        self._features = Labels(capacity)  # declared ones, as keys without values
        self._resources = Resources(capacity)
        self._priorities = Priorities(capacity)
        self._budgets = DisruptionBudgets()
        self._taints = Taints(capacity)
        self._ports = HostPorts()
        self._images = Images(capacity)
        self._pod_counts = PodCounts(capacity)
        self._carried_terms = CarriedTerms(capacity)
        self._owners = Owners()
        self._storage = Storage()
        self._ledger = Ledger()
        self._disk_pods = DiskPods()
        self._csi_nodes = CSINodes(capacity, self._csi_node_on)
        self._by_driver = AttachedVolumes(capacity, attached_by_driver, self._storage, self.pods_on, self.node_name)
        self._by_kind = AttachedVolumes(capacity, attached_by_kind, self._storage, self.pods_on, self.node_name)
        self._namespaces = Namespaces()

    @property
    def capacity(self) -> int:
        return self._rows.capacity

    @property
    def node_count(self) -> int:
        return len(self._rows)

    def rows(self) -> BoolArray:
        """bool (capacity,): the rows that stand for a node."""
        return self._rows.used

    def node_rows(self) -> RowArray:
        return self._rows.used.nonzero()[0]

    def node_name(self, row: int) -> str:
        return self._rows.name(row)

    def row_of(self, name: str) -> int | None:
        return self._rows.row_of(name)

    def labels(self, key: str) -> LabelColumn:
        return self._labels.column(key)

    def labels_of(self, row: int) -> dict[str, str]:
        return self._labels.of(row)

    def annotations(self, key: str) -> LabelColumn:
        return self._annotations.column(key)

    def declares(self, feature: str) -> BoolArray:
        return self._features.column(feature).ids >= 0

    def allocatable(self, resource: str) -> IntArray:
        return self._resources.allocatable(resource)

    def requested(self, resource: str) -> IntArray:
        return self._resources.requested(resource)

    def nonzero_requested(self, resource: str) -> IntArray:
        return self._resources.nonzero_requested(resource)

    def allowed_pods(self) -> IntArray:
        return self._resources.allocatable(PODS)

    def pod_count(self) -> IntArray:
        return self._resources.pod_count()

    def unschedulable(self) -> BoolArray:
        return self._taints.unschedulable()

    def taints(self) -> dict[TaintKey, BoolArray]:
        return self._taints.rows()

    def taints_of(self, row: int) -> Sequence[TaintKey]:
        return self._taints.of(row)

    def port_users(self, port: HostPort) -> IntArray:
        return self._ports.users(port, self.capacity)

    def used_ports(self, protocol: str, port: int) -> Sequence[HostPort]:
        return self._ports.used(protocol, port)

    def image(self, name: str) -> ImageState | None:
        return self._images.state(name)

    def pods_on(self, row: int) -> Pods:
        return tuple(self._ledger.on(self._rows.name(row)))

    def pod_counts(self, query: PodQuery) -> IntArray:
        return self._pod_counts.counts(query)

    def carried_terms(self, kind: TermKind, labels: Mapping[str, str] | None = None) -> Sequence[CarriedTerm]:
        return self._carried_terms.of_kind(kind, labels)

    def namespaces_matching(self, selector: Selector) -> frozenset[str]:
        return self._namespaces.matching(selector)

    @property
    def owners(self) -> OwnersView:
        return self._owners

    @property
    def storage(self) -> Storage:
        return self._storage

    @property
    def csi_nodes(self) -> CSINodes:
        return self._csi_nodes

    @property
    def attached_by_driver(self) -> AttachedVolumes:
        return self._by_driver

    @property
    def attached_by_kind(self) -> AttachedVolumes:
        return self._by_kind

    def pods_with_disks(self) -> Mapping[int, Pods]:
        return self._disk_pods.by_row()

    def pods_below(self, priority: int) -> PodsBelow:
        """What pods of lower priority hold on each row."""
        return self._priorities.below(priority)

    def disruption_budgets(self, namespace: str) -> Sequence[DisruptionBudget]:
        return self._budgets.of(namespace)

    def namespace_labels(self, namespace: str) -> dict[str, str] | None:
        return self._namespaces.get(namespace)

    def _csi_node_on(self, row: int) -> CSINode | None:
        name = self._rows.name(row)
        return self._storage.csi_node(name) if name else None
