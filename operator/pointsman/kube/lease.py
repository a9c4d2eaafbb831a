"""Who may write: leader election on a Lease, with a fence.

A Lease alone does not keep two processes from writing at once: a holder that was frozen, or cut off, does not notice
that it was replaced. So the holder looks at its own clock before each write (`may_write`) and stops by itself, earlier
than anybody else starts. What it was allowed is counted from before its last renewal was *sent*. All writes carry the
resourceVersion that they build on, so that of two candidates one gets a 409.

A renewal is one request: a merge patch of the spec and of our own annotations, which leaves those of others alone.
"""

import logging
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from pointsman.api.names import LEASE_DEADLINE_SECONDS, LEASE_RENEW_SECONDS
from pointsman.kube.client import Client, PatchKind, decode
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.election import Observer, holder_of, released, taken
from pointsman.kube.errors import Conflict, KubeError, NotFound
from pointsman.kube.objects import Lease
from pointsman.kube.resources import LEASES

_ATTEMPTS: Final = 3  # in one round, when another writer is faster
_REQUEST_SECONDS: Final = LEASE_DEADLINE_SECONDS / 2
_RELEASE_SECONDS: Final = 3.0  # a process that is ending does not wait long
_PAUSE_SECONDS: Final = 0.2  # at least, between two rounds
_JITTER: Final = 0.2  # candidates come up to this part later, so that they do not come together
_NEVER: Final = float("-inf")

_log = logging.getLogger(__name__)


def _ignore() -> None:
    return


def _ignore_holder(_holder: str) -> None:
    return


def _no_annotations() -> Mapping[str, str]:
    return {}


def _no_patience(_lease: Lease) -> float:
    return 0.0


