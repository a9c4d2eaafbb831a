"""Whether this engine may decide, and when it must end.

The Lease is the profile's: the operator makes it, whoever holds it schedules, and the report rides on its renewals. An
engine that sees another holder ends, because its picture of who decides was wrong; one that merely missed the deadline
stops binding and tries again with caches and queue as they are.

A profile that is deleted takes its engine's Lease and rights along, in no particular order and perhaps before the
engine itself. An engine whose Lease, once seen, answers nothing but "not found", "forbidden" and "unauthorized" for
the length of a Lease, at least one of the latter two among it, takes its profile for gone and ends quietly. A Lease
that is only not found will be made again, and an engine that never saw one waits for its operator.
"""

import asyncio
import random
from collections.abc import Callable, Collection

from pointsman.api.names import LEASE_DURATION_SECONDS, WANTED_POLICY_ANNOTATION
from pointsman.engine.process.identity import Identity
from pointsman.engine.report.reporting import Reporter
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Forbidden, KubeError, NotFound, Unauthorized
from pointsman.kube.lease import Elector
from pointsman.kube.objects import Lease

_LOOK_SECONDS = 1.0


class Leadership:
    """The engine's side of the election."""

    def __init__(
        self,
        client: Client,
        who: Identity,
        reporter: Reporter,
        short_hashes: Collection[str],
        *,
        clock: Clock,
        rng: random.Random,
        on_acquired: Callable[[], None],
    ) -> None:
        """`short_hashes` are those of the policies in force."""
        self._short_hashes = frozenset(short_hashes)
        self._clock = clock
        self._other = ""
        self._replaced = asyncio.Event()
        self._elector = Elector(
            client,
            who.lease_namespace,
            who.lease_name,
            who.pod_name,
            clock=clock,
            rng=rng,
            create=False,
            on_acquired=on_acquired,
            on_lost=self._lost,
            annotations=lambda: reporter.annotations(self._elector.lease),
            patience=self._patience,
        )

    @property
    def holding(self) -> bool:
        """Whether this engine holds the Lease."""
        return self._elector.holding

    def may_write(self) -> bool:
        """Whether a write may go out now; to be asked right before each."""
        return self._elector.may_write()

    async def run(self) -> None:
        """Take and renew the Lease until cancelled, then release it with a last, complete report."""
        await self._elector.run()

    async def replaced(self) -> str:
        """Return the identity of another holder, as soon as one is seen: this engine must end then."""
        await self._replaced.wait()
        return self._other

    async def profile_gone(self) -> None:
        """Return when the profile is gone."""
        refusals = Refusals()
        while not refusals.mean_gone(self._clock.monotonic()):
            await self._clock.sleep(_LOOK_SECONDS)
            refusals.look(self._elector.lease, self._elector.last_failure, self._clock.monotonic())

    def _lost(self, holder: str) -> None:
        if holder:
            self._other = holder
            self._replaced.set()

    def _patience(self, lease: Lease) -> float:
        """A standby with another policy than the wanted one lets one with the right policy go first."""
        wanted = lease.metadata.annotations.get(WANTED_POLICY_ANNOTATION, "")
        return 0.0 if not wanted or wanted in self._short_hashes else float(LEASE_DURATION_SECONDS)


class Refusals:
    """How long the Lease has answered nothing but refusals. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._seen = False
        self._since: float | None = None
        self._denied = False

    def look(self, lease: Lease | None, failure: KubeError | None, now: float) -> None:
        """Take in the state of the last round: the Lease as last seen, and why it failed."""
        self._seen = self._seen or lease is not None
        if not isinstance(failure, NotFound | Forbidden | Unauthorized):
            self._since, self._denied = None, False
            return
        self._since = now if self._since is None else self._since
        self._denied = self._denied or not isinstance(failure, NotFound)

    def mean_gone(self, now: float) -> bool:
        """Whether the profile must be gone."""
        long = self._since is not None and now - self._since >= LEASE_DURATION_SECONDS
        return self._seen and self._denied and long
