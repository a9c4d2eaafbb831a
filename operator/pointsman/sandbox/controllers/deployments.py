"""Deployments: one ReplicaSet per pod template, scaled against each other.

kubernetes 1.36, pkg/controller/deployment.
"""

import random
from collections.abc import Sequence
from typing import Any, Final

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock
from pointsman.kube.known import Key, WatchEvent
from pointsman.kube.resources import DEPLOYMENTS, REPLICA_SETS
from pointsman.sandbox.controllers.loop import Loop
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import Item, controller_of, owner_reference
from pointsman.sandbox.controllers.rollout import (
    HASH_LABEL,
    Counts,
    strategy_of,
    template_hash,
    wanted_replicas,
    without_hash,
)
from pointsman.sandbox.controllers.rollout_status import Rollout, seconds_to_deadline, status_of

_REVISION: Final = "deployment.kubernetes.io/revision"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MOST: Final = "deployment.kubernetes.io/max-replicas"
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_NOT_COPIED: Final = frozenset((_REVISION, _DESIRED, _MOST, _LAST_APPLIED))
_DEFAULT_HISTORY: Final = 10


class Deployments:
    """Keeps Deployments."""

    def __init__(
        self, client: Client, deployments: Mirror[Item], sets: Mirror[Item], clock: Clock, rng: random.Random
    ) -> None:
        self._client = client
        self._deployments = deployments
        self._sets = sets
        self._clock = clock
        self.loop: Loop[Key] = Loop("deployment", self._reconcile, clock, rng)
        deployments.listen(self._on_deployment)
        sets.listen(self._on_set)

    def _on_deployment(self, event: WatchEvent[Item]) -> None:
        self.loop.add((event.object.metadata.namespace, event.object.metadata.name))

    def _on_set(self, event: WatchEvent[Item]) -> None:
        owner = controller_of(event.object.metadata)
        if owner is not None and owner.kind == DEPLOYMENTS.kind:
            self.loop.add((event.object.metadata.namespace, owner.name))

    async def _reconcile(self, key: Key) -> float | None:
        deployment = self._deployments.get(key)
        if deployment is None or deployment.deleting:
            return None
        rollout = self._look(deployment)
        if rollout.new is None and not deployment.spec.get("paused"):
            await self._make(deployment, rollout.old)
            return None  # its own event comes back here
        if rollout.new is not None:
            await self._number(deployment, rollout.new, rollout.old)
            await self._scale(rollout, rollout.new)
        status = status_of(rollout, self._clock.now())
        if status != deployment.status:
            patch = {
                "metadata": {"uid": deployment.metadata.uid},
                "status": {**dict.fromkeys(deployment.status), **status},
            }
            await self._client.patch(DEPLOYMENTS.path(*key, "status"), patch, kind=PatchKind.MERGE)
        await self._forget_history(rollout)
        return seconds_to_deadline(rollout, status, self._clock.now())

    def _look(self, deployment: Item) -> Rollout:
        """The Deployment's ReplicaSets, oldest first; the new one is the oldest of the present template."""
        sets = [one for one in self._sets.owned_by(deployment.metadata.uid) if not one.deleting]
        sets.sort(key=lambda one: (one.metadata.creation_timestamp, one.metadata.name))
        template = without_hash(deployment.spec["template"])
        new = next((one for one in sets if without_hash(one.spec["template"]) == template), None)
        old = [one for one in sets if one is not new]
        return Rollout(deployment, new, old, strategy_of(deployment.spec))

    async def _make(self, deployment: Item, old: Sequence[Item]) -> None:
        spec, strategy = deployment.spec, strategy_of(deployment.spec)
        digest = template_hash(without_hash(spec["template"]))
        template, name = spec["template"], f"{deployment.metadata.name}-{digest}"
        given = template.get("metadata") or {}
        labels = {**(given.get("labels") or {}), HASH_LABEL: digest}
        selector = spec["selector"]
        empty = Counts(name, 0, 0, 0)
        replicas = wanted_replicas(strategy, empty, [_counted(one) for one in old]).get(name, 0)
        body = {
            "apiVersion": REPLICA_SETS.api_version,
            "kind": REPLICA_SETS.kind,
            "metadata": {
                "name": name,
                "labels": labels,
                "annotations": _annotations(deployment, str(_last_revision(old) + 1)),
                "ownerReferences": [owner_reference(DEPLOYMENTS, deployment.metadata)],
            },
            "spec": {
                "replicas": replicas,
                "minReadySeconds": spec.get("minReadySeconds", 0),
                "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), HASH_LABEL: digest}},
                "template": {**template, "metadata": {**given, "labels": labels}},
            },
        }
        await self._client.create(REPLICA_SETS.path(deployment.metadata.namespace), body)

    async def _number(self, deployment: Item, new: Item, old: Sequence[Item]) -> None:
        """Give the present ReplicaSet the highest revision, and the Deployment the same."""
        revision = str(max(_last_revision(old) + 1, _revision(new)))
        wanted = _annotations(deployment, revision)
        if any(new.metadata.annotations.get(key) != value for key, value in wanted.items()):
            await self._annotate(REPLICA_SETS, new, wanted)
        if deployment.metadata.annotations.get(_REVISION) != revision:
            await self._annotate(DEPLOYMENTS, deployment, {_REVISION: revision})

    async def _annotate(self, resource: Any, item: Item, annotations: dict[str, str]) -> None:
        patch = {"metadata": {"uid": item.metadata.uid, "annotations": annotations}}
        path = resource.path(item.metadata.namespace, item.metadata.name)
        await self._client.patch(path, patch, kind=PatchKind.MERGE)

    async def _scale(self, rollout: Rollout, new: Item) -> None:
        if rollout.deployment.spec.get("paused"):
            return
        sets = {one.metadata.name: one for one in rollout.all}
        changes = wanted_replicas(rollout.strategy, _counted(new), [_counted(one) for one in rollout.old])
        for name, replicas in changes.items():
            metadata = sets[name].metadata
            patch = {
                "metadata": {"uid": metadata.uid, "resourceVersion": metadata.resource_version},
                "spec": {"replicas": replicas},
            }
            await self._client.patch(REPLICA_SETS.path(metadata.namespace, name), patch, kind=PatchKind.MERGE)

    async def _forget_history(self, rollout: Rollout) -> None:
        """Delete the oldest empty ReplicaSets beyond what is to be kept, once the rollout is done."""
        if rollout.new is None or any(one.status.get("replicas") for one in rollout.old):
            return
        limit = rollout.deployment.spec.get("revisionHistoryLimit", _DEFAULT_HISTORY)
        empty = sorted((one for one in rollout.old if not one.spec.get("replicas")), key=_revision)
        for one in empty[: max(0, len(empty) - limit)]:
            metadata = one.metadata
            await self._client.delete(REPLICA_SETS.path(metadata.namespace, metadata.name), uid=metadata.uid)


def _counted(one: Item) -> Counts:
    status = one.status
    return Counts(
        one.metadata.name,
        one.spec.get("replicas", 1),
        status.get("replicas", 0) + status.get("terminatingReplicas", 0),
        status.get("availableReplicas", 0),
    )


def _annotations(deployment: Item, revision: str) -> dict[str, str]:
    replicas, surge = strategy_of(deployment.spec).replicas, strategy_of(deployment.spec).surge or 0
    copied = {key: value for key, value in deployment.metadata.annotations.items() if key not in _NOT_COPIED}
    return {**copied, _REVISION: revision, _DESIRED: str(replicas), _MOST: str(replicas + surge)}


def _revision(one: Item) -> int:
    text = one.metadata.annotations.get(_REVISION, "0")
    return int(text) if text.isdecimal() else 0


def _last_revision(sets: Sequence[Item]) -> int:
    return max(map(_revision, sets), default=0)
