"""What kube-controller-manager and a CSI provisioner do for a claim once the scheduler has chosen: bind it.

The control plane of the oracle runs no controllers, so that a world stays as it was put up. Only this one thing has
to happen, or a pod with an unbound claim would never leave PreBind.
"""

import asyncio
from typing import Any, Final

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.known import EventType
from pointsman.kube.resources import CLAIMS, VOLUMES
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from tests.oracle.watching import Watched

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"


class VolumeController:
    """Binds claims that the scheduler has promised to a volume, and provisions for those that it gave a node."""

    def __init__(self, client: Client, claims: Watched[PersistentVolumeClaim]) -> None:
        self._client = client
        self.claims = claims
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun: set[str] = set()  # uids of claims

    def on_volume(self, kind: EventType, volume: PersistentVolume) -> None:
        """A volume changed; a claimRef with a uid is the scheduler's, for a world's own are complete or without."""
        reference = volume.spec.claim_ref
        if kind is EventType.DELETED or reference is None or not reference.uid:
            return
        claim = self.claims.objects.get((reference.namespace, reference.name))
        if claim is not None and claim.metadata.uid == reference.uid and not claim.spec.volume_name:
            self._begin(claim, volume.metadata.name)

    def on_claim(self, kind: EventType, claim: PersistentVolumeClaim) -> None:
        """A claim changed; with a selected node it waits for a provisioner."""
        if kind is EventType.MODIFIED and SELECTED_NODE in claim.metadata.annotations and not claim.spec.volume_name:
            self._begin(claim, "")

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    def _begin(self, claim: PersistentVolumeClaim, volume: str) -> None:
        if claim.metadata.uid not in self._begun:
            self._begun.add(claim.metadata.uid)
            task = asyncio.create_task(self._bind(claim, volume))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _bind(self, claim: PersistentVolumeClaim, volume: str) -> None:
        name = volume or f"pvc-{claim.metadata.uid}"
        if not volume:
            await self._client.create(VOLUMES.path(), provisioned(claim, name))
        path = CLAIMS.path(claim.metadata.namespace, claim.metadata.name)
        await self._merge(VOLUMES.path(name=name, subresource="status"), {"status": {"phase": "Bound"}})
        bound = {"metadata": {"annotations": {BIND_COMPLETED: "yes"}}, "spec": {"volumeName": name}}
        await self._merge(path, bound)
        await self._merge(f"{path}/status", {"status": {"phase": "Bound"}})

    async def _merge(self, path: str, patch: object) -> None:
        await self._client.patch(path, patch, kind=PatchKind.MERGE)


def provisioned(claim: PersistentVolumeClaim, name: str) -> dict[str, Any]:
    """The volume that a CSI driver would make for a claim, reachable from everywhere."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": dict(claim.spec.resources.requests),
            "accessModes": list(claim.spec.access_modes),
            "storageClassName": claim.spec.storage_class_name or "",
            "persistentVolumeReclaimPolicy": "Delete",
            "volumeMode": claim.spec.volume_mode or "Filesystem",
            "csi": {"driver": "provisioned.example.com", "volumeHandle": name},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim.metadata.namespace,
                "name": claim.metadata.name,
                "uid": claim.metadata.uid,
            },
        },
    }
