"""How long a pod waits before it is tried again.

Pure arithmetic of kube-scheduler's back-off (pkg/scheduler/backend/queue/backoff_queue.go, 1.36): the wait doubles with
every failed attempt up to a maximum, and its end is cut down to a window of one second, so that pods which become due
together are ordered by priority rather than by milliseconds. Times are seconds of one monotonic clock.
"""

import math
from dataclasses import dataclass

WINDOW_SECONDS = 1.0  # backoffQOrderingWindowDuration
_MAX_SHIFT = 62  # far beyond any maximum that the API admits; keeps the power small


@dataclass(frozen=True, slots=True)
class Backoff:
    """The settings of one profile, in seconds. A maximum of 0 switches back-off off."""

    initial: float
    maximum: float

    def duration(self, failures: int) -> float:
        """Seconds to wait after so many failures; 0 before the first one."""
        if failures == 0 or self.maximum == 0:
            return 0.0
        return float(min(self.initial * 2 ** min(failures - 1, _MAX_SHIFT), self.maximum))

    def expiry(self, since: float, failures: int) -> float | None:
        """When the wait that began at `since` ends, None when there is nothing to wait for."""
        if failures == 0 or self.maximum == 0:
            return None
        return window(since + self.duration(failures))


def window(moment: float) -> float:
    """The start of the one-second window that holds this moment."""
    return math.floor(moment / WINDOW_SECONDS) * WINDOW_SECONDS


def is_backing_off(expiry: float | None, now: float) -> bool:
    """Whether a pod still waits. The window of the expiry itself still counts as waiting."""
    return expiry is not None and expiry >= window(now)
