"""Nodes and pods for tests, in one readable line each.

    node("n1").cpu("4").memory("32Gi").label("zone", "a").taint("gpu", effect="NoSchedule").build()
    pod("web").container(cpu="100m", image="nginx:1.29").tolerate("gpu").on("n1").build()

Builders are immutable: every call gives a new one, so that a half-built object can be shared by many tests. What has no
method of its own goes through `spec`, `status` and `metadata`, which take any field of the wire structs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec

from pointsman.kube.objects import (
    Affinity,
    ClaimVolumeSource,
    Container,
    ContainerImage,
    ContainerPort,
    LabelSelector,
    Metadata,
    Node,
    NodeAffinity,
    NodeSelector,
    NodeSelectorTerm,
    NodeStatus,
    OwnerReference,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PodStatus,
    PreferredSchedulingTerm,
    Requirement,
    Resources,
    SchedulingGate,
    Taint,
    Toleration,
    TopologySpreadConstraint,
    Volume,
    WeightedPodAffinityTerm,
)
from pointsman.policy.accounting import pod_info
from pointsman.policy.pod import PodInfo

Amount = str | int | float
T = TypeVar("T", Node, Pod)


@dataclass(frozen=True, slots=True)
class _Builder(Generic[T]):
    draft: T
    kind: ClassVar[str]

    def metadata(self, **fields: Any) -> Self:
        return self._with(metadata=msgspec.structs.replace(self.draft.metadata, **fields))

    def spec(self, **fields: Any) -> Self:
        return self._with(spec=msgspec.structs.replace(self.draft.spec, **fields))

    def status(self, **fields: Any) -> Self:
        return self._with(status=msgspec.structs.replace(self.draft.status, **fields))

    def label(self, key: str, value: str = "") -> Self:
        return self.metadata(labels={**self.draft.metadata.labels, key: value})

    def build(self) -> T:
        return self.draft

    def manifest(self) -> dict[str, Any]:
        """The object as an API server takes it."""
        return {"apiVersion": "v1", "kind": self.kind, **msgspec.json.decode(msgspec.json.encode(self.draft))}

    def _with(self, **parts: Any) -> Self:
        return replace(self, draft=msgspec.structs.replace(self.draft, **parts))


class NodeBuilder(_Builder[Node]):
    """A node with room for 64 cpu, 256Gi, 1Ti and 110 pods, and its hostname label, unless told otherwise."""

    __slots__ = ()
    kind = "Node"

    def allocatable(self, name: str, amount: Amount | None) -> Self:
        """Set one resource; None takes it away."""
        kept = {key: value for key, value in self.draft.status.allocatable.items() if key != name}
        return self.status(allocatable=kept if amount is None else {**kept, name: amount})

    def cpu(self, amount: Amount) -> Self:
        return self.allocatable("cpu", amount)

    def memory(self, amount: Amount) -> Self:
        return self.allocatable("memory", amount)

    def pods(self, amount: Amount) -> Self:
        return self.allocatable("pods", amount)

    def taint(self, key: str, value: str = "", effect: str = "NoSchedule") -> Self:
        return self.spec(taints=(*self.draft.spec.taints, Taint(key=key, value=value, effect=effect)))

    def unschedulable(self) -> Self:
        return self.spec(unschedulable=True)

    def image(self, *names: str, size: int) -> Self:
        """An image that the node holds, under all its names; `size` in bytes."""
        return self.status(images=(*self.draft.status.images, ContainerImage(names=names, size_bytes=size)))


class PodBuilder(_Builder[Pod]):
    """A pod without containers: `container` adds one at a time."""

    __slots__ = ()
    kind = "Pod"

    def container(self, **fields: Any) -> Self:
        """See `container`."""
        return self.spec(containers=(*self.draft.spec.containers, container(**fields)))

    def init_container(self, **fields: Any) -> Self:
        """See `container`; `restart_policy="Always"` makes a sidecar."""
        return self.spec(init_containers=(*self.draft.spec.init_containers, container(**fields)))

    def pod_requests(self, **amounts: Amount) -> Self:
        """Pod-level requests."""
        return self.spec(resources=Resources(requests=_named(amounts)))

    def overhead(self, **amounts: Amount) -> Self:
        return self.spec(overhead=_named(amounts))

    def priority(self, value: int) -> Self:
        return self.spec(priority=value)

    def tolerate(self, key: str = "", operator: str = "Exists", value: str = "", effect: str = "") -> Self:
        toleration = Toleration(key=key, operator=operator, value=value, effect=effect)
        return self.spec(tolerations=(*self.draft.spec.tolerations, toleration))

    def select(self, key: str, value: str) -> Self:
        """Add to the nodeSelector."""
        return self.spec(node_selector={**self.draft.spec.node_selector, key: value})

    def require(self, *terms: NodeSelectorTerm) -> Self:
        """Required node affinity; the terms are alternatives."""
        selector = NodeSelector(node_selector_terms=terms)
        return self._node_affinity(required_during_scheduling_ignored_during_execution=selector)

    def prefer(self, *terms: tuple[int, NodeSelectorTerm]) -> Self:
        """Preferred node affinity, as (weight, term)."""
        preferred = tuple(PreferredSchedulingTerm(weight=weight, preference=term) for weight, term in terms)
        return self._node_affinity(preferred_during_scheduling_ignored_during_execution=preferred)

    def claim(self, name: str, *, read_only: bool = False) -> Self:
        """A volume that names a persistentVolumeClaim, and has its name."""
        source = ClaimVolumeSource(claim_name=name, read_only=read_only)
        return self.spec(volumes=(*self.draft.spec.volumes, Volume(name=name, persistent_volume_claim=source)))

    def ephemeral_claim(self, name: str) -> Self:
        """A generic ephemeral volume; its claim is called POD-NAME."""
        return self.spec(volumes=(*self.draft.spec.volumes, Volume(name=name, ephemeral={})))

    def spread(self, key: str, selector: LabelSelector | None, when: str = "DoNotSchedule", **fields: Any) -> Self:
        """Add a spread constraint."""
        constraint = TopologySpreadConstraint(
            topology_key=key, label_selector=selector, when_unsatisfiable=when, **fields
        )
        return self.spec(topology_spread_constraints=(*self.draft.spec.topology_spread_constraints, constraint))

    def controlled_by(self, kind: str, name: str, api_version: str = "apps/v1") -> Self:
        """Owned by the controller that made it."""
        owner = OwnerReference(kind=kind, name=name, api_version=api_version, controller=True)
        return self.metadata(owner_references=(*self.draft.metadata.owner_references, owner))

    def near(self, *terms: PodAffinityTerm) -> Self:
        """Required pod affinity."""
        return self._pod_affinity("pod_affinity", required_during_scheduling_ignored_during_execution=terms)

    def far(self, *terms: PodAffinityTerm) -> Self:
        """Required pod anti-affinity."""
        return self._pod_affinity("pod_anti_affinity", required_during_scheduling_ignored_during_execution=terms)

    def prefer_near(self, *terms: tuple[int, PodAffinityTerm]) -> Self:
        """Preferred pod affinity, as (weight, term)."""
        weighted = tuple(WeightedPodAffinityTerm(weight=weight, pod_affinity_term=term) for weight, term in terms)
        return self._pod_affinity("pod_affinity", preferred_during_scheduling_ignored_during_execution=weighted)

    def prefer_far(self, *terms: tuple[int, PodAffinityTerm]) -> Self:
        """Preferred pod anti-affinity, as (weight, term)."""
        weighted = tuple(WeightedPodAffinityTerm(weight=weight, pod_affinity_term=term) for weight, term in terms)
        return self._pod_affinity("pod_anti_affinity", preferred_during_scheduling_ignored_during_execution=weighted)

    def gate(self, *names: str) -> Self:
        return self.spec(scheduling_gates=tuple(SchedulingGate(name=name) for name in names))

    def on(self, node_name: str) -> Self:
        """Bound and running."""
        return self.spec(node_name=node_name).status(phase="Running")

    def terminating(self) -> Self:
        return self.metadata(deletion_timestamp="2026-01-01T00:00:00Z")

    def info(self) -> PodInfo:
        """The pod as rules, queue and columns see it."""
        return pod_info(self.draft)

    def _node_affinity(self, **fields: Any) -> Self:
        affinity = self.draft.spec.affinity or Affinity()
        changed = msgspec.structs.replace(affinity.node_affinity or NodeAffinity(), **fields)
        return self.spec(affinity=msgspec.structs.replace(affinity, node_affinity=changed))

    def _pod_affinity(self, half: str, **fields: Any) -> Self:
        affinity = self.draft.spec.affinity or Affinity()
        changed = msgspec.structs.replace(getattr(affinity, half) or PodAffinity(), **fields)
        return self.spec(affinity=msgspec.structs.replace(affinity, **{half: changed}))


def node(name: str) -> NodeBuilder:
    """Start a node."""
    room = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "110"}
    metadata = Metadata(name=name, uid=f"node-{name}", labels={"kubernetes.io/hostname": name})
    return NodeBuilder(Node(metadata=metadata, status=NodeStatus(allocatable=dict(room))))


def pod(name: str, namespace: str = "default") -> PodBuilder:
    """Start a pending pod; its uid is made of its names."""
    metadata = Metadata(name=name, namespace=namespace, uid=f"pod-{namespace}-{name}")
    return PodBuilder(Pod(metadata=metadata, spec=PodSpec(), status=PodStatus(phase="Pending")))


def container(
    name: str = "main",
    image: str = "",
    ports: tuple[ContainerPort, ...] = (),
    restart_policy: str = "",
    requests: Mapping[str, Amount] = MappingProxyType({}),
    **amounts: Amount,
) -> Container:
    """A container that requests `amounts` (`ephemeral_storage="1Gi"`) and `requests`, for names that need quotes."""
    resources = Resources(requests={**requests, **_named(amounts)})
    return Container(name=name, image=image, ports=ports, restart_policy=restart_policy, resources=resources)


def host_port(port: int, address: str = "", protocol: str = "") -> ContainerPort:
    """A container port that takes the same number on the host."""
    return ContainerPort(container_port=port, host_port=port, host_ip=address, protocol=protocol)


def term(*expressions: tuple[str, ...], fields: Sequence[tuple[str, ...]] = ()) -> NodeSelectorTerm:
    """A node selector term; an expression is (key, operator, *values)."""
    return NodeSelectorTerm(match_expressions=_requirements(expressions), match_fields=_requirements(fields))


def asks(*expressions: tuple[str, ...], **labels: str) -> LabelSelector:
    """A label selector: labels that must be equal, and expressions as (key, operator, *values)."""
    return LabelSelector(match_labels=labels, match_expressions=_requirements(expressions))


def pod_term(topology_key: str, pods: LabelSelector | None, **fields: Any) -> PodAffinityTerm:
    """A pod affinity term; `fields` are `namespaces` and `namespace_selector`."""
    return PodAffinityTerm(topology_key=topology_key, label_selector=pods, **fields)


def _requirements(expressions: Sequence[tuple[str, ...]]) -> tuple[Requirement, ...]:
    return tuple(Requirement(key=key, operator=how, values=tuple(values)) for key, how, *values in expressions)


def _named(amounts: Mapping[str, Amount]) -> dict[str, Amount]:
    return {name.replace("_", "-"): amount for name, amount in amounts.items()}
