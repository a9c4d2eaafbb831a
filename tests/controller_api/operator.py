"""An operator without its process: one reconcile at a time, and what it wrote."""

import random
from typing import Any

from pointsman.api import names
from pointsman.controller.apply.apply import Applier
from pointsman.controller.gather.gather import Gatherer
from pointsman.controller.gather.mirrors import Mirrors
from pointsman.controller.metrics import Metrics
from pointsman.controller.reconcile import Reconciler
from pointsman.controller.render.children import Fleet
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.events import EventWriter

FLEET = Fleet(names.FLEET_NAMESPACE, "pointsman/pointsman:0.1.0")
_SETTLED_WITHIN = 10


class Crash(BaseException):
    """The process ended, here."""


class RecordingClient(Client):
    """A client that tells what it wrote, and that can die at a write.

    crash_at: the number of the write, from 1, at which to die; 0 for never
    crash_after: die when the server has done it, not before it is asked
    """

    writes: list[str]
    crash_at: int = 0
    crash_after: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.writes = []

    async def request(self, method: str, path: str, **options: Any) -> bytes:
        writes = method != "GET" and "dryRun" not in options.get("query", {})
        if writes:
            self.writes.append(f"{method} {path}")
        crash = writes and len(self.writes) == self.crash_at
        if crash and not self.crash_after:
            raise Crash
        answer = await super().request(method, path, **options)
        if crash:
            raise Crash
        return answer


class Events(EventWriter):
    """Keeps events instead of writing them."""

    def __init__(self, client: Client, clock: Clock) -> None:
        super().__init__(client, reporting_controller="test", reporting_instance="test", clock=clock)
        self.posted: list[tuple[str, str]] = []

    def post(self, **event: Any) -> None:
        self.posted.append((event["reason"], event["note"]))


class Operator:
    """Reconciles when told to. Its mirrors are never filled: it knows of no engine and no Lease."""

    def __init__(self, client: RecordingClient, clock: Clock, rng: random.Random) -> None:
        self.client = client
        self.leading = True
        self.metrics = Metrics()
        self.events = Events(client, clock)
        self.woken: list[str] = []
        self.mirrors = Mirrors(
            client, names.OPERATOR_NAMESPACE, FLEET, self.woken.append, allow_any_image=False, clock=clock, rng=rng
        )
        gatherer = Gatherer(client, FLEET, self.mirrors)
        applier = Applier(client, lambda: self.leading, clock)
        self.reconciler = Reconciler(client, gatherer, applier, self.events, self.metrics, clock)

    async def reconcile(self, name: str) -> list[str]:
        """One reconcile; returns what it wrote."""
        self.client.writes.clear()
        await self.reconciler.reconcile(name)
        return list(self.client.writes)

    async def settle(self, name: str) -> None:
        """Reconcile until there is nothing left to write."""
        for _ in range(_SETTLED_WITHIN):
            if not await self.reconcile(name):
                return
        raise AssertionError(f"{name} is written again and again: {self.client.writes}")
