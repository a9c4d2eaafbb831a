"""ReplicaSets: as many pods as wanted, and a status that counts them. kubernetes 1.36, pkg/controller/replicaset."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.errors import Forbidden, KubeError, NotFound
from pointsman.kube.known import Key, WatchEvent
from pointsman.kube.resources import PODS, REPLICA_SETS
from pointsman.sandbox.controllers.loop import Loop
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import (
    Item,
    PodItem,
    condition,
    controller_of,
    metadata_of,
    owner_reference,
    status_patch,
)
from pointsman.sandbox.tables.duration import moment

_ENDED: Final = ("Succeeded", "Failed")
_FAILURE: Final = "ReplicaFailure"
_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_PHASES: Final = ("Pending", "Unknown", "Running")
_TRY_AGAIN_SECONDS: Final = 5.0  # after pods that may not be made: what forbids them is not watched
_EXPECTATION_SECONDS: Final = 5.0  # how long a pod that was made or deleted may take to be seen


class ReplicaSets:
    """Keeps ReplicaSets. Pods that were made or deleted a moment ago are counted although no watch told of them yet."""

    def __init__(
        self, client: Client, sets: Mirror[Item], pods: Mirror[PodItem], clock: Clock, rng: random.Random
    ) -> None:
        self._client = client
        self._sets = sets
        self._pods = pods
        self._clock = clock
        self._unseen: dict[str, dict[Key, float]] = {}  # by ReplicaSet: pods that were made, until when
        self._leaving: dict[str, float] = {}  # uids of pods that were deleted, until when
        self.loop: Loop[Key] = Loop("replicaset", self._reconcile, clock, rng)
        sets.listen(self._on_set)
        pods.listen(self._on_pod)

    def _on_set(self, event: WatchEvent[Item]) -> None:
        self.loop.add((event.object.metadata.namespace, event.object.metadata.name))

    def _on_pod(self, event: WatchEvent[PodItem]) -> None:
        metadata = event.object.metadata
        owner = controller_of(metadata)
        if owner is not None and owner.kind == REPLICA_SETS.kind:
            self._unseen.get(owner.uid, {}).pop((metadata.namespace, metadata.name), None)
            self.loop.add((metadata.namespace, owner.name))

    async def _reconcile(self, key: Key) -> float | None:
        found = self._sets.get(key)
        if found is None or found.deleting:
            return None
        uid, now = found.metadata.uid, self._clock.monotonic()
        unseen = self._unseen[uid] = {one: until for one, until in self._unseen.get(uid, {}).items() if until > now}
        self._leaving = {one: until for one, until in self._leaving.items() if until > now}
        pods = [pod for pod in self._pods.owned_by(uid) if not pod.deleting and pod.status.phase not in _ENDED]
        kept = [pod for pod in pods if pod.metadata.uid not in self._leaving]
        missing = found.spec.get("replicas", 1) - len(kept) - len(unseen)
        failure = ""
        if missing > 0:
            failure = await self._make(found, missing)
        elif missing < 0:
            await self._delete(first_to_go(kept)[:-missing])
        later = await self._report(found, kept, failure)
        waits = [later, _EXPECTATION_SECONDS if unseen else None, _TRY_AGAIN_SECONDS if failure else None]
        return min((seconds for seconds in waits if seconds is not None), default=None)

    async def _make(self, owner: Item, count: int) -> str:
        """Create pods; returns why that is not possible, if so."""
        results = await asyncio.gather(*(self._make_one(owner) for _ in range(count)), return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        for error in errors:
            if not isinstance(error, (Forbidden, NotFound)):
                raise error
        return str(errors[0]) if errors else ""

    async def _make_one(self, owner: Item) -> None:
        template = owner.spec["template"]
        given = template.get("metadata") or {}
        metadata = {
            "generateName": f"{owner.metadata.name}-",
            "labels": given.get("labels") or {},
            "annotations": given.get("annotations") or {},
            "ownerReferences": [owner_reference(REPLICA_SETS, owner.metadata)],
        }
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        made = await self._client.create(PODS.path(owner.metadata.namespace), pod)
        new = metadata_of(made)
        key = (new.namespace, new.name)
        if self._pods.get(key) is None:
            self._unseen[owner.metadata.uid][key] = self._clock.monotonic() + _EXPECTATION_SECONDS

    async def _delete(self, pods: Iterable[PodItem]) -> None:
        for pod in pods:
            metadata = pod.metadata
            self._leaving[metadata.uid] = self._clock.monotonic() + _EXPECTATION_SECONDS
            try:
                await self._client.delete(PODS.path(metadata.namespace, metadata.name), uid=metadata.uid)
            except KubeError:
                self._leaving.pop(metadata.uid, None)
                raise

    async def _report(self, owner: Item, pods: Sequence[PodItem], failure: str) -> float | None:
        """Write the status if it differs; returns when a ready pod becomes an available one."""
        wanted, later = self._status(owner, pods, failure)
        if wanted != owner.status:
            path = REPLICA_SETS.path(owner.metadata.namespace, owner.metadata.name, "status")
            await self._client.patch(path, status_patch(owner, wanted), kind=PatchKind.MERGE)
        return later

    def _status(self, owner: Item, pods: Sequence[PodItem], failure: str) -> tuple[dict[str, Any], float | None]:
        labels = (owner.spec["template"].get("metadata") or {}).get("labels") or {}
        counts: Counter[str] = Counter(replicas=len(pods))
        waits: list[float] = []
        for pod in pods:
            counts["fullyLabeledReplicas"] += labels.items() <= pod.metadata.labels.items()
            since = ready_since(pod)
            if since is not None:
                counts["readyReplicas"] += 1
                left = owner.spec.get("minReadySeconds", 0) - (self._clock.now() - moment(since)).total_seconds()
                counts["availableReplicas"] += left <= 0
                waits += [left] if left > 0 else []
        status: dict[str, Any] = {"replicas": 0, **{name: count for name, count in counts.items() if count}}
        status["observedGeneration"] = owner.metadata.generation
        terminating = sum(pod.deleting for pod in self._pods.owned_by(owner.metadata.uid))
        status["terminatingReplicas"] = terminating
        if conditions := self._conditions(owner, failure):
            status["conditions"] = conditions
        return status, min(waits, default=None)

    def _conditions(self, owner: Item, failure: str) -> list[dict[str, Any]]:
        if not failure:
            return []
        before = condition(owner.status.get("conditions") or [], _FAILURE)
        since = before.get("lastTransitionTime") or rfc3339(self._clock.now())
        told = {"type": _FAILURE, "status": "True", "reason": "FailedCreate", "message": failure}
        return [{**told, "lastTransitionTime": since}]


def ready_since(pod: PodItem) -> str | None:
    """When a pod became ready; None if it is not."""
    for one in pod.status.conditions:
        if one.type == "Ready" and one.status == "True":
            return one.last_transition_time or pod.metadata.creation_timestamp
    return None


def first_to_go(pods: Iterable[PodItem]) -> list[PodItem]:
    """Pods in the order in which a smaller set gives them up.

    Without a node, not running, not ready, cheap to delete, many on one node, young.
    """
    youngest_first = sorted(pods, key=lambda pod: pod.metadata.creation_timestamp, reverse=True)
    together = Counter(pod.spec.node_name for pod in youngest_first)

    def worth(pod: PodItem) -> tuple[bool, int, bool, int, int]:
        node, phase = pod.spec.node_name, pod.status.phase
        progress = _PHASES.index(phase) if phase in _PHASES else 0
        return bool(node), progress, ready_since(pod) is not None, _deletion_cost(pod), -together[node]

    return sorted(youngest_first, key=worth)


def _deletion_cost(pod: PodItem) -> int:
    """Zero where the annotation is absent or no whole number."""
    try:
        return int(pod.metadata.annotations.get(_COST, "0"))
    except ValueError:
        return 0
