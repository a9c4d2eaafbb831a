"""What one policy has done since its profile began: counters that never fall, latencies, the rate of bindings.

An engine comes and goes; the numbers go on. A new holder of the Lease starts from the last report of the one before
it, and until it has bound a pod itself it also repeats that one's latencies and rate.
"""

from pointsman.api.report import Attempts, Pending, ProfileReport, UnschedulableReason
from pointsman.engine.report.latency import BindRate, Latencies


class Statistics:
    """One policy's numbers. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._scheduled = 0
        self._unschedulable = 0
        self._error = 0
        self._preemptions = 0
        self._bind_conflicts = 0
        self._latencies = Latencies()
        self._rate = BindRate()
        self._before = ProfileReport(policy_hash="")

    def bound(self, waited: float, now: float) -> None:
        """The API server acknowledged a binding, so many seconds after the pod was first queued without gates."""
        self._scheduled += 1
        self._latencies.add(waited)
        self._rate.add(now)

    def unschedulable(self) -> None:
        """An attempt ended with no node."""
        self._unschedulable += 1

    def error(self) -> None:
        """An attempt or a binding failed."""
        self._error += 1

    def preempted(self, victims: int) -> None:
        """So many pods are to be evicted for one of ours."""
        self._preemptions += victims

    def bind_conflict(self) -> None:
        """Somebody else had bound the pod."""
        self._bind_conflicts += 1

    def continue_from(self, report: ProfileReport) -> None:
        """Go on where another holder, or this engine before its restart, stopped."""
        self._before = report
        self._scheduled = max(self._scheduled, report.attempts.scheduled)
        self._unschedulable = max(self._unschedulable, report.attempts.unschedulable)
        self._error = max(self._error, report.attempts.error)
        self._preemptions = max(self._preemptions, report.preemptions)
        self._bind_conflicts = max(self._bind_conflicts, report.bind_conflicts)

    def report(
        self, policy_hash: str, pending: Pending, reasons: tuple[UnschedulableReason, ...] = ()
    ) -> ProfileReport:
        """The numbers of this moment, under the short hash of the policy in force."""
        p50, p99 = self._latencies.percentile(50), self._latencies.percentile(99)
        return ProfileReport(
            policy_hash=policy_hash,
            pending=pending,
            attempts=Attempts(self._scheduled, self._unschedulable, self._error),
            pods_per_second=self._rate.per_second() or self._before.pods_per_second,
            p50_milliseconds=self._before.p50_milliseconds if p50 is None else p50,
            p99_milliseconds=self._before.p99_milliseconds if p99 is None else p99,
            preemptions=self._preemptions,
            bind_conflicts=self._bind_conflicts,
            unschedulable_reasons=reasons,
        )
