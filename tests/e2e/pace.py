"""Letting real time pass where that is the subject: an outage of a minute, kills at given moments."""

import time
from collections.abc import Callable

from tests.controlplane.wait import eventually


def pass_time(seconds: float, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Look around, again and again, until so many seconds have passed."""
    until = time.monotonic() + seconds

    def reached() -> bool:
        meanwhile()
        return time.monotonic() >= until

    eventually(reached, what=f"{seconds:g} s to pass", within=max(seconds, 0) + 30)
