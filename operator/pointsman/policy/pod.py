"""PodInfo: what rules, queue and columns need of a pod, computed once when its event arrives.

A `Pod` from the wire is nested and textual; every decision would parse it anew. `PodInfo` holds the flat, integer form
and a reference to the wire struct for what is read rarely (affinity terms, labels). It is immutable: an update of the
pod makes a new one. Making it from a wire pod is `policy.accounting`'s work.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pointsman.kube.objects import Pod
from pointsman.policy.affinity_terms import NO_TERMS, AffinityTerms
from pointsman.policy.spread.constraints import NO_CONSTRAINTS, SpreadConstraints

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - the wildcard of host ports; nothing is bound here


class HostPort(NamedTuple):
    """A host port after defaulting: empty address is 0.0.0.0, empty protocol is TCP."""

    address: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True, eq=False)
class PodInfo:
    """One pod, ready for decisions. Equality is identity: compare `uid` to ask whether it is the same pod."""

    pod: Pod
    uid: str
    namespace: str
    name: str
    priority: int
    node_name: str  # empty while unbound
    nominated_node_name: str
    requests: dict[str, int]  # what the incoming pod asks for: cpu in millicores, the rest in base units
    usage: dict[str, int]  # what it counts on its node: status of an in-place resize included
    nonzero_cpu: int  # millicores, kube-scheduler's default for containers without a request
    nonzero_memory: int  # bytes, likewise
    nonzero_usage_cpu: int
    nonzero_usage_memory: int
    host_ports: tuple[HostPort, ...]
    images: tuple[str, ...]  # normalised names, duplicates kept, image volumes included
    container_count: int  # init containers and containers; image volumes do not count (1.36)
    gates: tuple[str, ...]
    terminating: bool
    affinity: AffinityTerms = NO_TERMS  # of pod affinity and pod anti-affinity
    spread: SpreadConstraints = NO_CONSTRAINTS
    errors: tuple[str, ...] = field(default=())  # what could not be read, naming field and value

    @property
    def key(self) -> tuple[str, str]:
        return (self.namespace, self.name)

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"
