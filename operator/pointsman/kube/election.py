"""When a candidate may take a Lease: the rules of the election, without any I/O.

Clocks of two machines are never compared. What counts is how long *this* process, by its own monotonic clock, has seen
the same record (client-go's rule, tools/leaderelection 1.36). The time of the first sight is taken after the answer
came, the holder's own deadline is counted from before its request was sent, and the deadline is shorter than the
duration: between the last write of one holder and the first of the next lie at least five seconds.

A Lease that was deleted and made anew says nothing of the holder it had. A candidate that saw that holder waits as
long as if the record were still there. (One that has just started cannot know: the API server's own checks, a binding
to a pod that is bound already above all, are what is left then.)
"""

from collections.abc import Callable
from typing import Any, Final

from pointsman.api.names import LEASE_DURATION_SECONDS
from pointsman.kube.objects import Lease, LeaseSpec

_NOTHING: Final = LeaseSpec()


def holder_of(lease: Lease | None) -> str:
    """Who holds it; empty when nobody does."""
    return (lease.spec.holder_identity or "") if lease is not None and lease.spec is not None else ""


class Observer:
    """What one candidate has seen of a Lease, and since when."""

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._seen: Lease | None = None
        self._since = 0.0
        self._not_before = 0.0  # another holder's last chance to write, when its record is gone

    def see(self, lease: Lease | None, now: float) -> None:
        """Take in what was read (None: there is no Lease) at monotonic second `now`, after the answer came."""
        before, self._seen = self._seen, lease
        if before is not None and lease is not None and _record(before) == _record(lease):
            return
        self._since = now
        vanished = before is not None and (lease is None or lease.metadata.uid != before.metadata.uid)
        if vanished and holder_of(before) not in ("", self._identity):
            self._not_before = now + LEASE_DURATION_SECONDS

    def free_at(self, patience: Callable[[Lease], float]) -> float:
        """The monotonic second from which this candidate may take, or make, the Lease."""
        holder = holder_of(self._seen)
        if self._seen is None or holder == self._identity:
            return self._not_before
        free = self._since + patience(self._seen)
        if holder:
            stated = (self._seen.spec or _NOTHING).lease_duration_seconds or 0
            free += max(stated, LEASE_DURATION_SECONDS)
        return max(free, self._not_before)


def taken(lease: Lease | None, identity: str, now: str) -> dict[str, Any]:
    """The spec that a holder writes, at first and with each renewal; `now` is a MicroTime."""
    spec = (lease.spec if lease is not None else None) or _NOTHING
    ours = spec.holder_identity == identity
    transitions = 0 if spec.lease_transitions is None else spec.lease_transitions + (not ours)
    return {
        "holderIdentity": identity,
        "leaseDurationSeconds": LEASE_DURATION_SECONDS,
        "acquireTime": spec.acquire_time if ours and spec.acquire_time else now,
        "renewTime": now,
        "leaseTransitions": transitions,
    }


def released(now: str) -> dict[str, Any]:
    """The spec that a holder leaves behind: nobody's, and free at once (as client-go leaves it)."""
    return {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": now, "renewTime": now}


def _record(lease: Lease) -> tuple[str, LeaseSpec | None]:
    """What a renewal changes. Annotations are not part of it: others write those without holding anything."""
    return (lease.metadata.uid, lease.spec)
