"""The workloads: nodes, pods that are there already, pods to place, and what goes on meanwhile.

Shapes and names follow upstream's scheduler_perf (test/integration/scheduler_perf, 1.36): nodes of 4 cpu, 32Gi and 110
pods, pods of 100m and 500Mi. Numbers of pods are smaller where kube-scheduler takes minutes. All are plain manifests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

Manifest = dict[str, Any]
Maker = Callable[[int], Manifest]

SCHEDULER_NAME: Final = "bench"
NAMESPACE: Final = "default"
MEASURED: Final = "bench.example.com/measured"
ZONES: Final = ("moon-1", "moon-2", "moon-3")


@dataclass(frozen=True, slots=True)
class Workload:
    """`existing` pods are on nodes when the run starts, `waiting` ones pend then; only `measured` ones are timed."""

    name: str
    nodes: int
    measured: int
    make: Maker
    existing: int = 0
    make_existing: Maker | None = None
    waiting: int = 0
    make_waiting: Maker | None = None
    churn: bool = False
    frees_room: bool = False  # the measured pods fit only where others are evicted
    classes: tuple[Manifest, ...] = field(default=())  # PriorityClasses

    @property
    def title(self) -> str:
        return f"{self.name}-{self.nodes}"


def node(number: int) -> Manifest:
    """A node of the size that all workloads use, in one of three zones."""
    name = f"node-{number:05}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": ZONES[number % len(ZONES)]}
    capacity = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    status = {"capacity": capacity, "allocatable": capacity, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def pod(
    name: str, *, cpu: str = "100m", memory: str = "500Mi", labels: dict[str, str] | None = None, **spec: Any
) -> Manifest:
    """A pod of upstream's default size."""
    amounts = {"cpu": cpu, "memory": memory}
    container = {
        "name": "pause",
        "image": "registry.example.com/pause:3",
        "resources": {"requests": amounts, "limits": amounts},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {}},
        "spec": {
            "schedulerName": SCHEDULER_NAME,
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": False,
            "containers": [container],
            **spec,
        },
    }


def measured(manifest: Manifest) -> Manifest:
    """The same pod with the label by which the watcher knows it."""
    metadata = manifest["metadata"]
    return {**manifest, "metadata": {**metadata, "labels": {**metadata["labels"], MEASURED: "true"}}}


def _plain(prefix: str) -> Maker:
    return lambda number: pod(f"{prefix}-{number:05}")


def _labelled(prefix: str, labels: dict[str, str], **spec: Any) -> Maker:
    return lambda number: pod(f"{prefix}-{number:05}", labels=labels, **spec)


def _term(key: str, labels: dict[str, str]) -> Manifest:
    return {"topologyKey": key, "labelSelector": {"matchLabels": labels}}


def _affine(half: str, key: str, labels: dict[str, str], *, required: bool) -> Manifest:
    term = _term(key, labels)
    if required:
        return {half: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    weighted = {"weight": 1, "podAffinityTerm": term}
    return {half: {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def _spread(key: str, skew: int) -> list[Manifest]:
    selector = {"matchLabels": {"color": "blue"}}
    return [{"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]


def workloads(nodes: int) -> Iterator[Workload]:
    """Every workload on a cluster of this many nodes."""
    zone, host = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
    green, blue, red = {"color": "green"}, {"color": "blue"}, {"color": "red"}
    zones = {"matchExpressions": [{"key": zone, "operator": "In", "values": list(ZONES[:2])}]}
    in_zones = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [zones]}}}
    apart = _affine("podAntiAffinity", host, green, required=True)
    together = _affine("podAffinity", zone, blue, required=True)
    closer = _affine("podAffinity", host, red, required=False)
    yield Workload("basic", nodes, min(5000, 10 * nodes), _plain("basic"), existing=1000, make_existing=_plain("old"))
    yield Workload("node-affinity", nodes, 3000, _labelled("affine", {}, affinity=in_zones))
    yield _with_own_kind(
        "pod-anti-affinity", nodes, 300, min(1000, nodes // 2), _labelled("green", green, affinity=apart)
    )
    yield _with_own_kind("pod-affinity", nodes, 2000, 1000, _labelled("blue", blue, affinity=together))
    yield _with_own_kind("preferred-pod-affinity", nodes, 2000, 1000, _labelled("red", red, affinity=closer))
    for name, key, skew in (("spread-zone", zone, 5), ("spread-hostname", host, 1)):
        make = _labelled("spread", blue, topologySpreadConstraints=_spread(key, skew))
        yield Workload(name, nodes, 1500, make, existing=1000, make_existing=_plain("old"))
    yield Workload("mixed-churn", nodes, 3000, _plain("basic"), churn=True)
    yield Workload(
        "backlog", nodes, 2000, _plain("basic"), waiting=5000, make_waiting=lambda n: pod(f"huge-{n:05}", cpu="9")
    )


def preemption(nodes: int) -> Workload:
    """A full cluster of low pods, four on a node, and high pods of which each needs three of them gone (1.36)."""
    classes = tuple(_priority_class(name, value) for name, value in (("low", 1), ("high", 10)))
    low: Maker = lambda number: pod(f"low-{number:05}", cpu="900m", priorityClassName="low")  # noqa: E731
    high: Maker = lambda number: pod(f"high-{number:05}", cpu="3000m", priorityClassName="high")  # noqa: E731
    return Workload(
        "preemption",
        nodes,
        nodes // 2,
        high,
        existing=4 * nodes,
        make_existing=low,
        frees_room=True,
        classes=classes,
    )


def _with_own_kind(name: str, nodes: int, existing: int, count: int, make: Maker) -> Workload:
    """A workload whose existing pods are like the measured ones, but for their names."""

    def old(number: int) -> Manifest:
        manifest = make(number)
        return {**manifest, "metadata": {**manifest["metadata"], "name": f"old-{number:05}"}}

    return Workload(name, nodes, count, make, existing=existing, make_existing=old)


def _priority_class(name: str, value: int) -> Manifest:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    return {**kind, "value": value, "globalDefault": False, "description": "for measurements"}
