"""A naive model of the cluster: plain dictionaries, every column recomputed from scratch.

Only image sizes depend on history (the first node to report a name decides), so those are kept step by step.
"""

from collections import Counter
from dataclasses import dataclass, field

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import Node
from pointsman.kube.quantity import CEILING
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup, PodQuery, Selector
from pointsman.policy.view import TaintKey, TermKind

RESOURCES = ("cpu", "memory", "example.com/gpu", "example.com/never")
KEYS = ("zone", "disk", "never")
FEATURES = ("A", "B", "never")
IMAGES = ("a:1", "b:1", "never:1")
QUERIES = tuple(
    PodQuery((PodGroup(frozenset({namespace}), Selector().also(labels)),))
    for namespace, labels in (("default", {"version": "1"}), ("default", {}), ("never", {}))
)


def int64(amount: int) -> int:
    return (amount + 2**63) % 2**64 - 2**63


@dataclass
class Model:
    """`placed` holds (pod, node, assumed) by uid."""

    nodes: dict[str, Node] = field(default_factory=dict)
    placed: dict[str, tuple[PodInfo, str, bool]] = field(default_factory=dict)
    namespaces: dict[str, dict[str, str]] = field(default_factory=dict)
    images: dict[str, tuple[int, set[str]]] = field(default_factory=dict)

    def set_node(self, node: Node) -> None:
        before = self.nodes.get(node.metadata.name)
        if before is None or _reported(before) != _reported(node):
            self.drop_node(node.metadata.name)
            for name, size in _reported(node):
                self.images.setdefault(name, (size, set()))[1].add(node.metadata.name)
        self.nodes[node.metadata.name] = node

    def drop_node(self, name: str) -> None:
        self.nodes.pop(name, None)
        for image, (_, holders) in list(self.images.items()):
            holders.discard(name)
            if not holders:
                del self.images[image]

    def pods_on(self, node: str) -> list[PodInfo]:
        return [pod for pod, where, _ in self.placed.values() if where == node]


def _reported(node: Node) -> list[tuple[str, int]]:
    return [(name, image.size_bytes) for image in node.status.images for name in image.names or ()]


def compare(world: Cluster, model: Model) -> None:
    """Every column of every row, used or not, is what the model says."""
    rows = {name: world.row_of(name) for name in model.nodes}
    used = {row for row in rows.values() if row is not None}
    assert len(used) == len(model.nodes) == world.node_count
    assert set(world.rows().nonzero()[0].tolist()) == used
    for name, row in rows.items():
        assert row is not None
        _compare_node(world, model, name, row)
    for row in set(range(world.capacity)) - used:
        _compare_unused(world, row)
    _compare_images(world, model)
    _compare_taints_and_ports(world, model)
    _compare_carried_terms(world, model)
    for feature in FEATURES:
        declaring = {name for name, node in model.nodes.items() if feature in node.status.declared_features}
        assert {world.node_name(row) for row in world.declares(feature).nonzero()[0].tolist()} == declaring
    for query in QUERIES:
        _compare_pod_counts(world, model, query)
    assert {name: world.namespace_labels(name) for name in model.namespaces} == model.namespaces
    assert world.namespace_labels("never") is None
    for uid, (_, node, assumed) in model.placed.items():
        placement = world.placement(uid)
        assert placement is not None
        assert (placement.node, placement.assumed) == (node, assumed)


