"""Back-off, with kube-scheduler's numbers."""

import pytest

from pointsman.engine.queue.backoff import Backoff, is_backing_off


@pytest.mark.parametrize(
    ("initial", "maximum", "expected"),
    [
        pytest.param(1, 10, [0, 1, 2, 4, 8, 10, 10], id="the defaults"),
        pytest.param(2, 5, [0, 2, 4, 5, 5], id="the maximum between two doublings"),
        pytest.param(10, 10, [0, 10, 10], id="initial and maximum equal"),
        pytest.param(1, 0, [0, 0, 0], id="a maximum of nothing switches it off"),
    ],
)
def test_the_wait_doubles_up_to_its_maximum(initial: int, maximum: int, expected: list[int]) -> None:
    backoff = Backoff(initial, maximum)
    assert [backoff.duration(failures) for failures in range(len(expected))] == expected


def test_the_wait_of_a_pod_that_failed_a_thousand_times_is_still_the_maximum() -> None:
    assert Backoff(1, 3600).duration(1000) == 3600


@pytest.mark.parametrize(
    ("now", "waiting"),
    [(5.9, True), (6.0, True), (6.99, True), (7.0, False)],
    ids=["before its window", "at its window's start", "at its window's end", "in the next window"],
)
def test_a_pod_waits_until_the_window_of_its_expiry_is_over(now: float, waiting: bool) -> None:
    expiry = Backoff(1, 10).expiry(5.4, 1)  # 5.4 + 1 = 6.4, cut down to 6
    assert expiry == 6
    assert is_backing_off(expiry, now) is waiting


@pytest.mark.parametrize(("failures", "maximum"), [(0, 10), (3, 0)], ids=["never failed", "back-off is off"])
def test_there_is_nothing_to_wait_for(failures: int, maximum: int) -> None:
    expiry = Backoff(1, maximum).expiry(5.4, failures)
    assert expiry is None
    assert not is_backing_off(expiry, 5.4)
