"""Waiting for a condition instead of sleeping: the only place in the tests that knows a polling interval."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

INTERVAL_SECONDS = 0.05


def eventually(check: Callable[[], T], *, what: str, within: float = 20.0) -> T:
    """Call `check` until it answers with something true, and return that answer.

    `what` completes the sentence "waited N s for …"; `within` is in seconds. An exception of `check` is not caught,
    except AssertionError, which counts as "not yet" and is chained to the final failure.
    """
    deadline = time.monotonic() + within
    reason: AssertionError | None = None
    while True:
        try:
            if answer := check():
                return answer
        except AssertionError as error:
            reason = error
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {within:g} s for {what}") from reason
        time.sleep(INTERVAL_SECONDS)
