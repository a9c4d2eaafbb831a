"""How long a crashed container waits before it is started again. Pure.

As the kubelet does it (kuberuntime_manager.go `doBackOff`, client-go util/flowcontrol/backoff.go, 1.36): the first
restart comes at once, the next ones wait base, 2·base, 4·base … up to the cap, counted from the end of the run; a run
longer than twice the cap clears the account. The kubelet's base is 10 s and its cap 300 s; tests turn both down.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BackoffLimits:
    """Seconds."""

    base: float = 10.0
    cap: float = 300.0


@dataclass(frozen=True, slots=True)
class CrashBackoff:
    """One container's account: the wait that precedes its next restart, in seconds."""

    limits: BackoffLimits
    delay: float = 0.0

    def after_run(self, seconds: float) -> "CrashBackoff":
        """The account as it is when a run of that length has ended: cleared after a long one."""
        return CrashBackoff(self.limits) if seconds > 2 * self.limits.cap else self

    def after_restart(self) -> "CrashBackoff":
        """The account once the restart has been made."""
        longer = self.delay * 2 if self.delay else self.limits.base
        return CrashBackoff(self.limits, min(longer, self.limits.cap))
