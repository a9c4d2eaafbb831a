"""The life of one container on a clock that the test moves, with processes that end when the test says so."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.unit.agent.pods import make_container

from pointsman.kube.clock import Clock
from pointsman.kube.errors import Unreachable
from pointsman.sandbox.agent.backoff import BackoffLimits
from pointsman.sandbox.agent.container import ContainerRunner, Hooks, Terms
from pointsman.sandbox.agent.podspec import Container, Probe
from pointsman.sandbox.agent.process import Exit
from pointsman.sandbox.agent.sources import ConfigError
from pointsman.sandbox.agent.states import ContainerState, Running, Terminated, Waiting
from pointsman.testing.clock import VirtualClock


class FakeProcess:
    """Ends when told to: by the test, or by SIGKILL after the grace (`stubborn`), or at once when asked."""

    pid = 1

    def __init__(self, stubborn: bool) -> None:
        self._stubborn = stubborn
        self._ended = asyncio.get_running_loop().create_future()

    def exit(self, code: int, signal: int = 0) -> None:
        self._ended.set_result(Exit(code, signal))

    async def wait(self) -> Exit:
        exit_: Exit = await asyncio.shield(self._ended)
        return exit_

    def signal(self, number: int) -> None:
        self.exit(128 + number, number)

    async def end(self, grace_seconds: float, clock: Clock) -> Exit:
        if self._stubborn:
            await clock.sleep(grace_seconds)
        if not self._ended.done():
            self.signal(9 if self._stubborn else 15)
        return await self.wait()


class Bench:
    """A container that is being run."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.processes: list[FakeProcess] = []
        self.launched: list[float] = []  # seconds since the bench was made
        self.faults: list[Exception] = []  # what the next launches raise
        self.healthy = True
        self.stubborn = False
        self.task: asyncio.Task[None] | None = None
        self._began = clock.monotonic()

    def start(self, policy: str = "Always", state: ContainerState | None = None, **fields: Any) -> ContainerRunner:
        terms = Terms(policy, "ns/web", grace_seconds=30.0, backoff=BackoffLimits(10, 300))
        hooks = Hooks(self._launch, lambda *_: "last words", lambda _: self._check, lambda: None)
        runner = ContainerRunner(make_container(**fields), terms, hooks, self.clock, state or ContainerState())
        self.task = asyncio.create_task(runner.run())
        return runner

    async def exit(self, code: int) -> None:
        """The process that runs ends."""
        await self.clock.settle()
        self.processes[-1].exit(code)
        await self.clock.settle()

    async def _launch(self, _: Container, __: int) -> FakeProcess:
        if self.faults:
            raise self.faults.pop(0)
        self.launched.append(self.clock.monotonic() - self._began)
        self.processes.append(FakeProcess(self.stubborn))
        return self.processes[-1]

    async def _check(self, _: Probe) -> bool:
        return self.healthy


@pytest.fixture
async def bench(clock: VirtualClock) -> AsyncIterator[Bench]:
    made = Bench(clock)
    yield made
    if made.task is not None:
        made.task.cancel()
        await asyncio.gather(made.task, return_exceptions=True)


def done(bench: Bench) -> bool:
    return bench.task is not None and bench.task.done()


async def test_a_crash_loop_backs_off_and_a_long_run_ends_it(bench: Bench, clock: VirtualClock) -> None:
    runner = bench.start()

    for _ in range(4):  # crashes at 0, 100, 200 and 300 seconds, then waits of 0, 10, 20 and 40
        await bench.exit(1)
        await clock.advance(100)
    assert bench.launched == [0, 0, 110, 220, 340]
    assert runner.state.restarts == 4

    await clock.advance(601)
    await bench.exit(1)

    assert bench.launched[-1] == clock.monotonic() - 1000
    assert runner.state.restarts == 5


async def test_what_is_told_while_a_container_backs_off(bench: Bench, clock: VirtualClock) -> None:
    runner = bench.start()
    await bench.exit(2)
    await bench.exit(3)

    message = "back-off 10s restarting failed container=main pod=ns/web"
    assert runner.state.state == Waiting("CrashLoopBackOff", message)
    assert runner.state.last == Terminated(3, "Error", clock.now(), clock.now(), message="last words")
    assert (runner.state.restarts, runner.state.ready, runner.state.started) == (1, False, False)


