"""Latencies, rates, counters and the report that carries them."""

import pytest

from pointsman.api.names import REPORT_ANNOTATION
from pointsman.api.report import Attempts, Pending, ProfileReport, Report, UnschedulableReason, decode, encode
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.engine.report.latency import WINDOW, BindRate, Latencies
from pointsman.engine.report.reporting import REFRESH_SECONDS, Reporter, top_reasons
from pointsman.engine.report.statistics import Statistics
from pointsman.kube.objects import Lease, Metadata
from pointsman.testing.builders import pod
from pointsman.testing.clock import VirtualClock


class TestLatencies:
    @pytest.mark.parametrize(
        ("seconds", "p50", "p99"),
        [
            pytest.param([], None, None, id="nothing was bound yet"),
            pytest.param([0.0021], 3, 3, id="rounded up"),
            pytest.param([0.003], 3, 3, id="whole milliseconds stay"),
            pytest.param([0.0], 0, 0, id="no time at all"),
            pytest.param([0.001 * n for n in range(1, 101)], 50, 99, id="nearest rank of a hundred"),
            pytest.param([0.001, 0.009], 1, 9, id="nearest rank of two"),
            pytest.param([0.009, 0.001, 0.005], 5, 9, id="order does not matter"),
        ],
    )
    def test_percentiles_are_nearest_ranks(self, seconds: list[float], p50: int | None, p99: int | None) -> None:
        latencies = Latencies()
        for one in seconds:
            latencies.add(one)
        assert (latencies.percentile(50), latencies.percentile(99)) == (p50, p99)

    def test_only_the_most_recent_waits_count(self) -> None:
        latencies = Latencies()
        for _ in range(WINDOW):
            latencies.add(9.0)
        for _ in range(WINDOW):
            latencies.add(0.001)
        assert latencies.percentile(99) == 1


class TestBindRate:
    @pytest.mark.parametrize(
        ("moments", "expected"),
        [
            pytest.param([], None, id="nothing was bound yet"),
            pytest.param([5.0], "0.1", id="one pod: at least ten seconds count"),
            pytest.param([n / 10 for n in range(201)], "10.1", id="201 pods in 20 s"),
            pytest.param([n * 0.5 for n in range(600)], "2.0", id="two a second for five minutes"),
            pytest.param([n * 0.5 for n in range(2400)], "2.0", id="two a second for twenty minutes"),
            pytest.param([0.0, 1000.0], "0.0", id="2 in 70 s: the pause between does not count"),
            pytest.param(
                [*[n / 10 for n in range(600)], 86400.0], "8.6", id="601 in 70 s: a day's pause does not count"
            ),
        ],
    )
    def test_bindings_per_second_in_the_last_minutes_that_had_any(
        self, moments: list[float], expected: str | None
    ) -> None:
        rate = BindRate()
        for moment in moments:
            rate.add(moment)
        assert rate.per_second() == expected


class TestStatistics:
    def test_counters_and_latencies_are_reported(self) -> None:
        statistics = Statistics()
        statistics.bound(0.012, 0.0)
        statistics.unschedulable()
        statistics.unschedulable()
        statistics.error()
        statistics.bind_conflict()
        reasons = (UnschedulableReason("Insufficient cpu", 2),)
        assert statistics.report("abc", Pending(total=2, unschedulable=2), reasons) == ProfileReport(
            policy_hash="abc",
            pending=Pending(total=2, unschedulable=2),
            attempts=Attempts(scheduled=1, unschedulable=2, error=1),
            pods_per_second="0.1",
            p50_milliseconds=12,
            p99_milliseconds=12,
            bind_conflicts=1,
            unschedulable_reasons=reasons,
        )

    def test_a_new_holder_goes_on_where_the_one_before_stopped(self) -> None:
        before = ProfileReport(
            "old", Pending(9, 9), Attempts(100, 20, 3), "7.5", p50_milliseconds=4, p99_milliseconds=40, bind_conflicts=2
        )
        statistics = Statistics()
        statistics.continue_from(before)
        report = statistics.report("new", Pending())
        assert (report.attempts, report.bind_conflicts) == (Attempts(100, 20, 3), 2)
        assert (report.pods_per_second, report.p50_milliseconds, report.p99_milliseconds) == ("7.5", 4, 40)
        assert (report.policy_hash, report.pending) == ("new", Pending())
        statistics.bound(0.001, 0.0)
        report = statistics.report("new", Pending())
        assert report.attempts.scheduled == 101
        assert report.p99_milliseconds == 1

    def test_counters_never_fall_when_an_older_report_is_read_again(self) -> None:
        statistics = Statistics()
        for _ in range(5):
            statistics.bound(0.0, 0.0)
        statistics.continue_from(ProfileReport("p", attempts=Attempts(3, 4, 0)))
        assert statistics.report("p", Pending()).attempts == Attempts(5, 4, 0)


