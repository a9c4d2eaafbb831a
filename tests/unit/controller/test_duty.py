"""The leader at work: it waits for the CRD, survives what goes wrong with one profile, and looks at all again."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.unit.controller.scene import FLEET

from pointsman.api.names import OPERATOR_NAMESPACE
from pointsman.api.reasons import Reason
from pointsman.controller.apply.apply import Refused
from pointsman.controller.duty import Duty
from pointsman.controller.gather.gather import Gatherer
from pointsman.controller.gather.mirrors import Mirrors
from pointsman.controller.metrics import Metrics
from pointsman.controller.reconcile import Reconciler
from pointsman.controller.shell import Shell
from pointsman.controller.work_queue import WorkQueue
from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.kube.errors import NotFound, NotSent, Unreachable
from pointsman.testing.clock import VirtualClock

NOWHERE = Connection("http://127.0.0.1:9", None, no_token, "default")


class Profiles(Gatherer):
    """Lists what it is told to."""

    def __init__(self) -> None:
        self.answer: list[str] | Exception = []

    async def profiles(self) -> list[dict[str, Any]]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return [{"metadata": {"name": name}, "spec": {"schedulerName": name}} for name in self.answer]


class Reconciles(Reconciler):
    """Remembers who was reconciled, and fails for whom it is told to."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.faults: dict[str, Exception] = {}

    async def reconcile(self, name: str) -> float | None:
        self.done.append(name)
        if name in self.faults:
            raise self.faults[name]
        return None


class Mirrored(Mirrors):
    """Complete from the start."""

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def synced(self) -> None:
        return None


class Silent(Shell):
    """Hears nothing."""

    async def run(self) -> None:
        await asyncio.Event().wait()


class Scene:
    """A duty on a virtual clock."""

    def __init__(self) -> None:
        self.clock, rng = VirtualClock(), random.Random(1)
        self.profiles, self.reconciles, self.metrics = Profiles(), Reconciles(), Metrics()
        self.queue = WorkQueue(self.clock, rng)
        client = Client(NOWHERE, user_agent="test")
        common: dict[str, Any] = {"clock": self.clock, "rng": rng}
        mirrors = Mirrored(client, OPERATOR_NAMESPACE, FLEET, self.queue.add, allow_any_image=False, **common)
        self.duty = Duty(self.queue, mirrors, self.profiles, self.reconciles, self.metrics, **common)
        self.shell = Silent(NOWHERE, FLEET.namespace, ignore, ignore, self.duty.served, **common)

    def seen(self) -> list[str]:
        """Who was reconciled since the last look."""
        done = sorted(self.reconciles.done)
        self.reconciles.done.clear()
        return done

    @asynccontextmanager
    async def on_duty(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.duty.run(self.shell))
        try:
            await self.clock.settle()
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


def ignore(*_: object) -> None:
    return None


async def test_every_profile_is_reconciled_at_the_start_and_again_within_twelve_minutes() -> None:
    scene = Scene()
    scene.profiles.answer = ["a", "b"]
    async with scene.on_duty():
        assert scene.seen() == ["a", "b"]
        await scene.clock.advance(479)
        assert scene.seen() == []
        scene.profiles.answer = ["b", "c"]
        await scene.clock.advance(241)
        assert scene.seen() == ["a", "b", "c"]


async def test_without_the_crd_it_waits_and_says_what_is_missing() -> None:
    scene = Scene()
    scene.profiles.answer = NotFound(404, "NotFound", "the server could not find the requested resource")
    async with scene.on_duty():
        await scene.clock.advance(60)
        assert scene.seen() == []
        assert scene.duty.last_fault.endswith("is the CustomResourceDefinition installed?")
        scene.profiles.answer = ["a"]
        await scene.clock.advance(10)
        assert scene.seen() == ["a"]


@pytest.mark.parametrize(
    ("make", "result", "seconds"),
    [
        (lambda: Unreachable("no answer"), "error", 1.2),
        (lambda: Refused(Reason.FORBIDDEN, "cannot create roles", final=False), "refused", 1.2),
        (lambda: RuntimeError("a fault of ours"), "fault", 1.2),
        (lambda: NotSent("held back"), "not_leading", 2.0),
    ],
    ids=["no answer", "refused", "a fault", "not leading"],
)
async def test_what_goes_wrong_with_one_profile_is_tried_again_and_does_not_touch_the_others(
    make: Callable[[], Exception], result: str, seconds: float
) -> None:
    scene = Scene()
    scene.profiles.answer = ["bad", "good"]
    scene.reconciles.faults["bad"] = make()
    async with scene.on_duty():
        assert scene.seen() == ["bad", "good"]
        await scene.clock.advance(seconds)
        assert scene.seen() == ["bad"]
        scene.reconciles.faults.clear()
        await scene.clock.advance(10)
        assert scene.seen() == ["bad"]
        await scene.clock.advance(60)
        assert scene.seen() == []
    assert f'schedulerprofile_reconcile_total{{result="{result}"}} 2.0' in scene.metrics.page().decode()
