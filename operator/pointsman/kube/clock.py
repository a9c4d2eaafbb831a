"""Time as an argument: what waits or measures takes a Clock, so that tests move time by hand.

Two readings, never mixed: `monotonic` for durations and deadlines, `now` for timestamps that leave the process.
"""

import asyncio
import time
from datetime import UTC, datetime
from typing import Final, Protocol

# A machine that was suspended must find its Lease expired, so suspended time counts where the system can tell it.
_BOOTTIME: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


class Clock(Protocol):
    """Where time comes from."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back, whatever happens to the wall clock."""
        ...

    def now(self) -> datetime:
        """Wall clock, aware, UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds; at once (but after other tasks had their turn) for 0 and less."""
        ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        return time.monotonic() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds, 0.0))


def rfc3339(moment: datetime, micro: bool = False) -> str:
    """Render an aware datetime as the API writes `Time` (seconds) or, with `micro`, `MicroTime` (microseconds)."""
    utc = moment.astimezone(UTC)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")
