"""The binder against an API server that refuses, breaks down and keeps silent."""

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import msgspec
import pytest
from tests.unit.engine_process.mini_api import until

from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.binder import BACKLOG, WORKERS, Binder
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.binding.volume_binder import VolumeBinder
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, NotSent, Unreachable, api_error
from pointsman.kube.objects import Pod
from pointsman.testing.builders import PodBuilder, pod
from pointsman.testing.clock import VirtualClock

TIMED_OUT = Unreachable("https://api: timed out")
GONE = api_error(404, "NotFound", 'pods "p" not found')
CONFLICT = api_error(409, "Conflict", "pod p is already assigned to node")


class ScriptedClient:
    """Answers bindings and reads of the pod in the order that the test gives."""

    patch = Client.patch  # the real one, on top of `request`

    def __init__(self, binding: KubeError | None, *reads: Pod | KubeError) -> None:
        self.sent: list[dict[str, Any]] = []
        self.reads = deque(reads)
        self.hold: asyncio.Event | None = None
        self._binding = binding

    async def request(self, method: str, path: str, *, body: bytes, may_send: Callable[[], bool], **_: Any) -> bytes:
        if not may_send():
            raise NotSent("held back")
        self.sent.append({"method": method, "path": path, **msgspec.json.decode(body)})
        if self.hold is not None:
            await self.hold.wait()
        if self._binding is not None:
            raise self._binding
        return b"{}"

    async def get(self, path: str, type: object) -> Pod:  # noqa: A002, ARG002 - the client's signature
        assert path == "/api/v1/namespaces/default/pods/p"
        answer = self.reads.popleft()
        if isinstance(answer, KubeError):
            raise answer
        return answer


class Bench:
    """A binder at work, and how each binding ended."""

    def __init__(self, client: ScriptedClient) -> None:
        self.client = client
        self.clock = VirtualClock()
        self.outcomes: list[Outcome] = []
        self.may_write = True
        self.nodes = {"n1"}
        self.binder = Binder(
            cast("Client", client),
            may_write=lambda: self.may_write,
            node_exists=lambda name: name in self.nodes,
            volumes=VolumeBinder(cast("Client", client), Cluster(), lambda: self.may_write, self.clock),
            clock=self.clock,
            rng=random.Random(1),
            on_room=lambda: None,
        )

    def submit(self, builder: PodBuilder | None = None) -> Assumption:
        info = (builder or pod("p")).info()
        assumption = Assumption(QueuedPod(info, 0.0, 1), info, "n1", 0.0)
        self.binder.submit(assumption, lambda _, outcome: self.outcomes.append(outcome))
        return assumption

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.binder.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("binding", "reads", "expected"),
    [
        pytest.param(None, (), Verdict.BOUND, id="acknowledged"),
        pytest.param(TIMED_OUT, (pod("p").on("n1").build(),), Verdict.BOUND, id="timed out, but it came through"),
        pytest.param(TIMED_OUT, (pod("p").build(),), Verdict.FAILED, id="timed out, and it did not"),
        pytest.param(TIMED_OUT, (GONE,), Verdict.DROPPED, id="timed out, and the pod is gone"),
        pytest.param(CONFLICT, (pod("p").on("n1").build(),), Verdict.BOUND, id="409, bound to our node before"),
        pytest.param(CONFLICT, (pod("p").on("n2").build(),), Verdict.ELSEWHERE, id="409, somebody else was faster"),
        pytest.param(CONFLICT, (pod("p").terminating().build(),), Verdict.DROPPED, id="409, being deleted"),
        pytest.param(CONFLICT, (pod("p").gate("g").build(),), Verdict.DROPPED, id="409, gated"),
        pytest.param(CONFLICT, (pod("p").metadata(uid="x").build(),), Verdict.DROPPED, id="409, a namesake"),
        pytest.param(CONFLICT, (GONE,), Verdict.DROPPED, id="409, and then gone"),
        pytest.param(CONFLICT, (pod("p").build(),), Verdict.FAILED, id="409 for no reason that is still there"),
        pytest.param(GONE, (GONE,), Verdict.DROPPED, id="404, the pod is gone"),
        pytest.param(GONE, (pod("p").metadata(uid="x").build(),), Verdict.DROPPED, id="404, a namesake came"),
        pytest.param(GONE, (pod("p").build(),), Verdict.FAILED, id="404 of a webhook, the pod is there"),
        pytest.param(api_error(403, "Forbidden", "no"), (), Verdict.FAILED, id="403: the pod is as it was"),
        pytest.param(api_error(422, "Invalid", "no"), (), Verdict.FAILED, id="422: the pod is as it was"),
        pytest.param(api_error(500, "", "x"), (pod("p").build(),), Verdict.FAILED, id="500, not bound"),
        pytest.param(api_error(504, "Timeout", "x"), (pod("p").on("n1").build(),), Verdict.BOUND, id="504, bound"),
        pytest.param(TIMED_OUT, (api_error(403, "Forbidden", "no"),), Verdict.FAILED, id="may not be read"),
    ],
)
async def test_each_binding_ends_in_the_verdict_that_the_pod_gives(
    binding: KubeError | None, reads: tuple[Pod | KubeError, ...], expected: Verdict
) -> None:
    bench = Bench(ScriptedClient(binding, *reads))
    async with bench.running():
        bench.submit()
        await bench.binder.drained()
    assert [outcome.verdict for outcome in bench.outcomes] == [expected]
    assert len(bench.client.sent) == 1
    assert not bench.client.reads


