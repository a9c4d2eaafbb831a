"""What the demo's cluster consists of: nodes in three pools and three zones, and the namespaces of those who use them.

Pure. The pools are those that the examples ask for: one for everybody, one with GPUs, one of a team. The latter two are
tainted, as they are in real life, or the first profile would fill them too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from pointsman.sandbox.agent.shape import NodeShape, NodeTaint, numbered

ZONE_LABEL: Final = "topology.kubernetes.io/zone"
ZONES: Final = ("a", "b", "c")
GPU: Final = "nvidia.com/gpu"
TEAM: Final = "payments"


@dataclass(frozen=True, slots=True)
class Pool:
    """Equal nodes, `share` percent of all; a pod needs the tolerations of `taint` to run there."""

    name: str
    share: int
    cpu: str
    memory: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taint: NodeTaint | None = None
    extended: Mapping[str, str] = field(default_factory=dict)


GENERAL: Final = Pool("general", 60, "16", "64Gi")
GPUS: Final = Pool(
    "gpu", 20, "64", "512Gi", {f"{GPU}.present": "true"}, NodeTaint(GPU, "NoSchedule", "present"), {GPU: "8"}
)
TEAMS: Final = Pool(TEAM, 20, "8", "32Gi", labels={"team": TEAM}, taint=NodeTaint("team", "NoSchedule", TEAM))
POOLS: Final = (GENERAL, GPUS, TEAMS)

NAMESPACES: Final[Mapping[str, Mapping[str, str]]] = {"shop": {}, "research": {}, "payments": {"team": TEAM}}


def sizes(nodes: int) -> dict[str, int]:
    """How many of `nodes` each pool has; the first takes what division leaves."""
    counts = {pool.name: nodes * pool.share // 100 for pool in POOLS}
    return {**counts, GENERAL.name: nodes - sum(counts[pool.name] for pool in POOLS[1:])}


def shapes(nodes: int) -> list[NodeShape]:
    """All nodes. Zones are filled in turn, so that each pool is spread over them."""
    counts = sizes(nodes)
    return list(chain.from_iterable(_pool(pool, counts[pool.name]) for pool in POOLS))


def namespaces() -> list[dict[str, Any]]:
    """The namespaces that pods are made in, as manifests."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels)}}
        for name, labels in NAMESPACES.items()
    ]


def _pool(pool: Pool, count: int) -> Iterator[NodeShape]:
    taints = (pool.taint,) if pool.taint else ()
    shape = NodeShape(
        "", pool.cpu, pool.memory, labels={"pool": pool.name, **pool.labels}, taints=taints, extended=pool.extended
    )
    for number, node in enumerate(numbered(shape, f"{pool.name}-", count)):
        yield replace(node, labels={**node.labels, ZONE_LABEL: ZONES[number % len(ZONES)]})
