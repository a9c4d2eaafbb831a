"""Probes: thresholds as a table, pace and order on a clock that the test moves."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.agent.pods import make_container

from pointsman.sandbox.agent.podspec import Container, Probe
from pointsman.sandbox.agent.probe import Probing, Verdict, observe
from pointsman.testing.clock import VirtualClock

HTTP = {"httpGet": {"path": "/", "port": 80}}


@pytest.mark.parametrize(
    ("initial", "results", "beliefs"),
    [
        pytest.param(False, "+", "+", id="one success makes ready"),
        pytest.param(True, "---", "++-", id="three failures in a row make unready"),
        pytest.param(True, "--+--+", "++++++", id="a success between starts the count again"),
        pytest.param(True, "----+", "++--+", id="back by one success"),
        pytest.param(None, "--", "??", id="nothing is known before a threshold"),
    ],
)
def test_a_belief_changes_after_enough_equal_results(initial: bool | None, results: str, beliefs: str) -> None:
    probe, verdict, found = Probe(failure_threshold=3), Verdict(initial), ""
    for result in results:
        verdict = observe(probe, verdict, result == "+")
        found += {True: "+", False: "-", None: "?"}[verdict.passing]

    assert found == beliefs


def test_a_success_threshold_counts_likewise() -> None:
    probe, verdict, found = Probe(success_threshold=2), Verdict(False), []
    for success in (True, False, True, True):
        verdict = observe(probe, verdict, success)
        found.append(verdict.passing)

    assert found == [False, False, False, True]


class Watched:
    """A container whose probes are asked on a virtual clock; `healthy` says how each kind answers at the moment."""

    def __init__(self, container: Container, clock: VirtualClock) -> None:
        self.clock = clock
        self.healthy = True
        self.asked: list[float] = []  # seconds since the start
        self.started = 0.0
        self.ready: list[bool] = []
        self.began = clock.monotonic()
        probing = Probing(container, self._check, clock, self.began)
        self.task = asyncio.create_task(probing.until_dead(self._on_started, self.ready.append))

    async def _check(self, _: Probe) -> bool:
        self.asked.append(self.clock.monotonic() - self.began)
        return self.healthy

    def _on_started(self) -> None:
        self.started = self.clock.monotonic() - self.began


@pytest.fixture
async def watch(clock: VirtualClock) -> Any:
    tasks: list[asyncio.Task[str]] = []

    def start(**fields: Any) -> Watched:
        watched = Watched(make_container(**fields), clock)
        tasks.append(watched.task)
        return watched

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


Watch = Callable[..., Watched]


async def test_without_probes_a_container_is_started_and_ready_at_once(watch: Watch, clock: VirtualClock) -> None:
    watched = watch()

    await clock.advance(1000)

    assert (watched.ready, watched.task.done()) == ([True], False)


async def test_a_probe_waits_for_its_delay_and_keeps_its_pace(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(readinessProbe={**HTTP, "initialDelaySeconds": 5, "periodSeconds": 10})

    await clock.advance(26)

    assert watched.asked == [5, 15, 25]


async def test_readiness_follows_the_answers(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(readinessProbe={**HTTP, "periodSeconds": 10, "failureThreshold": 2})

    await clock.advance(5)  # asked at 0
    watched.healthy = False
    await clock.advance(10)  # 10: once is not enough
    assert watched.ready == [True]
    await clock.advance(10)  # 20: twice is
    assert watched.ready == [True, False]
    watched.healthy = True
    await clock.advance(10)  # 30

    assert watched.ready == [True, False, True]


async def test_a_liveness_probe_that_fails_ends_the_container(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(livenessProbe={**HTTP, "periodSeconds": 10, "failureThreshold": 3})
    await clock.advance(5)
    watched.healthy = False

    await clock.advance(20)  # failures at 10 and 20
    assert not watched.task.done()
    await clock.advance(10)  # and at 30

    assert watched.task.result() == "container main failed its liveness probe"


async def test_a_failure_in_the_first_period_does_not_count(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(livenessProbe={**HTTP, "periodSeconds": 10, "failureThreshold": 1})
    watched.healthy = False

    await clock.advance(9)  # asked at 0
    assert not watched.task.done()
    await clock.advance(1)

    assert watched.task.done()


async def test_the_other_probes_wait_for_the_startup_probe(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(
        startupProbe={**HTTP, "periodSeconds": 1, "failureThreshold": 30},
        livenessProbe={**HTTP, "periodSeconds": 1, "failureThreshold": 1},
        readinessProbe={**HTTP, "periodSeconds": 1},
    )
    watched.healthy = False
    await clock.advance(7.5)
    assert (watched.started, watched.ready) == (0.0, [])
    watched.healthy = True

    await clock.advance(0.5)

    assert (watched.started, watched.ready, watched.task.done()) == (8.0, [True], False)


async def test_a_startup_probe_that_never_succeeds_ends_the_container(watch: Watch, clock: VirtualClock) -> None:
    watched = watch(startupProbe={**HTTP, "periodSeconds": 2, "failureThreshold": 3})
    watched.healthy = False

    await clock.advance(5)  # failures that count at 2 and 4
    assert not watched.task.done()
    await clock.advance(1)  # and at 6

    assert watched.task.result() == "container main failed its startup probe"