class Elector:
    """Takes, renews and releases one Lease for `identity`.

    create: make the Lease where there is none; else wait until somebody does
    on_acquired: called each time that holding begins
    on_lost: called each time that it ends: with "" when renewals failed past the deadline or the Lease is gone, with
        the other's identity when another holder is seen. After "" the latter may still follow, once.
    annotations: merged into the Lease's annotations with each renewal, and with the release
    patience: seconds that a candidate waits beyond what the rules ask, before it takes what another held or released
    """

    def __init__(  # noqa: PLR0913 - all but four by keyword
        self,
        client: Client,
        namespace: str,
        name: str,
        identity: str,
        *,
        clock: Clock,
        rng: random.Random,
        create: bool,
        on_acquired: Callable[[], None] = _ignore,
        on_lost: Callable[[str], None] = _ignore_holder,
        annotations: Callable[[], Mapping[str, str]] = _no_annotations,
        patience: Callable[[Lease], float] = _no_patience,
    ) -> None:
        self.lease: Lease | None = None  # as last seen
        self.last_error = ""  # why the last round failed; empty when it did not
        self.last_failure: KubeError | None = None  # the same as it was raised
        self._client = client
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._clock = clock
        self._rng = rng
        self._create = create
        self._on_acquired = on_acquired
        self._on_lost = on_lost
        self._annotations = annotations
        self._patience = patience
        self._observer = Observer(identity)
        self._valid_until = _NEVER
        self._ending = False
        self._leading = False  # what the callbacks were told
        self._led = False  # held once, and not yet told of another holder

    @property
    def holding(self) -> bool:
        """Acquired, and the deadline of the last successful write has not passed."""
        return self._clock.monotonic() < self._valid_until

    def may_write(self) -> bool:
        """Whether a write may be sent now; to be asked right before each."""
        return self.holding

    async def run(self) -> None:
        """Take the Lease when it is free and renew it, until cancelled; then release it.

        Whoever writes under it must have stopped before this is cancelled. No answer of the server ends it.
        """
        try:
            while True:
                start = self._clock.monotonic()
                self._watch_deadline()
                try:
                    await self._round()
                except KubeError as error:
                    self._failed(error)
                else:
                    self.last_error, self.last_failure = "", None
                self._watch_deadline()
                await self._clock.sleep(self._pause(start))
        finally:
            await self._release()

    async def _round(self) -> None:
        """Renew, or take the Lease if it is free; KubeError when the server does not let us."""
        read = not self.holding
        for _ in range(_ATTEMPTS):
            try:
                if read:
                    await self._read()
                if self._clock.monotonic() >= self._observer.free_at(self._patience):
                    await self._write()
            except Conflict:
                read = True
            except NotFound:
                self._see(None)
                if not self._create:
                    raise
                read = False
            else:
                return

    async def _read(self) -> None:
        self._see(decode(await self._call("GET", LEASES.path(self._namespace, self._name)), Lease))

    async def _write(self) -> None:
        sent = self._clock.monotonic()
        spec = taken(self.lease, self._identity, rfc3339(self._clock.now(), micro=True))
        if self.lease is None:
            content = await self._make(spec)
        else:
            content = await self._patch(spec)
        self.lease = decode(content, Lease)
        self._observer.see(self.lease, self._clock.monotonic())
        self._valid_until = sent + LEASE_DEADLINE_SECONDS
        if not self._leading and self.holding:
            self._leading = self._led = True
            _log.info("%s acquired Lease %s/%s", self._identity, self._namespace, self._name)
            self._on_acquired()

    async def _make(self, spec: dict[str, Any]) -> bytes:
        lease = {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.kind,
            "metadata": {"name": self._name, "namespace": self._namespace, **self._metadata()},
            "spec": spec,
        }
        return await self._call("POST", LEASES.path(self._namespace), lease)

    async def _patch(self, spec: dict[str, Any]) -> bytes:
        version = self.lease.metadata.resource_version if self.lease is not None else ""
        patch = {"metadata": {"resourceVersion": version, **self._metadata()}, "spec": spec}
        return await self._call("PATCH", LEASES.path(self._namespace, self._name), patch)

    def _metadata(self) -> dict[str, Any]:
        annotations = dict(self._annotations())
        return {"annotations": annotations} if annotations else {}

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        return await self._client.request(
            method,
            path,
            body=None if body is None else msgspec.json.encode(body),
            content_type=PatchKind.MERGE if method == "PATCH" else "application/json",
            timeout=self._request_seconds(),
            urgent=True,  # a queue of bindings must not cost the Lease
        )

    def _see(self, lease: Lease | None) -> None:
        """Take in what the server has; whoever is not named there does not hold."""
        self.lease = lease
        self._observer.see(lease, self._clock.monotonic())
        holder = holder_of(lease)
        if holder == self._identity:
            return
        self._valid_until = _NEVER
        if self._leading or (self._led and holder):
            self._lost(holder)

    def _watch_deadline(self) -> None:
        if self._leading and not self.holding:
            self._lost("")

    def _lost(self, holder: str) -> None:
        self._leading = False
        self._led = not holder
        _log.warning(
            "%s lost Lease %s/%s%s",
            self._identity,
            self._namespace,
            self._name,
            f" to {holder}" if holder else f": {self.last_error or 'it was not renewed in time'}",
        )
        self._on_lost(holder)

    def _failed(self, error: KubeError) -> None:
        words = f"Lease {self._namespace}/{self._name}: {error}"
        if words != self.last_error:
            _log.warning("%s", words)
        self.last_error, self.last_failure = words, error

    def _request_seconds(self) -> float:
        """How long one request may take: never past the deadline, so that it is noticed in time."""
        if self._ending:
            return _RELEASE_SECONDS
        left = self._valid_until - self._clock.monotonic()
        return min(_REQUEST_SECONDS, left) if left > 0 else _REQUEST_SECONDS

    def _pause(self, start: float) -> float:
        now = self._clock.monotonic()
        if self.holding:
            due = min(start + LEASE_RENEW_SECONDS, self._valid_until)
        else:
            due = now + LEASE_RENEW_SECONDS * (1 + _JITTER * self._rng.random())
            free = self._observer.free_at(self._patience)
            due = min(due, free) if free > now else due
        return max(due - now, _PAUSE_SECONDS)

    async def _release(self) -> None:
        self._ending = True
        self._valid_until = _NEVER
        self._leading = self._led = False
        try:
            for _ in range(_ATTEMPTS):
                if holder_of(self.lease) != self._identity:
                    return
                try:
                    await self._patch(released(rfc3339(self._clock.now(), micro=True)))
                except Conflict:
                    await self._read()
                else:
                    _log.info("%s released Lease %s/%s", self._identity, self._namespace, self._name)
                    return
        except KubeError as error:
            _log.warning("Lease %s/%s was not released: %s", self._namespace, self._name, error)
