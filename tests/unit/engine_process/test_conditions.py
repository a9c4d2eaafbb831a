"""PodScheduled=False: what is written, when it is not, and who must hold the Lease."""

import asyncio
import contextlib
import random
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import msgspec
import pytest

from pointsman.engine.announce.conditions import ConditionWriter
from pointsman.engine.announce.pod_condition import Failure, FailureReason
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, NotSent, Unreachable, api_error
from pointsman.kube.objects import PodCondition
from pointsman.testing.builders import PodBuilder, pod
from pointsman.testing.clock import VirtualClock

CPU = Failure(FailureReason.UNSCHEDULABLE, "0/1 nodes are available: 1 Insufficient cpu.")
TAINT = Failure(FailureReason.UNSCHEDULABLE, "0/1 nodes are available: 1 node(s) had untolerated taint {a: b}.")
CONFLICT = api_error(409, "Conflict", "the object has been modified")


def told(failure: Failure, status: str = "False") -> PodBuilder:
    """A pod whose condition says this already."""
    condition = PodCondition(type="PodScheduled", status=status, reason=failure.reason, message=failure.message)
    return pod("p").status(conditions=(condition,))


class Bench:
    """A writer at work, and the patches that went out."""

    patch = Client.patch  # the real one, on top of `request`

    def __init__(self, *failures: KubeError) -> None:
        self.patches: list[dict[str, Any]] = []
        self.names: list[str] = []  # of the pods that were patched
        self.failures = deque(failures)
        self.may_write = True
        self.hold: asyncio.Event | None = None
        self.clock = VirtualClock()
        self.writer = ConditionWriter(cast("Client", self), lambda: self.may_write, self.clock, random.Random(1))

    async def request(self, method: str, path: str, *, body: bytes, may_send: Callable[[], bool], **_: Any) -> bytes:
        match = re.fullmatch("/api/v1/namespaces/default/pods/([^/]+)/status", path)
        assert method == "PATCH"
        assert match, path
        self.names.append(match[1])
        if not may_send():
            raise NotSent("held back")
        self.patches.append(msgspec.json.decode(body))
        if self.hold is not None:
            await self.hold.wait()
        if self.failures:
            raise self.failures.popleft()
        return b"{}"

    @property
    def messages(self) -> list[str]:
        return [patch["status"]["conditions"][0]["message"] for patch in self.patches]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.writer.run())
        yield
        await self.clock.settle()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_the_patch_says_everything_and_fails_on_any_other_version_of_the_pod() -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(pod("p").metadata(resource_version="7", generation=3).info(), CPU)
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient cpu.",
        "lastProbeTime": None,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "observedGeneration": 3,
    }
    metadata = {"uid": "pod-default-p", "resourceVersion": "7"}
    assert bench.patches == [{"metadata": metadata, "status": {"conditions": [condition]}}]


async def test_servers_that_do_not_number_generations_get_no_observed_generation() -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
    assert "observedGeneration" not in bench.patches[0]["status"]["conditions"][0]


@pytest.mark.parametrize(
    ("builder", "moves"),
    [
        pytest.param(told(TAINT), False, id="it was False for another reason"),
        pytest.param(told(TAINT, status="True"), True, id="it was True"),
        pytest.param(pod("p"), True, id="there was none"),
    ],
)
async def test_the_transition_time_moves_with_the_status_only(builder: PodBuilder, moves: bool) -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(builder.info(), CPU)
    assert ("lastTransitionTime" in bench.patches[0]["status"]["conditions"][0]) is moves


async def test_what_the_pod_says_already_is_not_written_again() -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(told(CPU).info(), CPU)
    assert bench.patches == []


async def test_what_we_have_said_is_not_said_again_although_the_watch_has_not_shown_it_yet() -> None:
    bench = Bench()
    async with bench.running():
        for failure in (CPU, CPU, TAINT, TAINT):
            bench.writer.tell(pod("p").info(), failure)
            await bench.clock.settle()
    assert bench.messages == [CPU.message, TAINT.message]


async def test_only_the_latest_word_is_written() -> None:
    bench = Bench()
    async with bench.running():
        for failure in (CPU, TAINT, CPU):
            bench.writer.tell(pod("p").info(), failure)
    assert bench.messages == [CPU.message]


async def test_a_word_that_comes_while_another_is_on_its_way_follows_it() -> None:
    bench = Bench()
    bench.hold = asyncio.Event()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
        await bench.clock.settle()
        bench.writer.tell(pod("p").info(), TAINT)
        await bench.clock.settle()
        assert bench.messages == [CPU.message]
        bench.hold.set()
    assert bench.messages == [CPU.message, TAINT.message]


async def test_a_pod_that_found_its_node_is_not_spoken_of_any_more() -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
        bench.writer.withdraw("pod-default-p")
    assert bench.patches == []


async def test_nothing_is_written_without_the_lease_but_kept_until_it_is_held() -> None:
    bench = Bench()
    bench.may_write = False
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
        await bench.clock.advance(60)
        assert bench.patches == []
        bench.may_write = True
        await bench.clock.advance(2)
    assert bench.messages == [CPU.message]


