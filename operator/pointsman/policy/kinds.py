"""The kinds that only some rules look at: where each lives in the API, and which ClusterRole lets an engine read it.

Nodes, pods and namespaces are not here: every engine watches those. A rule names the kinds that it needs in
`policy.registry`; an engine watches, and an operator grants, what a policy's rules need and nothing else.
"""

from enum import Enum, unique
from typing import Final

from pointsman.api.names import (
    ENGINE_CLUSTER_ROLE,
    ENGINE_PREEMPTION_CLUSTER_ROLE,
    ENGINE_VOLUMES_CLUSTER_ROLE,
)
from pointsman.kube import resources
from pointsman.kube.resources import Resource


@unique
class Kind(Enum):
    """A kind that a rule may need; the value is its place in the API."""

    SERVICES = resources.SERVICES
    REPLICATION_CONTROLLERS = resources.REPLICATION_CONTROLLERS
    REPLICA_SETS = resources.REPLICA_SETS
    STATEFUL_SETS = resources.STATEFUL_SETS
    CLAIMS = resources.CLAIMS
    VOLUMES = resources.VOLUMES
    STORAGE_CLASSES = resources.STORAGE_CLASSES
    CSI_NODES = resources.CSI_NODES
    CSI_DRIVERS = resources.CSI_DRIVERS
    CSI_STORAGE_CAPACITIES = resources.CSI_STORAGE_CAPACITIES
    VOLUME_ATTACHMENTS = resources.VOLUME_ATTACHMENTS
    DISRUPTION_BUDGETS = resources.DISRUPTION_BUDGETS

    @property
    def resource(self) -> Resource:
        return self.value

    @property
    def cluster_role(self) -> str:
        """The ClusterRole of the chart that lets an engine read the kind."""
        if self is Kind.DISRUPTION_BUDGETS:
            return ENGINE_PREEMPTION_CLUSTER_ROLE
        return ENGINE_CLUSTER_ROLE if self in OWNERS else ENGINE_VOLUMES_CLUSTER_ROLE


OWNERS: Final = frozenset({Kind.SERVICES, Kind.REPLICATION_CONTROLLERS, Kind.REPLICA_SETS, Kind.STATEFUL_SETS})
"""What tells whose pods belong together."""

SERVICES: Final = frozenset({Kind.SERVICES})

CLAIMED_VOLUMES: Final = frozenset({Kind.CLAIMS, Kind.VOLUMES, Kind.STORAGE_CLASSES})
"""What tells which volume a pod's claim is bound to, or may be."""
