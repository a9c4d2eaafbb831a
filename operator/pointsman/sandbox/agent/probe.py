"""What a container's probes say of it: thresholds as a pure state, and the loops that ask on a clock.

The rules are the kubelet's (prober/worker.go, 1.36): a verdict changes only after so many equal results in a row; a
container starts unready and alive; the other probes wait for the startup probe; a failed startup or liveness probe
ends the container. The kubelet first asks at some moment of the first period; here it is at the end of the initial
delay, so that tests are told sooner, but a failure within that first period does not count.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from pointsman.kube.clock import Clock
from pointsman.sandbox.agent.podspec import Container, Probe

Check = Callable[[Probe], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is believed (None: nothing yet), the last result, and how often it came in a row."""

    passing: bool | None
    last: bool | None = None
    streak: int = 0


def observe(probe: Probe, verdict: Verdict, success: bool) -> Verdict:
    """The verdict after one more result."""
    streak = verdict.streak + 1 if success == verdict.last else 1
    needed = probe.success_threshold if success else probe.failure_threshold
    return Verdict(success if streak >= needed else verdict.passing, success, streak)


async def changes(
    probe: Probe, initial: bool | None, check: Check, clock: Clock, since: float
) -> AsyncGenerator[bool, None]:
    """Asks for ever, and yields the new belief each time that it changes.

    `since` is the monotonic time of the container's start: the initial delay counts from there.
    """
    verdict = Verdict(initial)
    due = since + probe.initial_delay_seconds
    failures_count_from = due + probe.period_seconds
    while True:
        await clock.sleep(due - clock.monotonic())
        success = await check(probe)
        if success or due >= failures_count_from:
            before = verdict.passing
            verdict = observe(probe, verdict, success)
            if verdict.passing is not None and verdict.passing != before:
                yield verdict.passing
        due = max(due + probe.period_seconds, clock.monotonic())


@dataclass(frozen=True, slots=True)
class Probing:
    """The probes of one run of one container."""

    container: Container
    check: Check
    clock: Clock
    since: float

    async def until_dead(self, on_started: Callable[[], None], on_ready: Callable[[bool], None]) -> str:
        """Tells when the container has started and each change of readiness; returns why it must be killed.

        Without a liveness probe that fails it never returns: cancel it when the container has ended.
        """
        if not await self._started():
            return f"container {self.container.name} failed its startup probe"
        on_started()
        async with asyncio.TaskGroup() as group:
            readiness = group.create_task(self._follow_readiness(on_ready))
            await self._until_liveness_fails()
            readiness.cancel()
        return f"container {self.container.name} failed its liveness probe"

    def _changes(self, probe: Probe, initial: bool | None) -> AsyncGenerator[bool, None]:
        return changes(probe, initial, self.check, self.clock, self.since)

    async def _started(self) -> bool:
        if self.container.startup_probe is None:
            return True
        return await _first(self._changes(self.container.startup_probe, None))

    async def _follow_readiness(self, on_ready: Callable[[bool], None]) -> None:
        if self.container.readiness_probe is None:
            on_ready(True)
            return
        async for ready in self._changes(self.container.readiness_probe, False):
            on_ready(ready)

    async def _until_liveness_fails(self) -> None:
        if self.container.liveness_probe is None:
            await asyncio.Event().wait()
            return
        await _first(self._changes(self.container.liveness_probe, True))


async def _first(verdicts: AsyncGenerator[bool, None]) -> bool:
    async with aclosing(verdicts) as closing:
        return await anext(closing)