def _compare_node(world: Cluster, model: Model, name: str, row: int) -> None:
    node, pods = model.nodes[name], model.pods_on(name)
    assert world.node_name(row) == name
    for key in KEYS:
        column = world.labels(key)
        value = None if column.ids[row] == -1 else column.values[column.ids[row]]
        assert value == node.metadata.labels.get(key)
    for resource in RESOURCES:
        offered = min(int(node.status.allocatable.get(resource, 0)) * (1000 if resource == "cpu" else 1), CEILING)
        assert world.allocatable(resource)[row] == offered
        assert world.requested(resource)[row] == int64(sum(pod.usage.get(resource, 0) for pod in pods))
    assert world.nonzero_requested("cpu")[row] == int64(sum(pod.nonzero_usage_cpu for pod in pods))
    assert world.nonzero_requested("memory")[row] == int64(sum(pod.nonzero_usage_memory for pod in pods))
    assert world.allowed_pods()[row] == int(node.status.allocatable["pods"])
    assert world.pod_count()[row] == len(pods)
    assert world.unschedulable()[row] == node.spec.unschedulable
    assert {pod.uid for pod in world.pods_on(row)} == {pod.uid for pod in pods}
    assert list(world.taints_of(row)) == [TaintKey(t.key, t.value, t.effect) for t in node.spec.taints]


def _compare_unused(world: Cluster, row: int) -> None:
    assert world.node_name(row) == ""
    assert all(world.labels(key).ids[row] == -1 for key in KEYS)
    assert not any(world.allocatable(resource)[row] or world.requested(resource)[row] for resource in RESOURCES)
    assert not world.nonzero_requested("cpu")[row]
    assert not world.nonzero_requested("memory")[row]
    assert (world.allowed_pods()[row], world.pod_count()[row], world.unschedulable()[row]) == (0, 0, False)
    assert (world.pods_on(row), world.taints_of(row)) == ((), ())


def _compare_pod_counts(world: Cluster, model: Model, query: PodQuery) -> None:
    """Rows without a node count nobody."""
    expected = {
        name: sum(
            query.counts(pod.namespace, pod.pod.metadata.labels, terminating=False) for pod in model.pods_on(name)
        )
        for name in model.nodes
    }
    counts = world.pod_counts(query)
    assert {world.node_name(row): int(counts[row]) for row in counts.nonzero()[0].tolist()} == {
        name: count for name, count in expected.items() if count
    }


def _compare_images(world: Cluster, model: Model) -> None:
    for name in IMAGES:
        state, expected = world.image(name), model.images.get(name)
        if expected is None:
            assert state is None
            continue
        size, holders = expected
        assert state is not None
        assert (state.size, state.nodes) == (size, len(holders))
        assert {world.node_name(row) for row in state.present.nonzero()[0].tolist()} == holders


def _compare_taints_and_ports(world: Cluster, model: Model) -> None:
    taints: dict[TaintKey, set[str]] = {}
    for name, node in model.nodes.items():
        for taint in node.spec.taints:
            taints.setdefault(TaintKey(taint.key, taint.value, taint.effect), set()).add(name)
    found = {
        taint: {world.node_name(row) for row in rows.nonzero()[0].tolist()} for taint, rows in world.taints().items()
    }
    assert found == taints
    users = Counter(
        (port, name) for name in model.nodes for pod in model.pods_on(name) for port in frozenset(pod.host_ports)
    )
    ports = {port for port, _ in users}
    for protocol, number in {(port.protocol, port.port) for port in ports} | {("TCP", 1)}:
        assert set(world.used_ports(protocol, number)) == {
            port for port in ports if (port.protocol, port.port) == (protocol, number)
        }
    for port in ports:
        counts = world.port_users(port)
        assert {world.node_name(row): int(counts[row]) for row in counts.nonzero()[0].tolist()} == {
            name: count for (used, name), count in users.items() if used == port
        }


def _compare_carried_terms(world: Cluster, model: Model) -> None:
    for kind in TermKind:
        carried = Counter(
            (term, name)
            for name in model.nodes
            for pod in model.pods_on(name)
            for term in getattr(pod.affinity, kind.name.lower())
        )
        found = world.carried_terms(kind)
        assert len(found) == len({term for term, _ in carried})
        assert {
            (term[:5], world.node_name(row)): int(term.carriers[row])
            for term in found
            for row in term.carriers.nonzero()[0].tolist()
        } == carried