class Numbers:
    """One profile that reports what the test says."""

    def __init__(self, profile: str = "p") -> None:
        self.profile = profile
        self.statistics = Statistics()
        self.pending = Pending()

    def report(self) -> ProfileReport:
        return self.statistics.report("hash", self.pending)


def _report(annotations: dict[str, str]) -> Report:
    report = decode(annotations[REPORT_ANNOTATION])
    assert report is not None
    return report


def _lease(report: str) -> Lease:
    return Lease(metadata=Metadata(name="l", annotations={REPORT_ANNOTATION: report}))


class TestReporter:
    def test_the_first_report_is_written_at_once_and_names_its_writer(self) -> None:
        report = _report(Reporter("engine-1", [Numbers()], VirtualClock()).annotations(None))
        assert (report.pod, report.updated_at) == ("engine-1", "2026-01-01T00:00:00Z")
        assert list(report.profiles) == ["p"]

    def test_it_changes_before_ten_seconds_of_counting_could_be_lost_and_no_sooner_once_it_has_settled(self) -> None:
        clock, numbers = VirtualClock(), Numbers()
        reporter = Reporter("engine-1", [numbers], clock)
        changed, last = [], reporter.annotations(None)
        for second in range(2, 33, 2):  # a renewal every 2 s, something to tell at each
            clock.jump(2)
            numbers.statistics.bound(0.0, 0.0)
            if (new := reporter.annotations(None)) != last:
                changed.append(second)
            last = new
        assert changed == [2, 6, 14, 22, 30]  # after 2 and 4 s, then every 8: the next renewal would be too late
        assert REFRESH_SECONDS + 2 == 10

    def test_a_report_in_which_nothing_moved_is_not_touched(self) -> None:
        clock = VirtualClock()
        reporter = Reporter("engine-1", [Numbers()], clock)
        first = reporter.annotations(None)
        clock.jump(3600)
        assert reporter.annotations(None) == first

    def test_the_report_of_the_holder_before_is_taken_over_with_the_first_write(self) -> None:
        before = encode(Report("engine-0", "2026-01-01T00:00:00Z", {"p": ProfileReport("old", attempts=Attempts(7))}))
        reporter = Reporter("engine-1", [Numbers()], VirtualClock())
        report = _report(reporter.annotations(_lease(before)))
        assert (report.pod, report.profiles["p"].attempts.scheduled) == ("engine-1", 7)

    def test_a_report_that_nobody_can_read_is_replaced(self) -> None:
        reporter = Reporter("engine-1", [Numbers()], VirtualClock())
        assert _report(reporter.annotations(_lease("{nonsense"))).profiles["p"].attempts == Attempts()

    def test_profiles_of_others_are_left_out(self) -> None:
        before = encode(Report("engine-0", "2026-01-01T00:00:00Z", {"q": ProfileReport("old", attempts=Attempts(7))}))
        report = _report(Reporter("engine-1", [Numbers()], VirtualClock()).annotations(_lease(before)))
        assert {name: one.attempts for name, one in report.profiles.items()} == {"p": Attempts()}

    def test_the_last_report_is_complete(self) -> None:
        clock, numbers = VirtualClock(), Numbers()
        reporter = Reporter("engine-1", [numbers], clock)
        reporter.annotations(None)
        numbers.statistics.bound(0.0, 0.0)
        reporter.end()
        assert _report(reporter.annotations(None)).profiles["p"].attempts.scheduled == 1


def test_reasons_are_ranked_by_the_pods_that_they_keep_waiting() -> None:
    waiting = [
        QueuedPod(pod(str(number)).info(), 0.0, number, reasons=reasons)
        for number, reasons in enumerate(
            [("Insufficient cpu",), ("Insufficient cpu", "Too many pods"), ("Too many pods",), ("node(s) x",), ()]
        )
    ]
    assert top_reasons(waiting) == (
        UnschedulableReason("Insufficient cpu", 2),
        UnschedulableReason("Too many pods", 2),
        UnschedulableReason("node(s) x", 1),
    )
