"""The Node objects of the hollow nodes: made, brought up to date, kept alive if wanted, removed.

Heartbeats. A hollow node's status never changes, so it is written once. Leases in `kube-node-lease` are what tells the
node lifecycle controller that a node lives, and a thousand of them every ten seconds would be the most work by far of
a test cluster; so they are renewed only when `heartbeat_seconds` is set. Leave it at 0 where that controller is off
(as in this project's own control plane); set it to 20 on a cluster where it is on (its patience is 50 s), and the
renewals are spread evenly over that time.

An API server with the admission plugin TaintNodesByCondition gives each new node the taint `not-ready`, and it is that
controller again that takes it away: where the controller is off, the plugin must be too.
"""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.errors import Conflict, KubeError, NotFound
from pointsman.kube.resources import LEASES, NODES
from pointsman.sandbox.agent.shape import NodeShape, node_object, node_patch, node_status

log = logging.getLogger(__name__)

_AT_ONCE: Final = 16
_LEASE_NAMESPACE: Final = "kube-node-lease"
_LEASE_PERIODS: Final = 3  # heartbeats that may fail before a Lease has run out


class NodeRegistrar:
    """Writes Node objects. All calls raise KubeError when the API server refuses or does not answer."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def register(self, shapes: Sequence[NodeShape], addresses: Sequence[str]) -> None:
        """Creates the nodes, or brings those that exist to their shape and to Ready. One call for a new node."""
        await _each(itertools.starmap(self._register, zip(shapes, addresses, strict=True)))

    async def remove(self, names: Iterable[str]) -> None:
        """Deletes nodes; one that is gone already is no fault."""
        await _each(map(self._remove, names))

    async def keep_alive(self, names: Callable[[], Sequence[str]], heartbeat_seconds: float) -> None:
        """Renews the nodes' Leases for ever, each once in that time, one after the other."""
        while True:
            nodes = names()
            for name in nodes:
                try:
                    await self._renew(name, heartbeat_seconds)
                except KubeError as fault:
                    log.warning("node %s: its Lease is not renewed: %s", name, fault)
                await self._clock.sleep(heartbeat_seconds / len(nodes))
            if not nodes:
                await self._clock.sleep(heartbeat_seconds)

    async def _register(self, shape: NodeShape, address: str) -> None:
        now = self._clock.now()
        try:
            await self._client.create(NODES.path(), node_object(shape, address, now))
        except Conflict:
            status = {"status": node_status(shape, address, now)}
            await self._client.patch(NODES.path(name=shape.name), node_patch(shape), kind=PatchKind.MERGE)
            await self._client.patch(NODES.path(name=shape.name, subresource="status"), status, kind=PatchKind.MERGE)

    async def _remove(self, name: str) -> None:
        try:
            await self._client.delete(NODES.path(name=name))
        except NotFound:
            return

    async def _renew(self, name: str, heartbeat_seconds: float) -> None:
        spec = {
            "holderIdentity": name,
            "leaseDurationSeconds": max(1, round(heartbeat_seconds * _LEASE_PERIODS)),
            "renewTime": rfc3339(self._clock.now(), micro=True),
        }
        try:
            path = LEASES.path(_LEASE_NAMESPACE, name)
            await self._client.patch(path, {"spec": spec}, kind=PatchKind.MERGE)
        except NotFound:
            lease: dict[str, Any] = {
                "apiVersion": LEASES.api_version,
                "kind": LEASES.kind,
                "metadata": {"name": name, "namespace": _LEASE_NAMESPACE},
                "spec": spec,
            }
            await self._client.create(LEASES.path(_LEASE_NAMESPACE), lease)


async def _each(calls: Iterable[Awaitable[None]]) -> None:
    """Makes all calls, a few at once. The first fault is raised after the calls under way have ended."""
    pending = iter(calls)

    async def work() -> None:
        for call in pending:
            await call

    results = await asyncio.gather(*(work() for _ in range(_AT_ONCE)), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
