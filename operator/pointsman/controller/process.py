"""The operator's process: one of its replicas leads and works, the others wait.

A replica that sees another leader ends (the kubelet starts it anew, as a candidate): its knowledge of the cluster is
from before, and a clean start is the simplest way to be sure. One that merely could not renew its Lease, because the
API server is gone, keeps what it knows, writes nothing, and goes on when it holds the Lease again.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from pointsman.api import names
from pointsman.controller.apply.apply import Applier
from pointsman.controller.duty import Duty
from pointsman.controller.gather.gather import Gatherer
from pointsman.controller.gather.mirrors import Mirrors
from pointsman.controller.http import serving
from pointsman.controller.metrics import Metrics
from pointsman.controller.reconcile import Reconciler
from pointsman.controller.render.children import Fleet
from pointsman.controller.shell import Shell
from pointsman.controller.wakes import Wakes
from pointsman.controller.work_queue import WorkQueue
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection
from pointsman.kube.events import EventWriter
from pointsman.kube.lease import Elector

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator is told at its start."""

    identity: str
    namespace: str
    fleet: Fleet
    listen: tuple[str, int]
    allow_any_image: bool = False


async def run(
    client: Client,
    connection: Connection,
    options: Options,
    stop: asyncio.Event,
    *,
    clock: Clock,
    rng: random.Random,
) -> int:
    """Run until `stop` is set; returns the exit code. Raises ServeError."""
    return await _Operator(client, connection, options, stop, clock=clock, rng=rng).run()


class _Operator:
    """Everything wired together."""

    def __init__(
        self,
        client: Client,
        connection: Connection,
        options: Options,
        stop: asyncio.Event,
        *,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._options = options
        self._stop = stop
        self._clock = clock
        self._rng = rng
        self._leads = asyncio.Event()
        self._exit_code = names.EXIT_ENDED
        self._metrics = Metrics()
        self._queue = WorkQueue(clock, rng)
        self._mirrors = Mirrors(
            client,
            options.namespace,
            options.fleet,
            self._queue.add,
            allow_any_image=options.allow_any_image,
            clock=clock,
            rng=rng,
        )
        self._events = EventWriter(
            client,
            reporting_controller=names.OPERATOR_REPORTING_CONTROLLER,
            reporting_instance=options.identity,
            clock=clock,
        )
        self._elector = self._make_elector(client)
        self._duty = self._make_duty(client)
        self._shell = self._make_shell(connection)

    def _make_elector(self, client: Client) -> Elector:
        return Elector(
            client,
            self._options.namespace,
            names.OPERATOR_LEASE,
            self._options.identity,
            clock=self._clock,
            rng=self._rng,
            create=True,
            on_acquired=self._acquired,
            on_lost=self._lost,
        )

    def _make_duty(self, client: Client) -> Duty:
        gatherer = Gatherer(client, self._options.fleet, self._mirrors)
        applier = Applier(client, self._elector.may_write, self._clock)
        reconciler = Reconciler(client, gatherer, applier, self._events, self._metrics, self._clock)
        return Duty(self._queue, self._mirrors, gatherer, reconciler, self._metrics, clock=self._clock, rng=self._rng)

    def _make_shell(self, connection: Connection) -> Shell:
        wakes = Wakes(self._queue.add, self._mirrors.roster)
        return Shell(
            connection,
            self._options.fleet.namespace,
            wakes.on_profile,
            wakes.on_child,
            self._duty.served,
            clock=self._clock,
            rng=self._rng,
        )

    async def run(self) -> int:
        """Serve, wait for the lead, work; the Lease is released last, when nothing writes any more."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(
                serving(*self._options.listen, alive=self._troubles, ready=self._missing, metrics=self._metrics)
            )
            elector = await stack.enter_async_context(_running(self._elector.run(), "elector"))
            work = await stack.enter_async_context(_running(self._work(), "work"))
            stopped = await stack.enter_async_context(_running(self._stop.wait(), "stop"))
            done, _ = await asyncio.wait({elector, work, stopped}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        return self._exit_code

    async def _work(self) -> None:
        await self._leads.wait()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._events.run())
            group.create_task(self._duty.run(self._shell))

    def _acquired(self) -> None:
        self._metrics.leader.set(1)
        self._leads.set()
        for name in self._mirrors.roster.names():
            self._queue.add(name)

    def _lost(self, holder: str) -> None:
        self._metrics.leader.set(0)
        if holder:
            _log.error("%s leads now; this operator ends", holder)
            self._exit_code = names.EXIT_FAULT
            self._stop.set()

    def _troubles(self) -> list[str]:
        """What only a restart mends. An API server that does not answer is not among it."""
        return [*self._mirrors.silent(), *self._shell.stuck()] if self._leads.is_set() else []

    def _missing(self) -> list[str]:
        """What it waits for before it can work, or stand by."""
        if not self._leads.is_set():
            fault = self._elector.last_error
            return [fault] if fault or self._elector.lease is None else []
        missing = self._mirrors.missing()
        return missing if missing or self._shell.watching else [self._duty.last_fault or "profiles are not watched yet"]


@asynccontextmanager
async def _running(work: Coroutine[Any, Any, object], name: str) -> AsyncIterator[asyncio.Task[object]]:
    """Run a task for as long as the block lasts, and wait for its end."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
