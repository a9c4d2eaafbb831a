"""How long pods waited for their node, and how many found one per second. Exact, bounded and without a clock."""

from collections import deque
from math import ceil

WINDOW = 1000  # the most recent bindings that percentiles look at
MINUTE_SECONDS = 60.0
BUSY_MINUTES = 5
_SHORTEST_SPAN_SECONDS = 10.0  # a burst of one second must not be reported as a rate


class Latencies:
    """The most recent waits, as whole microseconds so that rounding up to milliseconds is exact."""

    def __init__(self) -> None:
        self._recent: deque[int] = deque(maxlen=WINDOW)

    def add(self, seconds: float) -> None:
        self._recent.append(max(round(seconds * 1_000_000), 0))

    def percentile(self, percent: int) -> int | None:
        """Nearest rank, in milliseconds rounded up; None before the first wait."""
        if not self._recent:
            return None
        rank = ceil(len(self._recent) * percent / 100)
        return ceil(sorted(self._recent)[max(rank, 1) - 1] / 1000)


class BindRate:
    """Bindings per second over the last five minutes in which there were any.

    A busy minute begins with a binding outside the one before it. Minutes without bindings do not count, so the rate
    of an idle scheduler stays what it was and its report does not change.
    """

    def __init__(self) -> None:
        self._minutes: deque[tuple[float, int]] = deque(maxlen=BUSY_MINUTES)  # start, bindings
        self._last = 0.0

    def add(self, moment: float) -> None:
        """One more binding; moments in monotonic seconds, never falling."""
        self._last = moment
        if self._minutes and moment - self._minutes[-1][0] < MINUTE_SECONDS:
            start, bindings = self._minutes[-1]
            self._minutes[-1] = (start, bindings + 1)
            return
        adjoining = self._minutes and moment - self._minutes[-1][0] < 2 * MINUTE_SECONDS
        self._minutes.append((self._minutes[-1][0] + MINUTE_SECONDS if adjoining else moment, 1))

    def per_second(self) -> str | None:
        """With one decimal; None before the first binding."""
        if not self._minutes:
            return None
        open_minute = max(self._last - self._minutes[-1][0], _SHORTEST_SPAN_SECONDS)
        seconds = MINUTE_SECONDS * (len(self._minutes) - 1) + open_minute
        return f"{sum(bindings for _, bindings in self._minutes) / seconds:.1f}"
