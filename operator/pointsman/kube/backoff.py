"""How long to wait before trying again: longer each time, and never in step with anybody else."""

import random
from typing import Final

_BASE_SECONDS: Final = 0.5
_CAP_SECONDS: Final = 10.0


class Backoff:
    """Decorrelated jitter: each wait is drawn from [base, 3 times the last one], at most `cap`; all in seconds."""

    def __init__(self, rng: random.Random, base: float = _BASE_SECONDS, cap: float = _CAP_SECONDS) -> None:
        self._rng = rng
        self._base = base
        self._cap = cap
        self._last = base

    def next(self) -> float:
        """The next wait."""
        self._last = min(self._cap, self._rng.uniform(self._base, self._last * 3))
        return self._last

    def reset(self) -> None:
        """Start over: it went well."""
        self._last = self._base
