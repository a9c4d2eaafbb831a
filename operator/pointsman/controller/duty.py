"""What the operator that leads does: watch, reconcile, and look at everything again now and then.

A lost event costs minutes, not for ever: every ten minutes, not always the same ten, all profiles are listed and
reconciled. Nothing is reconciled before the mirrors are complete and all profiles are known, for a world that is only
half seen looks like one in which engines are missing.
"""

import asyncio
import logging
import random
from typing import Final

from pointsman.controller.apply.apply import Refused
from pointsman.controller.gather.gather import Gatherer
from pointsman.controller.gather.mirrors import Mirrors
from pointsman.controller.metrics import Metrics
from pointsman.controller.reconcile import Reconciler
from pointsman.controller.shell import Shell
from pointsman.controller.work_queue import WorkQueue
from pointsman.kube.backoff import Backoff
from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError, NotFound, NotSent

WORKERS: Final = 8
RESYNC_SECONDS: Final = 600.0
_NOT_LEADING_SECONDS: Final = 2.0
_JITTER: Final = 0.2

_log: Final = logging.getLogger(__name__)


class Duty:
    """The work of the leader."""

    def __init__(
        self,
        queue: WorkQueue,
        mirrors: Mirrors,
        gatherer: Gatherer,
        reconciler: Reconciler,
        metrics: Metrics,
        *,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._queue = queue
        self._mirrors = mirrors
        self._gatherer = gatherer
        self._reconciler = reconciler
        self._metrics = metrics
        self._clock = clock
        self._rng = rng
        self.last_fault = ""

    async def run(self, shell: Shell) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._mirrors.run())
                await self._mirrors.synced()
                await self.served()
                group.create_task(shell.run())
                group.create_task(self._resync())
                for _ in range(WORKERS):
                    group.create_task(self._work())
        finally:
            self._queue.close()

    async def served(self) -> None:
        """Wait until the API server can list profiles; then all of them are known and queued."""
        backoff = Backoff(self._rng)
        while not await self._list():
            await self._clock.sleep(backoff.next())

    async def _list(self) -> bool:
        try:
            names = self._mirrors.roster.fill(await self._gatherer.profiles())
        except KubeError as error:
            hint = "; is the CustomResourceDefinition installed?" if isinstance(error, NotFound) else ""
            self._complain(f"cannot list schedulerprofiles: {error}{hint}")
            return False
        for name in names:
            self._queue.add(name)
        return True

    async def _resync(self) -> None:
        while True:
            await self._clock.sleep(RESYNC_SECONDS * (1 + _JITTER * (2 * self._rng.random() - 1)))
            await self._list()

    async def _work(self) -> None:
        while True:
            name = await self._queue.get()
            start = self._clock.monotonic()
            result = await self._reconcile(name)
            self._metrics.reconciles.labels(result).inc()
            self._metrics.seconds.observe(self._clock.monotonic() - start)

    async def _reconcile(self, name: str) -> str:
        """Reconcile a name and settle with the queue; returns the result's name for the metrics."""
        try:
            again_after = await self._reconciler.reconcile(name)
        except NotSent:
            self._queue.done(name, again_after=_NOT_LEADING_SECONDS)
            return "not_leading"
        except (KubeError, Refused) as error:
            pause = self._queue.failed(name)
            _log.warning("%s; next try in %.0f s", error, pause, extra={"profile": name})
            return "refused" if isinstance(error, Refused) else "error"
        except Exception:  # noqa: BLE001 - a fault with one profile must not end the others'
            pause = self._queue.failed(name)
            _log.exception("a reconcile failed; next try in %.0f s", pause, extra={"profile": name})
            return "fault"
        self._queue.done(name, again_after=again_after)
        return "success"

    def _complain(self, fault: str) -> None:
        if fault != self.last_fault:
            _log.warning("%s", fault)
        self.last_fault = fault
