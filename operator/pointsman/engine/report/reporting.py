"""The engine's report: built from every policy's numbers, carried by the Lease, taken over from the holder before.

It rides on the renewals of the Lease, so that an engine needs no right on the profile. It is built anew only when the
next renewal would come more than ten seconds after the last change, so that a kill loses no more than ten seconds of
counting; and it replaces the one before only when a number moved, so that an idle profile is not written. Its first
changes come sooner, after 2 and 4 s: an engine that is killed again and again gets its counting through as well.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from pointsman.api.names import LEASE_RENEW_SECONDS, REPORT_ANNOTATION, REPORT_INTERVAL_SECONDS
from pointsman.api.report import MAX_REASONS, ProfileReport, Report, UnschedulableReason, decode, encode
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.engine.report.statistics import Statistics
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.objects import Lease

REFRESH_SECONDS = float(REPORT_INTERVAL_SECONDS - LEASE_RENEW_SECONDS)
_RENEWAL_SLACK_SECONDS = LEASE_RENEW_SECONDS / 2  # a renewal may come a little early


class Reported(Protocol):
    """Whoever has numbers to report: the scheduler of one policy."""

    @property
    def profile(self) -> str: ...
    @property
    def statistics(self) -> Statistics:
        """The counters, which take over what earlier holders reported."""
        ...

    def report(self) -> ProfileReport:
        """How things stand now."""
        ...


class Reporter:
    """Keeps the annotation that the next write of the Lease carries."""

    def __init__(
        self,
        pod_name: str,
        reported: Sequence[Reported],
        clock: Clock,
    ) -> None:
        """`reported` may still be filled after this is made."""
        self._pod_name = pod_name
        self._reported = reported
        self._clock = clock
        self._profiles: dict[str, ProfileReport] = {}
        self._text = ""
        self._changed = 0.0
        self._interval = float(LEASE_RENEW_SECONDS)
        self._ending = False

    def annotations(self, lease: Lease | None) -> dict[str, str]:
        """What to write on the Lease, which was last seen as given: the report, new if it is due."""
        self._take_over(lease)
        if self._is_due():
            profiles = {one.profile: one.report() for one in self._reported}
            if profiles != self._profiles:
                self._replace(profiles)
        return {REPORT_ANNOTATION: self._text}

    def end(self) -> None:
        """The engine ends in good order: what it writes from now on is complete to the last binding."""
        self._ending = True

    def _is_due(self) -> bool:
        waited = self._clock.monotonic() - self._changed
        return not self._text or self._ending or waited >= self._interval - _RENEWAL_SLACK_SECONDS

    def _replace(self, profiles: dict[str, ProfileReport]) -> None:
        if self._text:
            self._interval = min(2 * self._interval, REFRESH_SECONDS)
        self._profiles = profiles
        self._text = encode(Report(self._pod_name, rfc3339(self._clock.now()), profiles))
        self._changed = self._clock.monotonic()

    def _take_over(self, lease: Lease | None) -> None:
        text = "" if lease is None else lease.metadata.annotations.get(REPORT_ANNOTATION, "")
        if not text or text == self._text:
            return
        report = decode(text)
        if report is None:
            return
        for one in self._reported:
            if (before := report.profiles.get(one.profile)) is not None:
                one.statistics.continue_from(before)


def top_reasons(records: Iterable[QueuedPod]) -> tuple[UnschedulableReason, ...]:
    """Why pods wait, most frequent first. A pod that several reasons keep from its nodes counts under each."""
    pods: dict[str, int] = {}
    for record in records:
        for reason in set(record.reasons):
            pods[reason] = pods.get(reason, 0) + 1
    ranked = sorted(pods.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(UnschedulableReason(reason, count) for reason, count in ranked[:MAX_REASONS])