async def test_a_binding_carries_the_uid_and_no_version() -> None:
    bench = Bench(ScriptedClient(None))
    async with bench.running():
        bench.submit(pod("p").metadata(resource_version="7"))
        await bench.binder.drained()
    assert bench.client.sent == [
        {
            "method": "POST",
            "path": "/api/v1/namespaces/default/pods/p/binding",
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": "p", "namespace": "default", "uid": "pod-default-p"},
            "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"},
        }
    ]


async def test_nothing_is_sent_without_the_lease() -> None:
    bench = Bench(ScriptedClient(None))
    bench.may_write = False
    async with bench.running():
        bench.submit()
        await bench.binder.drained()
    assert bench.client.sent == []
    assert [outcome.verdict for outcome in bench.outcomes] == [Verdict.WITHHELD]


async def test_nothing_is_sent_for_a_node_that_is_gone() -> None:
    bench = Bench(ScriptedClient(None))
    bench.nodes.clear()
    async with bench.running():
        bench.submit()
        await bench.binder.drained()
    assert bench.client.sent == []
    assert bench.outcomes == [Outcome(Verdict.FAILED, "node n1 was removed before the binding was sent")]


async def test_it_asks_until_an_answer_comes() -> None:
    bench = Bench(ScriptedClient(TIMED_OUT, TIMED_OUT, TIMED_OUT, pod("p").on("n1").build()))
    async with bench.running():
        bench.submit()
        await bench.clock.advance(60)
    assert [outcome.verdict for outcome in bench.outcomes] == [Verdict.BOUND]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [(pod("p").on("n1"), Verdict.BOUND), (pod("p").on("n2"), Verdict.ELSEWHERE), (None, Verdict.DROPPED)],
    ids=["on our node", "on another", "deleted"],
)
async def test_what_the_watch_shows_ends_the_asking(seen: PodBuilder | None, expected: Verdict) -> None:
    bench = Bench(ScriptedClient(TIMED_OUT, *[TIMED_OUT] * 100))
    async with bench.running():
        assumption = bench.submit()
        await bench.clock.advance(30)
        assert bench.outcomes == []
        if seen is None:
            assumption.gone = True
        else:
            assumption.pod = seen.info()
        await bench.clock.advance(30)
    assert [outcome.verdict for outcome in bench.outcomes] == [expected]


async def test_calls_in_flight_are_bounded_and_so_is_what_waits() -> None:
    bench = Bench(ScriptedClient(None))
    bench.client.hold = asyncio.Event()
    async with bench.running():
        submitted = 0
        while bench.binder.has_room():
            bench.submit()
            submitted += 1
            await asyncio.sleep(0)
        assert submitted == WORKERS + BACKLOG
        assert len(bench.client.sent) == WORKERS
        bench.client.hold.set()
        await until(lambda: len(bench.outcomes) == submitted)
        assert bench.binder.has_room()
