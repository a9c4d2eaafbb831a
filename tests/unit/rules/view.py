"""A cluster view made by hand from nodes and pods, so that rules are tested without the engine's columns.

Row 0 belongs to a node that is gone: its columns hold rubbish, and no rule is ever asked about it. So a rule that
confuses rows with positions, or looks at rows it was not asked about, fails here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.unit.rules.attached import RUBBISH_ATTACHED, HandAttached, HandCSINodes
from tests.unit.rules.storage import HandStorage

from pointsman.engine.cluster.owners import Owners
from pointsman.kube.objects import Node, Pod
from pointsman.kube.quantity import to_milli, to_value
from pointsman.kube.storage_objects import StorageObject
from pointsman.kube.workload_objects import Controller, Service
from pointsman.policy.accounting import pod_info
from pointsman.policy.affinity_terms import AffinityTerm
from pointsman.policy.integers import wrapped
from pointsman.policy.pod import HostPort, PodInfo
from pointsman.policy.pod_query import PodQuery, Selector
from pointsman.policy.rule import Predicate, Priority, Reject, Skip
from pointsman.policy.view import (
    BoolArray,
    CarriedTerm,
    ImageState,
    IntArray,
    LabelColumn,
    Pods,
    Rows,
    TaintKey,
    TermKind,
)
from pointsman.policy.volumes.attached import Attaching, attached_by_driver, attached_by_kind
from pointsman.policy.volumes.disks import disks_of

RUBBISH = 7
GONE = "gone"


@dataclass
class HandView:
    """Columns over row 0, which is nobody's, and one row per node in the given order."""

    nodes: Sequence[Node]
    pods: Sequence[Pod] = ()
    services: Sequence[Service] = ()
    controllers: Sequence[Controller] = ()
    objects: Sequence[StorageObject] = ()
    namespaces: dict[str, dict[str, str]] = field(default_factory=lambda: {"default": {}})
    infos: Sequence[PodInfo] = field(init=False)

    def __post_init__(self) -> None:
        self.infos = [pod_info(pod) for pod in self.pods]

    @property
    def rows(self) -> Rows:
        return np.arange(1, len(self.nodes) + 1, dtype=np.intp)

    def node_rows(self) -> Rows:
        return self.rows

    @property
    def capacity(self) -> int:
        return len(self.nodes) + 1

    @property
    def node_count(self) -> int:
        return len(self.nodes)

    def node_name(self, row: int) -> str:
        return self.nodes[row - 1].metadata.name if row > 0 else GONE

    def row_of(self, name: str) -> int | None:
        return next((row for row in self.rows.tolist() if self.node_name(row) == name), None)

    def labels(self, key: str) -> LabelColumn:
        values = ["rubbish", *sorted({node.metadata.labels[key] for node in self.nodes if key in node.metadata.labels})]
        found = [node.metadata.labels.get(key) for node in self.nodes]
        ids = [0, *(-1 if value is None else values.index(value) for value in found)]
        return LabelColumn(np.array(ids, dtype=np.int32), values)

    def annotations(self, key: str) -> LabelColumn:
        found = [node.metadata.annotations.get(key) for node in self.nodes]
        values = ["rubbish", *sorted({value for value in found if value is not None})]
        ids = [0, *(-1 if value is None else values.index(value) for value in found)]
        return LabelColumn(np.array(ids, dtype=np.int32), values)

    def declares(self, feature: str) -> BoolArray:
        return np.array([True, *(feature in node.status.declared_features for node in self.nodes)])

    def allocatable(self, resource: str) -> IntArray:
        convert = to_milli if resource == "cpu" else to_value
        return _column([convert(node.status.allocatable.get(resource, "0")) for node in self.nodes])

    def requested(self, resource: str) -> IntArray:
        return self._sum(lambda pod: pod.usage.get(resource, 0))

    def nonzero_requested(self, resource: str) -> IntArray:
        names = {"cpu": "nonzero_usage_cpu", "memory": "nonzero_usage_memory"}
        return self._sum(lambda pod: getattr(pod, names[resource]))

    def allowed_pods(self) -> IntArray:
        return self.allocatable("pods")

    def pod_count(self) -> IntArray:
        return self._sum(lambda _: 1)

    def unschedulable(self) -> BoolArray:
        return np.array([True, *(node.spec.unschedulable for node in self.nodes)])

    def taints(self) -> dict[TaintKey, BoolArray]:
        distinct = {taint for row in self.rows.tolist() for taint in self.taints_of(row)}
        return {
            taint: np.array([True, *(taint in self.taints_of(row) for row in self.rows.tolist())]) for taint in distinct
        }

    def taints_of(self, row: int) -> Sequence[TaintKey]:
        return [TaintKey(taint.key, taint.value, taint.effect) for taint in self.nodes[row - 1].spec.taints]

    def port_users(self, port: HostPort) -> IntArray:
        return self._sum(lambda pod: int(port in pod.host_ports))

    def used_ports(self, protocol: str, port: int) -> Sequence[HostPort]:
        used = {entry for pod in self.infos for entry in pod.host_ports}
        return sorted(entry for entry in used if (entry.protocol, entry.port) == (protocol, port))

    def image(self, name: str) -> ImageState | None:
        sizes = [
            {alias: image.size_bytes for image in node.status.images for alias in image.names or ()}
            for node in self.nodes
        ]
        present = [name in held for held in sizes]
        if not any(present):
            return None
        return ImageState(sizes[present.index(True)][name], np.array([True, *present]), sum(present))

    def pods_on(self, row: int) -> Pods:
        return [pod for pod in self.infos if pod.node_name == self.node_name(row)]

    def pod_counts(self, query: PodQuery) -> IntArray:
        return self._sum(lambda pod: query.counts(pod.namespace, pod.pod.metadata.labels, terminating=pod.terminating))

    @property
    def owners(self) -> Owners:
        known = Owners()
        for service in self.services:
            known.upsert_service(service)
        for controller in self.controllers:
            known.upsert_controller(controller)
        return known

    @property
    def csi_nodes(self) -> HandCSINodes:
        return HandCSINodes(self.nodes, self.storage)

    @property
    def attached_by_driver(self) -> HandAttached:
        return self._attached(attached_by_driver)

    @property
    def attached_by_kind(self) -> HandAttached:
        return self._attached(attached_by_kind)

    def pods_with_disks(self) -> Mapping[int, Pods]:
        return {row: pods for row in self.rows.tolist() if (pods := [p for p in self.pods_on(row) if disks_of(p.pod)])}

    def _attached(self, attaching: Attaching) -> HandAttached:
        found = [attaching(self.pods_on(row), self.node_name(row), self.storage) for row in self.rows.tolist()]
        return HandAttached([RUBBISH_ATTACHED, *found])

    @property
    def storage(self) -> HandStorage:
        placed = [(row, pod) for row in self.rows.tolist() for pod in self.pods_on(row)]
        return HandStorage(self.objects, placed)

    def carried_terms(self, kind: TermKind, labels: Mapping[str, str] | None = None) -> Sequence[CarriedTerm]:  # noqa: ARG002 - the rest is allowed too
        """Unlike the engine's, all of them, and not in one entry where pods carry equal terms."""
        carried: list[tuple[PodInfo, AffinityTerm]] = [
            (pod, term) for pod in self.infos for term in getattr(pod.affinity, kind.name.lower())
        ]
        places = [[int(row == self.row_of(pod.node_name)) for row in self.rows.tolist()] for pod, _ in carried]
        return [CarriedTerm(*term, carriers=_column(at)) for (_, term), at in zip(carried, places, strict=True)]

    def namespaces_matching(self, selector: Selector) -> frozenset[str]:
        return frozenset(name for name, labels in self.namespaces.items() if selector.matches(labels))

    def namespace_labels(self, namespace: str) -> dict[str, str] | None:
        return self.namespaces.get(namespace)

    def _sum(self, amount: Any) -> IntArray:
        return _column([int(wrapped(sum(map(amount, self.pods_on(row))))) for row in self.rows.tolist()])


