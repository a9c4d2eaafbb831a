"""Waits between restarts: none, then base, doubled up to the cap, forgotten after a long run."""

import pytest

from pointsman.sandbox.agent.backoff import BackoffLimits, CrashBackoff


def waits(limits: BackoffLimits, runs: list[float]) -> list[float]:
    """The wait after each of these runs, given in seconds."""
    account, found = CrashBackoff(limits), []
    for seconds in runs:
        account = account.after_run(seconds)
        found.append(account.delay)
        account = account.after_restart()
    return found


@pytest.mark.parametrize(
    ("limits", "runs", "expected"),
    [
        pytest.param(
            BackoffLimits(), [1] * 8, [0, 10, 20, 40, 80, 160, 300, 300], id="the kubelet's: 10 s doubled up to 300 s"
        ),
        pytest.param(BackoffLimits(), [1, 1, 600, 1], [0, 10, 20, 40], id="a run of exactly twice the cap is not long"),
        pytest.param(BackoffLimits(), [1, 1, 601, 1], [0, 10, 0, 10], id="a longer one starts all over"),
        pytest.param(
            BackoffLimits(0.1, 0.4), [0, 0, 0, 0, 0.9], [0, 0.1, 0.2, 0.4, 0], id="turned down, reset and all"
        ),
        pytest.param(BackoffLimits(0, 0), [0, 0, 0], [0, 0, 0], id="switched off"),
    ],
)
def test_the_wait_before_each_restart(limits: BackoffLimits, runs: list[float], expected: list[float]) -> None:
    assert waits(limits, runs) == expected
