"""The oracle's side: worlds on a real API server, and what the stock kube-scheduler decides there.

One API server serves many worlds one after another. A world is put up, its candidates are created one at a time and
their verdicts awaited (on a watch, never by polling), then everything is wiped and the next one begins.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.connection import connect
from pointsman.kube.errors import NotFound
from pointsman.kube.known import Key
from pointsman.kube.objects import Pod
from pointsman.kube.resources import CLAIMS, NAMESPACES, NODES, PODS, VOLUMES, Resource
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from tests.controlplane.plane import ControlPlane
from tests.oracle.kube_scheduler import KubeScheduler
from tests.oracle.log import PodLog
from tests.oracle.ours import Ties
from tests.oracle.things import WORLD_KINDS, Candidate, Manifest, Thing, World
from tests.oracle.volume_controller import VolumeController
from tests.oracle.watching import Watched, bounded, watching

AT_ONCE: Final = 16
PATIENCE: Final = 30.0  # seconds
PREEMPTION_PATIENCE: Final = 5.0
FAILED: Final = ("Unschedulable", "SchedulerError")
TOO_EARLY: Final = "waiting for ephemeral volume controller"
GATE: Final = {"name": "oracle.example.com/prepared"}
NO_GRACE: Final = b'{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0}'


@dataclass(frozen=True, slots=True)
class Verdict:
    """What kube-scheduler made of one pod. `node` is empty if it fits nowhere; `message` and `reason` say why then."""

    pod: Pod
    node: str
    message: str
    reason: str
    nominated: str  # the node that preemption clears
    log: PodLog


class Server:
    """The API server and kube-scheduler, while both are up."""

    def __init__(
        self, client: Client, scheduler: KubeScheduler, pods: Watched[Pod], controller: VolumeController
    ) -> None:
        self.client = client
        self.scheduler = scheduler
        self.pods = pods
        self.controller = controller
        self.claims = controller.claims
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def put_up(self, world: World) -> None:
        """Make everything of a world, and wait until kube-scheduler has seen it."""
        await self._all(self._label(name, labels) for name, labels in world.namespaces.items())
        for resource in WORLD_KINDS:
            await self._all(self._make(thing) for thing in world.of(resource))
        placed = {(one.namespace, one.name) for one in world.of(PODS)}
        await self._all(self._end_gracefully(one) for one in world.of(PODS) if _full(one) in world.terminating)
        await bounded(self.pods.until(lambda: self._has(placed, world.terminating)), PATIENCE, "the pods of the world")
        nodes = {one.name for one in world.of(NODES)}
        assigned = {_full(one) for one in world.of(PODS)}
        log = self.scheduler.log
        await self._logged(lambda: nodes <= log.nodes and assigned <= log.assigned, "kube-scheduler to see the world")

    async def wipe(self, world: World) -> None:
        """Delete everything, and wait until kube-scheduler has seen that too."""
        await self._wipe(PODS, world.namespaces)
        await self.controller.idle()
        await self._all(self._let_go(one) for one in world.things if one.lingers)
        used = {thing.resource.plural: thing.resource for thing in world.things} | {VOLUMES.plural: VOLUMES}
        used.pop(PODS.plural, None)
        await self._all(self._wipe(resource, world.namespaces) for resource in used.values())
        await bounded(self.pods.until(lambda: not self.pods.objects), PATIENCE, "all pods to go")
        log = self.scheduler.log
        await self._logged(lambda: not (log.nodes or log.assigned or log.pending), "kube-scheduler to see the end")
        log.forget()

    async def create(self, candidate: Candidate) -> Pod:
        """Make a pod that is to be scheduled; what comes back has the API server's defaults."""
        manifest = candidate.manifest
        if candidate.gated:
            manifest = {**manifest, "spec": {**manifest["spec"], "schedulingGates": [GATE]}}
        namespace = manifest["metadata"]["namespace"]
        made = msgspec.json.decode(await self.client.create(PODS.path(namespace), manifest), type=Pod)
        if not candidate.gated:
            return made
        path = PODS.path(namespace, made.metadata.name)
        for claim in candidate.claims:
            await self.client.create(CLAIMS.path(namespace), _owned(claim, made))
        wanted = {(namespace, claim["metadata"]["name"]) for claim in candidate.claims}
        await bounded(self.claims.until(lambda: wanted <= self.claims.objects.keys()), PATIENCE, "claims of a pod")
        status = {"status": {"nominatedNodeName": candidate.nominated}} if candidate.nominated else {}
        return msgspec.json.decode(await self._merge(f"{path}/status", status), type=Pod)

    async def release(self, candidate: Candidate, made: Pod) -> None:
        """Open the gate of a pod that was prepared; others were never held."""
        if candidate.gated:
            path = PODS.path(made.metadata.namespace, made.metadata.name)
            await self._merge(path, {"spec": {"schedulingGates": None}})

    async def volume_of(self, namespace: str, claim: str) -> str:
        """The volume of a claim that was bound for a pod."""
        key = (namespace, claim)
        await bounded(self.claims.until(lambda: bool(self.claims.objects[key].spec.volume_name)), PATIENCE, "a volume")
        return self.claims.objects[key].spec.volume_name

    async def start(self, pod: Pod, when: str) -> None:
        """Tell in a bound pod's status that it runs, and since when."""
        path = PODS.path(pod.metadata.namespace, pod.metadata.name, "status")
        made = msgspec.json.decode(
            await self._merge(path, {"status": {"phase": "Running", "startTime": when}}), type=Pod
        )
        key, version = (pod.metadata.namespace, pod.metadata.name), int(made.metadata.resource_version)
        await bounded(self.pods.until(lambda: self._version(key) >= version), PATIENCE, "a pod to start")

    async def verdict(self, candidate: Candidate, pod: Pod, ties: Ties) -> Verdict:
        """Wait for kube-scheduler's decision on a pod; `ties` are the preemptions among which it should choose."""
        key = (pod.metadata.namespace, pod.metadata.name)
        full = "/".join(key)
        await bounded(self.pods.until(lambda: self._decided(key, candidate)), PATIENCE, f"a decision on {full}")
        self.scheduler.read()
        told = self.scheduler.log.of(full)
        if told.target:
            expected = ties.get(told.target, frozenset())
            with suppress(TimeoutError):  # then it has other victims than expected: a difference to be told
                await self._logged(lambda: told.has_preempted(expected), "a preemption", PREEMPTION_PATIENCE)
        seen = self.pods.objects[key]
        failure = next((one for one in seen.status.conditions if one.type == "PodScheduled"), None)
        return Verdict(
            pod=seen,
            node=seen.spec.node_name,
            message=failure.message if failure is not None and not seen.spec.node_name else "",
            reason=failure.reason if failure is not None and not seen.spec.node_name else "",
            nominated=seen.status.nominated_node_name if not seen.spec.node_name else "",
            log=told,
        )

    async def remove(self, keys: Iterable[Key]) -> None:
        """Delete pods at once, and wait until both sides have seen it."""
        gone = list(keys)
        await self._all(self._delete_pod(key) for key in gone)
        await bounded(self.pods.until(lambda: not any(key in self.pods.objects for key in gone)), PATIENCE, "deletion")
        names = {"/".join(key) for key in gone}
        log = self.scheduler.log
        await self._logged(lambda: names.isdisjoint(log.pending | log.assigned), f"kube-scheduler to forget {names}")

    def _decided(self, key: Key, candidate: Candidate) -> bool:
        pod = self.pods.objects.get(key)
        if pod is None:
            return False
        failed = (one for one in pod.status.conditions if one.type == "PodScheduled" and one.reason in FAILED)
        # It may see the pod before the pod's claim, but tries again when it sees that.
        early = bool(candidate.claims)
        return bool(pod.spec.node_name) or any(not (early and TOO_EARLY in one.message) for one in failed)

    def _version(self, key: Key) -> int:
        return int(self.pods.objects[key].metadata.resource_version) if key in self.pods.objects else 0

    def _has(self, placed: set[Key], terminating: frozenset[str]) -> bool:
        if not placed <= self.pods.objects.keys():
            return False
        return all(self.pods.objects[key].metadata.deletion_timestamp for key in placed if "/".join(key) in terminating)

    async def _logged(self, holds: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
        async def wait() -> None:
            self.scheduler.read()
            while not holds():
                await self.scheduler.more()

        await bounded(wait(), seconds, what)

    async def _make(self, one: Thing) -> None:
        await self.client.create(one.resource.path(one.namespace), one.manifest)
        if one.status is not None:
            await self._merge(one.path("status"), {"status": one.status})
        if one.lingers:
            await self.client.delete(one.path())

    async def _let_go(self, one: Thing) -> None:
        await self._merge(one.path(), {"metadata": {"finalizers": None}})

    async def _label(self, name: str, labels: Any) -> None:
        path = NAMESPACES.path(name=name)
        current = await self.client.get_json(path)
        kept = {"kubernetes.io/metadata.name": name}
        wanted = {**dict.fromkeys(current["metadata"].get("labels", {})), **labels, **kept}
        if wanted != current["metadata"].get("labels"):
            await self._merge(path, {"metadata": {"labels": wanted}})

    async def _end_gracefully(self, one: Thing) -> None:
        await self.client.delete(one.path())

    async def _delete_pod(self, key: Key) -> None:
        try:
            await self.client.delete(PODS.path(*key), grace_seconds=0)
        except NotFound:
            return

    async def _wipe(self, resource: Resource, namespaces: Iterable[str]) -> None:
        for namespace in namespaces if resource.namespaced else ("",):
            await self.client.request("DELETE", resource.path(namespace), body=NO_GRACE)

    async def _merge(self, path: str, patch: Manifest) -> bytes:
        return await self.client.patch(path, patch, kind=PatchKind.MERGE)

    async def _all(self, calls: Iterable[Coroutine[Any, Any, None]]) -> None:
        async def one(call: Coroutine[Any, Any, None]) -> None:
            async with self._turns:
                await call

        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(one(call))


@asynccontextmanager
async def connected(plane: ControlPlane) -> AsyncIterator[tuple[Client, Watched[Pod], VolumeController]]:
    """A client of the control plane, its pods, and the one controller that is needed."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            Client(await connect(str(plane.kubeconfig)), user_agent="pointsman-oracle")
        )
        pods = await stack.enter_async_context(watching(client, PODS, Pod))
        claims = await stack.enter_async_context(watching(client, CLAIMS, PersistentVolumeClaim))
        volumes = await stack.enter_async_context(watching(client, VOLUMES, PersistentVolume))
        controller = VolumeController(client, claims)
        claims.listener, volumes.listener = controller.on_claim, controller.on_volume
        yield client, pods, controller


async def prepare(client: Client, namespaces: Sequence[str], things: Iterable[Thing]) -> None:
    """Make what all worlds share: namespaces, classes of priority and of runtime."""
    for name in namespaces:
        if name != "default":
            await client.create(NAMESPACES.path(), {"metadata": {"name": name}})
    for one in things:
        await client.create(one.resource.path(), one.manifest)


def _full(one: Thing) -> str:
    return f"{one.namespace}/{one.name}"


def _owned(claim: Manifest, pod: Pod) -> Manifest:
    if "ownerReferences" in claim["metadata"]:
        return claim  # somebody else's
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.metadata.name, "uid": pod.metadata.uid, "controller": True}
    return {**claim, "metadata": {**claim["metadata"], "ownerReferences": [owner]}}