async def test_a_pod_that_changed_is_told_with_its_new_version() -> None:
    bench = Bench(CONFLICT)
    async with bench.running():
        bench.writer.tell(pod("p").metadata(resource_version="7").info(), CPU)
        await bench.clock.settle()
        bench.writer.follow(pod("p").metadata(resource_version="8").info())
        await bench.clock.advance(1)
    assert [patch["metadata"]["resourceVersion"] for patch in bench.patches] == ["7", "8"]


@pytest.mark.parametrize(
    ("failures", "tries"),
    [
        pytest.param([api_error(404, "NotFound", "gone")], 1, id="the pod is gone"),
        pytest.param([api_error(403, "Forbidden", "no")], 1, id="we may not"),
        pytest.param([CONFLICT] * 50, 7, id="it changes all the time"),
        pytest.param([Unreachable("down")] * 20, 21, id="an API server that is away comes back"),
        pytest.param([api_error(500, "", "x")], 2, id="a server in trouble"),
    ],
)
async def test_it_tries_again_where_that_can_help(failures: list[KubeError], tries: int) -> None:
    bench = Bench(*failures)
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
        await bench.clock.advance(300)
    assert len(bench.patches) == tries


async def test_after_a_refusal_the_next_attempt_says_it_again() -> None:
    bench = Bench(api_error(403, "Forbidden", "no"))
    async with bench.running():
        for _ in range(2):
            bench.writer.tell(pod("p").info(), CPU)
            await bench.clock.settle()
    assert len(bench.patches) == 2


async def test_a_pod_that_is_gone_leaves_nothing_behind() -> None:
    bench = Bench()
    bench.hold = asyncio.Event()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU)
        await bench.clock.settle()
        bench.writer.forget("pod-default-p")  # while the patch is on its way
        bench.hold.set()
        await bench.clock.settle()
        bench.writer.tell(pod("p").info(), CPU)  # as if it were a new one: nothing is remembered
    assert len(bench.patches) == 2


def counted(number: int) -> Failure:
    """The same reason with other counts."""
    return Failure(FailureReason.UNSCHEDULABLE, f"0/{number} nodes are available: {number} Insufficient cpu.")


async def test_other_counts_of_many_pods_are_written_one_by_one_and_hold_up_nobody() -> None:
    bench = Bench()
    pods = [pod(f"p{number}").info() for number in range(100)]
    async with bench.running():
        for one in pods:
            bench.writer.tell(one, counted(1))
        await bench.clock.settle()
        assert len(bench.patches) == 100  # the first word goes out at once
        for one in pods:
            bench.writer.tell(one, counted(2))
        await bench.clock.advance(1)
        assert 15 <= len(bench.patches) - 100 <= 25
        bench.writer.tell(pod("late").info(), CPU)
        bench.writer.tell(pods[-1], Failure(FailureReason.SCHEDULER_ERROR, "no answer"))
        await bench.clock.settle()
        assert bench.names[-2:] == ["late", "p99"]


async def test_a_pod_whose_words_change_all_the_time_has_its_turn_as_well() -> None:
    bench = Bench()
    pods = [pod(f"p{number}").info() for number in range(20)]
    async with bench.running():
        for number in range(1, 60):
            for one in pods:
                bench.writer.tell(one, counted(number))
            await bench.clock.advance(0.1)
    patched = Counter(bench.names)
    assert len(patched) == 20
    assert max(patched.values()) - min(patched.values()) <= 1


async def test_a_word_that_failed_does_not_come_after_a_newer_one() -> None:
    bench = Bench(Unreachable("down"))
    bench.hold = asyncio.Event()
    async with bench.running():
        bench.writer.tell(pod("p").info(), counted(1))
        await bench.clock.settle()
        bench.writer.tell(pod("p").info(), counted(2))  # while the first is on its way, and fails
        bench.hold.set()
        await bench.clock.advance(10)
    assert bench.messages == [counted(1).message, counted(2).message]


async def test_a_nomination_goes_out_with_the_condition_and_alone_if_that_is_no_news() -> None:
    bench = Bench()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU, "n1")
        await bench.clock.settle()
        bench.writer.tell(told(CPU).status(nominated_node_name="n1").info(), CPU, "n1")
        await bench.clock.settle()
        bench.writer.tell(told(CPU).status(nominated_node_name="n1").info(), CPU, "")
        await bench.clock.settle()
        bench.writer.tell(told(CPU).info(), CPU, "")
    assert [patch["status"]["nominatedNodeName"] for patch in bench.patches] == ["n1", None]


async def test_a_nomination_that_waits_to_be_written_is_not_lost_to_a_later_word() -> None:
    bench = Bench(CONFLICT)
    bench.hold = asyncio.Event()
    async with bench.running():
        bench.writer.tell(pod("p").info(), CPU, "n1")
        await bench.clock.settle()
        bench.writer.tell(pod("p").info(), TAINT)
        bench.hold.set()
        await bench.clock.advance(10)
    last = bench.patches[-1]["status"]
    assert (last["conditions"][0]["message"], last["nominatedNodeName"]) == (TAINT.message, "n1")
