"""Evictions against an API server that refuses and one whose Lease is lost."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, cast

import msgspec
import pytest

from pointsman.engine.preemption.eviction import Eviction, Evictor, disruption_patch
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, NotSent, Unreachable, api_error
from pointsman.kube.objects import PodCondition
from pointsman.testing.builders import PodBuilder, pod
from pointsman.testing.clock import VirtualClock

GONE = api_error(404, "NotFound", "not found")
NAMESAKE = api_error(409, "Conflict", "Precondition failed: UID in precondition")
FORBIDDEN = api_error(403, "Forbidden", "cannot delete pods")
SILENT = Unreachable("https://api: timed out")
HIGH = pod("high").priority(9).spec(scheduler_name="ours").info()


class Bench:
    """An evictor at work, the calls that it made, and what it told."""

    patch = Client.patch  # the real one, on top of `request`

    def __init__(self, **failures: KubeError) -> None:
        """`failures` by method and pod: `delete_a`."""
        self.calls: list[str] = []
        self.patches: list[dict[str, Any]] = []
        self.failures: Mapping[str, KubeError] = failures
        self.may_write = True
        self.recallable: set[str] = set()  # uids
        self.evicted: list[str] = []
        self.recalled: list[str] = []
        self.ended: list[str] = []
        self.clock = VirtualClock()
        self.evictor = Evictor(
            cast("Client", self),
            may_write=lambda: self.may_write,
            recall=lambda uid: uid in self.recallable,
            clock=self.clock,
            on_end=lambda: None,
        )

    async def request(self, method: str, path: str, *, body: bytes, may_send: Callable[[], bool], **_: Any) -> bytes:
        match = re.fullmatch("/api/v1/namespaces/default/pods/([^/]+)/status", path)
        assert match, path
        self._call(method.lower(), match[1], may_send)
        self.patches.append(msgspec.json.decode(body))
        return b"{}"

    async def delete(self, path: str, *, uid: str, may_send: Callable[[], bool]) -> None:
        name = path.rpartition("/")[2]
        assert uid == f"pod-default-{name}"
        self._call("delete", name, may_send)

    def _call(self, method: str, name: str, may_send: Callable[[], bool]) -> None:
        if not may_send():
            raise NotSent("held back")
        self.calls.append(f"{method} {name}")
        if (failure := self.failures.get(f"{method}_{name}")) is not None:
            raise failure

    async def evict(self, *victims: PodBuilder, yielding: tuple[PodBuilder, ...] = ()) -> None:
        async with self.running():
            self.evictor.submit(
                Eviction(
                    HIGH,
                    tuple(one.info() for one in victims),
                    tuple(one.info() for one in yielding),
                    lambda victim: self.evicted.append(victim.name),
                    lambda victim: self.recalled.append(victim.name),
                    self.ended.append,
                )
            )
            await self.clock.settle()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.evictor.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_each_victim_is_marked_and_then_deleted_and_the_last_one_comes_last() -> None:
    bench = Bench()
    await bench.evict(pod("a"), pod("b"), pod("c"))
    assert sorted(bench.calls[:4]) == ["delete a", "delete b", "patch a", "patch b"]
    assert bench.calls[4:] == ["patch c", "delete c"]
    assert sorted(bench.evicted) == ["a", "b", "c"]
    assert bench.ended == [""]


async def test_pods_that_lose_their_nomination_are_told_first() -> None:
    bench = Bench()
    nominated = pod("mid").status(nominated_node_name="n1")
    await bench.evict(pod("a"), yielding=(nominated, pod("only-in-memory")))
    assert bench.calls == ["patch mid", "patch a", "delete a"]
    assert bench.patches[0] == {"metadata": {"uid": "pod-default-mid"}, "status": {"nominatedNodeName": None}}


@pytest.mark.parametrize(
    ("failures", "calls", "evicted", "ended"),
    [
        pytest.param({"patch_a": GONE}, ["patch a", "patch b", "delete b"], ["b"], "", id="gone"),
        pytest.param(
            {"delete_a": NAMESAKE}, ["patch a", "delete a", "patch b", "delete b"], ["b"], "", id="a namesake"
        ),
        pytest.param(
            {"delete_a": FORBIDDEN},
            ["patch a", "delete a"],
            [],
            "cannot evict pod default/a: cannot delete pods",
            id="refused: the last one is spared",
        ),
        pytest.param(
            {"delete_b": SILENT},
            ["patch a", "delete a", "patch b", "delete b"],
            ["a"],
            "cannot evict pod default/b: https://api: timed out",
            id="no answer",
        ),
    ],
)
async def test_what_a_failure_leads_to(
    failures: dict[str, KubeError], calls: list[str], evicted: list[str], ended: str
) -> None:
    bench = Bench(**failures)
    await bench.evict(pod("a"), pod("b"))
    assert (bench.calls, bench.evicted, bench.ended) == (calls, evicted, [ended])


async def test_a_nomination_that_cannot_be_ended_keeps_no_victim_alive_but_is_a_failure() -> None:
    bench = Bench(patch_mid=FORBIDDEN)
    await bench.evict(pod("a"), yielding=(pod("mid").status(nominated_node_name="n1"),))
    assert bench.evicted == ["a"]
    assert bench.ended[0].startswith("cannot end the nomination of pod default/mid: ")


async def test_nothing_is_evicted_without_the_lease() -> None:
    bench = Bench()
    bench.may_write = False
    await bench.evict(pod("a"), pod("b"))
    assert (bench.calls, bench.evicted) == ([], [])
    assert bench.ended == ["cannot evict pod default/a: held back"]


def marked(status: str, reason: str) -> PodBuilder:
    message = "ours: preempting to accommodate a higher priority pod"
    condition = PodCondition(type="DisruptionTarget", status=status, reason=reason, message=message)
    return pod("a").status(conditions=(condition,))


def test_a_pod_that_says_so_already_is_not_marked_again() -> None:
    clock = VirtualClock()
    assert disruption_patch(marked("True", "PreemptionByScheduler").info(), "ours", clock) is None
    other = disruption_patch(marked("True", "EvictionByEvictionAPI").info(), "ours", clock)
    assert other is not None
    assert "lastTransitionTime" not in other["status"]["conditions"][0], "it was True before"
    was_false = disruption_patch(marked("False", "PreemptionByScheduler").info(), "ours", clock)
    assert was_false is not None
    assert was_false["status"]["conditions"][0]["lastTransitionTime"] == "2026-01-01T00:00:00Z"


async def test_a_victim_that_is_not_bound_yet_is_given_up_instead() -> None:
    bench = Bench()
    bench.recallable.add("pod-default-a")
    await bench.evict(pod("a"), pod("b"))
    assert bench.calls == ["patch b", "delete b"]
    assert (bench.recalled, bench.evicted, bench.ended) == (["a"], ["b"], [""])
