"""Objects as the generator makes them and the server takes them: a manifest, where it lives, a status of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.kube.resources import (
    CLAIMS,
    CSI_DRIVERS,
    CSI_NODES,
    CSI_STORAGE_CAPACITIES,
    DISRUPTION_BUDGETS,
    NODES,
    PODS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    SERVICES,
    STATEFUL_SETS,
    STORAGE_CLASSES,
    VOLUME_ATTACHMENTS,
    VOLUMES,
    Resource,
)

Manifest = dict[str, Any]

PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False)
RUNTIME_CLASSES = Resource("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", namespaced=False)

# What a world is made of, in the order in which it is put up: nodes and pods last, for the scheduler's log tells
# when it has seen those.
WORLD_KINDS = (
    STORAGE_CLASSES,
    CSI_DRIVERS,
    CSI_STORAGE_CAPACITIES,
    VOLUMES,
    CLAIMS,
    SERVICES,
    REPLICATION_CONTROLLERS,
    REPLICA_SETS,
    STATEFUL_SETS,
    DISRUPTION_BUDGETS,
    CSI_NODES,
    VOLUME_ATTACHMENTS,
    NODES,
    PODS,
)


@dataclass(frozen=True, slots=True)
class Thing:
    """One object. `status` is written after it was made, for kinds that are made without one."""

    resource: Resource
    manifest: Manifest
    status: Manifest | None = None

    @property
    def name(self) -> str:
        return str(self.manifest["metadata"]["name"])

    @property
    def lingers(self) -> bool:
        """Whether it is to be deleted at once, and stays all the same: something holds it by a finalizer."""
        return bool(self.manifest["metadata"].get("finalizers"))

    @property
    def namespace(self) -> str:
        return str(self.manifest["metadata"].get("namespace", ""))

    def path(self, subresource: str = "") -> str:
        return self.resource.path(self.namespace, self.name, subresource)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pod to be scheduled. It is held by a gate while `nominated` is written into its status and `claims` are made
    for its generic ephemeral volumes; without either it is made as it is."""

    manifest: Manifest
    claims: tuple[Manifest, ...] = ()
    nominated: str = ""
    beyond_int64: bool = False  # asks for more than kube-scheduler can count; it goes once it was decided about

    @property
    def gated(self) -> bool:
        return bool(self.claims or self.nominated)

    @property
    def key(self) -> str:
        metadata = self.manifest["metadata"]
        return f"{metadata['namespace']}/{metadata['name']}"


@dataclass(frozen=True, slots=True)
class World:
    """A cluster and the pods that are to be scheduled there, one after another."""

    namespaces: Mapping[str, Mapping[str, str]]  # name -> labels
    things: tuple[Thing, ...]
    terminating: frozenset[str]  # namespace/name of assigned pods that are being deleted
    candidates: tuple[Candidate, ...] = ()
    preempts: bool = False  # pods have priorities; those that are bound get a start time
    quiet: bool = False  # a pod that waits for its victims to go may wait through further decisions

    def of(self, resource: Resource) -> Iterator[Thing]:
        return (thing for thing in self.things if thing.resource is resource)


def thing(resource: Resource, manifest: Manifest, status: Manifest | None = None) -> Thing:
    """An object, with its kind filled in."""
    return Thing(resource, {"apiVersion": resource.api_version, "kind": resource.kind, **manifest}, status)