def _column(values: Sequence[int]) -> IntArray:
    return np.array([RUBBISH, *values], dtype=np.int64)


def feasible(rule: Predicate[Any], view: HandView, pod: PodInfo) -> list[str]:
    """Names of the nodes that a predicate lets pass, in the order of the nodes."""
    state = rule.prepare(pod, view)
    if isinstance(state, Reject):
        return []
    answer = np.ones(len(view.rows), dtype=np.bool_) if isinstance(state, Skip) else rule.feasible(state, view.rows)
    assert answer.dtype == np.bool_
    return [view.node_name(row) for row in view.rows[answer].tolist()]


def reasons(rule: Predicate[Any], view: HandView, pod: PodInfo) -> dict[str, tuple[str, ...]]:
    """Why each other node does not pass."""
    state = rule.prepare(pod, view)
    assert not isinstance(state, Skip | Reject)
    failing = view.rows[~rule.feasible(state, view.rows)].tolist()
    return {view.node_name(row): rule.reasons(state, row) for row in failing}


def raw_scores(rule: Priority[Any], view: HandView, pod: PodInfo) -> list[int] | None:
    """Scores before the reduce step in the order of the nodes; None when the rule has nothing to say."""
    state = rule.prepare(pod, view)
    if isinstance(state, Skip):
        return None
    raw: list[int] = rule.score(state, view.rows).tolist()
    return raw


def scores(rule: Priority[Any], view: HandView, pod: PodInfo) -> list[int] | None:
    """Scores after the reduce step in the order of the nodes; None when the rule has nothing to say."""
    state = rule.prepare(pod, view)
    if isinstance(state, Skip):
        return None
    normalized = rule.normalize(state, rule.score(state, view.rows))
    assert normalized.dtype == np.int64
    result: list[int] = normalized.tolist()
    return result