@pytest.mark.parametrize(
    ("policy", "code", "reason"),
    [
        pytest.param("Never", 1, "Error", id="never"),
        pytest.param("OnFailure", 0, "Completed", id="on failure, but all went well"),
    ],
)
async def test_a_container_that_is_not_started_again(bench: Bench, policy: str, code: int, reason: str) -> None:
    runner = bench.start(policy)

    await bench.exit(code)

    assert done(bench)
    assert isinstance(runner.state.state, Terminated)
    assert (runner.state.state.exit_code, runner.state.state.reason) == (code, reason)


async def test_a_stop_ends_the_process_and_nothing_is_started_again(bench: Bench, clock: VirtualClock) -> None:
    runner = bench.start()
    await clock.settle()

    await runner.stop(30.0)
    await clock.settle()

    assert done(bench)
    assert isinstance(runner.state.state, Terminated)
    assert (runner.state.state.exit_code, runner.state.state.signal) == (143, 15)


async def test_a_stop_ends_a_back_off(bench: Bench, clock: VirtualClock) -> None:
    runner = bench.start()
    await bench.exit(2)
    await bench.exit(2)

    await runner.stop(30.0)
    await clock.settle()

    assert done(bench)
    assert isinstance(runner.state.state, Terminated)
    assert len(bench.launched) == 2


async def test_a_container_that_fails_its_liveness_probe_has_its_grace_and_is_restarted(
    bench: Bench, clock: VirtualClock
) -> None:
    bench.stubborn = True
    probe = {"httpGet": {"port": 1}, "periodSeconds": 10, "failureThreshold": 1}
    runner = bench.start(livenessProbe=probe)
    await clock.advance(5)
    bench.healthy = False

    await clock.advance(5)  # found sick at 10
    bench.healthy = True
    await clock.advance(29)
    assert isinstance(runner.state.state, Running)
    assert runner.state.restarts == 0
    await clock.advance(1)  # killed at 40

    assert bench.launched == [0, 40]
    assert runner.state.last is not None
    assert runner.state.last.message == "container main failed its liveness probe: last words"
    assert (runner.state.last.exit_code, runner.state.last.signal) == (137, 9)


async def test_a_start_waits_for_what_is_missing_and_says_what(bench: Bench, clock: VirtualClock) -> None:
    bench.faults = [ConfigError('configmap "x" not found'), Unreachable("no answer"), ConfigError("another")]
    runner = bench.start()
    await clock.settle()
    said = [runner.state.state]

    for _ in range(3):
        await clock.advance(1)
        said.append(runner.state.state)

    missing = Waiting("CreateContainerConfigError", 'configmap "x" not found')
    assert said == [missing, missing, Waiting("CreateContainerConfigError", "another"), Running(clock.now())]
    assert runner.state.restarts == 0


async def test_a_machine_that_cannot_start_a_process_is_a_crash(bench: Bench, clock: VirtualClock) -> None:
    bench.faults = [OSError(11, "Resource temporarily unavailable")]
    runner = bench.start("Never")
    await clock.settle()

    assert isinstance(runner.state.state, Terminated)
    assert (runner.state.state.exit_code, runner.state.state.reason) == (128, "StartError")
    assert "Resource temporarily unavailable" in runner.state.state.message


@pytest.mark.parametrize(
    ("policy", "launches", "restarts"),
    [pytest.param("Always", 1, 4, id="started again"), pytest.param("Never", 0, 3, id="or left as it ended")],
)
async def test_a_container_of_an_earlier_agent(
    bench: Bench, clock: VirtualClock, policy: str, launches: int, restarts: int
) -> None:
    runner = bench.start(policy, ContainerState(Terminated(137, "Error", signal=9), restarts=3))

    await clock.settle()

    assert (len(bench.launched), runner.state.restarts) == (launches, restarts)
