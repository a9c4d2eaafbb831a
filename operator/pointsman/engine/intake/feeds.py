"""How the kinds that only some rules need get into the cluster: the struct of each and its two mutators."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.kube.known import T
from pointsman.kube.policy_objects import PodDisruptionBudget
from pointsman.kube.storage_objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from pointsman.kube.workload_objects import ReplicaSet, ReplicationController, Service, StatefulSet
from pointsman.policy.kinds import Kind


@dataclass(frozen=True, slots=True)
class Feed(Generic[T]):
    """One kind: what is read of its objects, and what each version or the end of one changes."""

    type: type[T]
    upsert: Callable[[T], Changes]
    remove: Callable[[T], Changes]


def feeds(cluster: Cluster) -> Mapping[Kind, Feed[Any]]:
    """The way of each kind into this cluster."""
    budgets = Feed(PodDisruptionBudget, cluster.upsert_disruption_budget, cluster.remove_disruption_budget)
    return {**_owners(cluster), **_storage(cluster), Kind.DISRUPTION_BUDGETS: budgets}


def _owners(cluster: Cluster) -> dict[Kind, Feed[Any]]:
    upsert, remove = cluster.upsert_controller, cluster.remove_controller
    return {
        Kind.SERVICES: Feed(Service, cluster.upsert_service, cluster.remove_service),
        Kind.REPLICATION_CONTROLLERS: Feed(ReplicationController, upsert, remove),
        Kind.REPLICA_SETS: Feed(ReplicaSet, upsert, remove),
        Kind.STATEFUL_SETS: Feed(StatefulSet, upsert, remove),
    }


def _storage(cluster: Cluster) -> dict[Kind, Feed[Any]]:
    return {
        Kind.CLAIMS: Feed(PersistentVolumeClaim, cluster.upsert_claim, cluster.remove_claim),
        Kind.VOLUMES: Feed(PersistentVolume, cluster.upsert_volume, cluster.remove_volume),
        Kind.STORAGE_CLASSES: Feed(StorageClass, cluster.upsert_storage_class, cluster.remove_storage_class),
        Kind.CSI_NODES: Feed(CSINode, cluster.upsert_csi_node, cluster.remove_csi_node),
        Kind.CSI_DRIVERS: Feed(CSIDriver, cluster.upsert_csi_driver, cluster.remove_csi_driver),
        Kind.CSI_STORAGE_CAPACITIES: Feed(CSIStorageCapacity, cluster.upsert_capacity, cluster.remove_capacity),
        Kind.VOLUME_ATTACHMENTS: Feed(VolumeAttachment, cluster.upsert_attachment, cluster.remove_attachment),
    }
