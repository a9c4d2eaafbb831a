"""Restraint where somebody else keeps changing what we keep putting right.

Another controller that insists, or a webhook that never gives the same answer twice, would otherwise make a loop of
writes, each of which may restart engines. Healing is quick as long as it helps.
"""

from collections import deque
from typing import Final

from pointsman.controller.render.children import Identity
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Conflict

CORRECTIONS: Final = 30
WITHIN_SECONDS: Final = 300.0


class Patience:
    """Counts corrections of each child: so many in five minutes, and no more."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._spent: dict[Identity, deque[float]] = {}

    def spend(self, identity: Identity) -> None:
        """Before a correction; Conflict when there were too many of late."""
        now = self._clock.monotonic()
        spent = self._spent.setdefault(identity, deque(maxlen=CORRECTIONS))
        if len(spent) == CORRECTIONS and now - spent[0] < WITHIN_SECONDS:
            words = f"{identity} was put right {CORRECTIONS} times in {now - spent[0]:.0f} s: who changes it?"
            raise Conflict(409, "Contested", words)
        spent.append(now)
