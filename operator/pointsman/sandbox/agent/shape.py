"""What a hollow node looks like: its size, labels and taints, and the Node object made from them. Pure.

A node here is a name and a promise of capacity; nothing on this machine is measured or reserved for it. The operating
system and architecture labels are fixed (linux, amd64), because schedulers under test read them and results should
not depend on where the agent runs; a label given by the user wins.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pointsman import __version__
from pointsman.kube.clock import rfc3339

HOSTNAME_LABEL = "kubernetes.io/hostname"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class NodeTaint:
    """One taint of a hollow node."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class NodeShape:
    """One hollow node. Quantities are Kubernetes quantities, as text; `extended` maps resource names to them."""

    name: str
    cpu: str = "4"
    memory: str = "32Gi"
    pods: int = 110
    ephemeral_storage: str = "100Gi"
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[NodeTaint, ...] = ()
    extended: Mapping[str, str] = field(default_factory=dict)


def numbered(shape: NodeShape, prefix: str, count: int) -> tuple[NodeShape, ...]:
    """`count` nodes of one shape, named `<prefix>0`, `<prefix>1`, …"""
    return tuple(replace(shape, name=f"{prefix}{number}") for number in range(count))


def parse_taint(text: str) -> NodeTaint:
    """A taint as kubectl writes it: `key=value:Effect` or `key:Effect`. Raises ValueError."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    if not key or effect not in _EFFECTS:
        raise ValueError(
            f'taint "{text}": expected key=value:Effect or key:Effect, Effect one of {", ".join(_EFFECTS)}'
        )
    return NodeTaint(key, effect, value)


def node_object(shape: NodeShape, address: str, now: datetime) -> dict[str, Any]:
    """The whole Node, as it is created. `address` becomes its InternalIP."""
    node = node_patch(shape)
    return {"apiVersion": "v1", "kind": "Node", **node, "status": node_status(shape, address, now)}


def node_patch(shape: NodeShape) -> dict[str, Any]:
    """Metadata and spec alone: what a node that exists already is brought to."""
    labels = {HOSTNAME_LABEL: shape.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", **shape.labels}
    taints = [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in shape.taints]
    return {"metadata": {"name": shape.name, "labels": labels}, "spec": {"taints": taints}}


def node_status(shape: NodeShape, address: str, now: datetime) -> dict[str, Any]:
    """Capacity (all of it allocatable), the Ready condition, addresses."""
    resources = {
        "cpu": shape.cpu,
        "memory": shape.memory,
        "pods": str(shape.pods),
        "ephemeral-storage": shape.ephemeral_storage,
        **shape.extended,
    }
    return {
        "capacity": resources,
        "allocatable": resources,
        "conditions": [_condition(type_, now) for type_ in ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")],
        "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": shape.name}],
        "nodeInfo": {
            "machineID": shape.name,
            "systemUUID": shape.name,
            "bootID": shape.name,
            "kernelVersion": "hollow",
            "osImage": "hollow",
            "containerRuntimeVersion": f"pointsman://{__version__}",
            "kubeletVersion": f"v{__version__}+pointsman",
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
    }


def _condition(type_: str, now: datetime) -> dict[str, str]:
    time = rfc3339(now)
    ready = type_ == "Ready"
    return {
        "type": type_,
        "status": "True" if ready else "False",
        "reason": "NodeAgentReady" if ready else "NodeAgentHasNoPressure",
        "message": "the node agent plays this node" if ready else "a hollow node never runs short",
        "lastHeartbeatTime": time,
        "lastTransitionTime": time,
    }
