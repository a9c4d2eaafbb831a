"""All controllers over one set of mirrors, started and stopped together."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

from pointsman import __version__
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection
from pointsman.kube.known import EventType, WatchEvent
from pointsman.kube.resources import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    CONFIG_MAPS,
    DEPLOYMENTS,
    DISRUPTION_BUDGETS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    REPLICA_SETS,
    ROLE_BINDINGS,
    ROLES,
    SERVICE_ACCOUNTS,
    Resource,
)
from pointsman.sandbox.controllers.deployments import Deployments
from pointsman.sandbox.controllers.garbage import GarbageCollector
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.namespaces import Namespaces
from pointsman.sandbox.controllers.objects import Item, NodeItem, PodItem
from pointsman.sandbox.controllers.replica_sets import ReplicaSets
from pointsman.sandbox.controllers.scheduler import DefaultScheduler

_log = logging.getLogger(__name__)

_SECRETS: Final = Resource("", "v1", "secrets", "Secret")
_CORE_EVENTS: Final = Resource("", "v1", "events", "Event")
_DEFINITIONS: Final = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False
)
_NAMED: Final = (NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS, DEPLOYMENTS, REPLICA_SETS)
_OTHERS: Final = (
    _SECRETS,
    LEASES,
    DISRUPTION_BUDGETS,
    ROLES,
    ROLE_BINDINGS,
    CLUSTER_ROLES,
    CLUSTER_ROLE_BINDINGS,
)


@asynccontextmanager
async def controllers(
    connection: Connection, clock: Clock, rng: random.Random, authority: str
) -> AsyncIterator["Controllers"]:
    """Run every controller inside the block, which begins when all of them know what there is."""
    async with Client(connection, user_agent=f"pointsman-sandbox/{__version__}", clock=clock) as client:
        made = Controllers(client, clock, rng, authority)
        try:
            await made.start()
            yield made
        finally:
            await made.stop()


class Controllers:
    """The controllers' tasks, and the mirrors of kinds that come and go."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random, authority: str) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._tasks: dict[Any, asyncio.Task[None]] = {}
        items = {one: self._mirror(one) for one in (*_NAMED, *_OTHERS, _DEFINITIONS)}
        pods = Mirror(client, PODS, PodItem, clock, rng)
        nodes = Mirror(client, NODES, NodeItem, clock, rng)
        self._custom: dict[str, list[Resource]] = {}
        self._mirrors: dict[Resource, Mirror[Any]] = {PODS: pods, NODES: nodes, **items}
        self._garbage = GarbageCollector(client, clock, rng)
        items[_DEFINITIONS].listen(self._on_definition)
        for mirror in self._mirrors.values():
            self._garbage.watch(mirror)
        sets, deployments = items[REPLICA_SETS], items[DEPLOYMENTS]
        self._runs: list[Callable[[], Coroutine[Any, Any, None]]] = [
            self._garbage.loop.run,
            ReplicaSets(client, sets, pods, clock, rng).loop.run,
            Deployments(client, deployments, sets, clock, rng).loop.run,
            DefaultScheduler(client, pods, nodes, clock, rng).run,
            Namespaces(
                client,
                items[NAMESPACES],
                items[SERVICE_ACCOUNTS],
                items[CONFIG_MAPS],
                self._kinds,
                authority,
                clock=clock,
                rng=rng,
            ).loop.run,
        ]

    async def start(self) -> None:
        """Read everything, then work."""
        for resource, mirror in self._mirrors.items():
            self._launch(resource, mirror.run())
        for mirror in list(self._mirrors.values()):
            await mirror.synced.wait()
        for run in self._runs:
            self._launch(run, run())

    async def stop(self) -> None:
        """End all tasks."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _launch(self, key: Any, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks[key] = asyncio.create_task(work)
        task.add_done_callback(_tell_the_end)

    def _mirror(self, resource: Resource) -> Mirror[Item]:
        return Mirror(self._client, resource, Item, self._clock, self._rng)

    def _kinds(self) -> Iterable[Resource]:
        """Every kind that may have objects in a namespace."""
        return (*self._mirrors, _CORE_EVENTS)

    def _on_definition(self, event: WatchEvent[Item]) -> None:
        """Kinds come and go with their definitions."""
        definition = event.object
        name = definition.metadata.name
        served = [] if event.type is EventType.DELETED else list(_served(definition))
        for gone in [one for one in self._custom.get(name, ()) if one not in served]:
            self._tasks.pop(gone).cancel()
            del self._mirrors[gone]
            self._garbage.forget(gone)
        for new in [one for one in served if one not in self._custom.get(name, ())]:
            mirror = self._mirrors[new] = self._mirror(new)
            self._garbage.watch(mirror)
            self._launch(new, mirror.run())
        self._custom[name] = served


def _tell_the_end(task: "asyncio.Task[None]") -> None:
    """A controller that ends by itself has a fault, and must not end unseen."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        _log.error("a controller of the sandbox has ended: %r", fault, exc_info=fault)


def _served(definition: Item) -> Iterable[Resource]:
    """The stored version of a definition's kind: one is enough to see every object."""
    spec = definition.spec
    for version in spec["versions"]:
        if version.get("storage"):
            names = spec["names"]
            yield Resource(
                spec["group"], version["name"], names["plural"], names["kind"], spec["scope"] == "Namespaced"
            )
