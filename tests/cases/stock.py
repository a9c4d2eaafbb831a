"""Situations as the real kube-scheduler sees them: put up on a real API server, the verdict read from the pod.

Builds on the oracle, which knows when kube-scheduler has seen everything. What the API server demands is added here:
priorities come from PriorityClasses, overhead from RuntimeClasses, and a container has an image.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pointsman.kube.client import PatchKind
from pointsman.kube.resources import NODES, PODS
from pointsman.testing.builders import PodBuilder
from tests.cases.engine_side import NAMESPACES
from tests.cases.profiles import PROFILES, scheduler_name
from tests.cases.situation import Expected, Json, Preempts, Situation
from tests.controlplane.build import Binaries
from tests.controlplane.in_thread import in_thread
from tests.controlplane.server import running
from tests.oracle.kube_scheduler import kube_scheduler
from tests.oracle.server import Server, Verdict, connected, prepare
from tests.oracle.things import PRIORITY_CLASSES, RUNTIME_CLASSES, WORLD_KINDS, Candidate, Thing, World, thing

SECONDS: Final = 50
IMAGE: Final = "registry.example.com/app:1"
CLAIM_TEMPLATE: Final = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
FINISHED: Final = ("Succeeded", "Failed")
RESOURCES: Final = {resource.kind: resource for resource in WORLD_KINDS}


@dataclass(frozen=True, slots=True)
class Stock:
    """The stock kube-scheduler 1.36.3, asked about one situation after another."""

    server: Server
    loop: asyncio.AbstractEventLoop

    def verdict(self, situation: Situation) -> Verdict:
        """What it does with the pod. The cluster is empty before and after."""
        return asyncio.run_coroutine_threadsafe(self._verdict(situation), self.loop).result(SECONDS)

    async def _verdict(self, situation: Situation) -> Verdict:
        world = _world(situation)
        try:
            for dying in _ending(situation):
                await self._end(dying)
            await self.server.put_up(world)
            for finished in _finished(situation):
                await self._finish(finished)
            pod = _pod(situation.pod, scheduler_name(situation.profile))
            candidate = Candidate(pod.manifest)
            made = await self.server.create(candidate)
            return await self.server.verdict(candidate, made, _ties(situation.expected))
        finally:
            for dying in _ending(situation):
                await self.server.client.patch(dying.path(), {"metadata": {"finalizers": None}}, kind=PatchKind.MERGE)
            await self.server.wipe(world)

    async def _end(self, claim: Thing) -> None:
        """Have a claim be deleted, which its finalizer does not let happen."""
        await self.server.client.create(claim.resource.path(claim.namespace), claim.manifest)
        await self.server.client.delete(claim.path())

    async def _finish(self, pod: Thing) -> None:
        """Have a pod run where it was put, and end."""
        client, key = self.server.client, f"{pod.namespace}/{pod.name}"
        await client.create(PODS.path(pod.namespace), pod.manifest)
        await self._told(lambda assigned: key in assigned)
        await client.patch(pod.path("status"), {"status": pod.status}, kind=PatchKind.MERGE)
        await self._told(lambda assigned: key not in assigned)

    async def _told(self, holds: Callable[[set[str]], bool]) -> None:
        """Wait until this holds for the assigned pods that kube-scheduler knows."""
        scheduler = self.server.scheduler
        scheduler.read()
        while not holds(scheduler.log.assigned):
            await scheduler.more()


@contextmanager
def stock_scheduler(folder: Path, binaries: Binaries, situations: Iterable[Situation]) -> Iterator[Stock]:
    """A control plane with kube-scheduler and the classes that these situations need."""
    classes = _classes(situations)
    profiles = [
        {"schedulerName": scheduler_name(name), "plugins": profile.plugins, "pluginConfig": profile.config}
        for name, profile in PROFILES.items()
    ]

    with running(folder, binaries, bare=True) as plane:

        @asynccontextmanager
        async def live() -> AsyncIterator[Server]:
            async with connected(plane) as (client, pods, controller):
                await prepare(client, NAMESPACES, classes)
                async with kube_scheduler(plane, binaries, profiles, folder) as scheduler:
                    yield Server(client, scheduler, pods, controller)

        with in_thread(live, "stock scheduler", SECONDS) as (server, loop):
            yield Stock(server, loop)


def pod_manifest(builder: PodBuilder) -> Json:
    """A pod as the API server takes it."""
    return _pod(builder, "elsewhere").manifest


def _world(situation: Situation) -> World:
    nodes = [thing(NODES, _without_uid(node.manifest())) for node in situation.nodes]
    pods = [_pod(pod, "elsewhere") for pod in situation.pods if pod.draft.status.phase not in FINISHED]
    others = [_object(manifest) for manifest in situation.objects if not _is_ending(manifest)]
    ending = [pod.draft.metadata for pod in situation.pods if pod.draft.metadata.deletion_timestamp is not None]
    terminating = frozenset(f"{metadata.namespace}/{metadata.name}" for metadata in ending)
    return World({name: {} for name in NAMESPACES}, (*others, *nodes, *pods), terminating)


def _ties(expected: Expected) -> Mapping[str, frozenset[str]]:
    """The victims to wait for, by node."""
    if not isinstance(expected, Preempts):
        return {}
    return {expected.node: frozenset(f"default/{victim}" for victim in expected.victims)}


def _ending(situation: Situation) -> list[Thing]:
    return [_object(manifest) for manifest in situation.objects if _is_ending(manifest)]


def _is_ending(manifest: Json) -> bool:
    return "deletionTimestamp" in manifest["metadata"]


def _finished(situation: Situation) -> list[Thing]:
    return [_pod(pod, "elsewhere") for pod in situation.pods if pod.draft.status.phase in FINISHED]


def _pod(builder: PodBuilder, scheduler: str) -> Thing:
    manifest = _without_uid(builder.manifest())
    manifest["metadata"].pop("deletionTimestamp", None)
    status = manifest.pop("status", {})
    spec = manifest["spec"]
    spec["schedulerName"] = scheduler
    spec["containers"] = [_container(one) for one in spec.get("containers") or [{"name": "main"}]]
    if "initContainers" in spec:
        spec["initContainers"] = [_container(one) for one in spec["initContainers"]]
    if priority := spec.pop("priority", 0):
        spec["priorityClassName"] = f"priority-{priority}"
    for constraint in spec.get("topologySpreadConstraints", []):
        constraint.setdefault("maxSkew", 1)
    for volume in spec.get("volumes", []):
        if "ephemeral" in volume:
            volume["ephemeral"] = {"volumeClaimTemplate": CLAIM_TEMPLATE}
    if overhead := spec.pop("overhead", None):
        spec["runtimeClassName"] = _runtime(overhead)
    told = {
        key: value for key, value in status.items() if (key, value) not in {("phase", "Running"), ("phase", "Pending")}
    }
    return thing(PODS, manifest, told or None)


def _container(container: Json) -> Json:
    """Of resources that cannot be overcommitted the API server wants a limit."""
    requests = container.get("resources", {}).get("requests", {})
    limits = {name: amount for name, amount in requests.items() if "/" in name}
    resources = {"resources": {"requests": requests, "limits": limits}} if limits else {}
    return {**container, "image": container.get("image") or IMAGE, **resources}


def _classes(situations: Iterable[Situation]) -> list[Thing]:
    """The PriorityClasses and RuntimeClasses of these situations."""
    pods = [builder.draft for situation in situations for builder in (situation.pod, *situation.pods)]
    priorities = {pod.spec.priority for pod in pods if pod.spec.priority}
    overheads = {_runtime(dict(pod.spec.overhead)): dict(pod.spec.overhead) for pod in pods if pod.spec.overhead}
    made = [
        thing(PRIORITY_CLASSES, {"metadata": {"name": f"priority-{value}"}, "value": value})
        for value in sorted(priorities)
    ]
    return [
        *made,
        *(
            thing(RUNTIME_CLASSES, {"metadata": {"name": name}, "handler": name, "overhead": {"podFixed": overhead}})
            for name, overhead in overheads.items()
        ),
    ]


def _runtime(overhead: Json) -> str:
    return "-".join(f"{name}-{amount}" for name, amount in sorted(overhead.items())).lower()


def _object(manifest: Json) -> Thing:
    kept = _without_uid(manifest)
    return thing(RESOURCES[manifest["kind"]], kept, kept.pop("status", None))


def _without_uid(manifest: Json) -> Json:
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "uid"}
    return {**manifest, "metadata": metadata}
