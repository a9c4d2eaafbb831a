"""The volume binder by itself: what it writes, and that it writes nothing without the Lease."""

import asyncio
from typing import Any, cast

import msgspec
from tests.unit.engine.worlds import happened
from tests.unit.engine_process.mini_api import until
from tests.unit.engine_process.test_binder import ScriptedClient
from tests.unit.rules.stored import claim, volume

from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.reservation import Reservation
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.binding.volume_binder import BACKLOG, VolumeBinder
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError, api_error
from pointsman.policy.rule import Happening
from pointsman.policy.volumes.plan import VolumePlan, promise, with_node
from pointsman.testing.builders import node, pod
from pointsman.testing.clock import VirtualClock


class Answering(ScriptedClient):
    """Takes every patch, or refuses those of volumes or of claims."""

    def __init__(self, refuse: str = "", error: KubeError | None = None) -> None:
        super().__init__(None)
        self._refuse = refuse
        self._error = error

    async def request(self, method: str, path: str, **more: Any) -> bytes:
        await super().request(method, path, **more)
        if self._error is not None and self._refuse in path:
            raise self._error
        return msgspec.json.encode({"metadata": {"name": path.rsplit("/", 1)[1], "resourceVersion": "2"}})


class Bench:
    """A cluster with one node, a volume promised to claim `a`, and claim `b` that is given the node."""

    def __init__(self, client: ScriptedClient, *, may_write: bool = True) -> None:
        self.cluster = Cluster()
        self.cluster.upsert_node(node("n1").build())
        first, second, volumes = claim("a"), claim("b"), volume("v")
        self.cluster.upsert_claim(first)
        self.cluster.upsert_claim(second)
        self.cluster.upsert_volume(volumes)
        self.client = client
        self.binder = VolumeBinder(cast("Client", client), self.cluster, lambda: may_write, VirtualClock())
        plan = VolumePlan("n1", (promise(volumes, first),), (with_node(second, "n1"),), 600)
        self.reservation = Reservation(self.cluster, plan)
        self.outcomes: list[Outcome | None] = []

    def submit(self) -> None:
        info = pod("p").info()
        self.reservation.hold()
        assumption = Assumption(QueuedPod(info, 0.0, 1), info, "n1", 0.0, reservation=self.reservation)
        self.binder.submit(assumption, self.reservation, lambda _, outcome: self.outcomes.append(outcome))

    async def outcome(self) -> Outcome | None:
        """How the first pod's volumes ended."""
        task = asyncio.create_task(self.binder.run())
        await until(lambda: bool(self.outcomes))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return self.outcomes[0]


async def test_objects_are_written_on_condition_that_they_did_not_change() -> None:
    bench = Bench(Answering("persistentvolumeclaims", api_error(500, "", "stop here")))
    bench.submit()
    await bench.outcome()
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "a"}
    assert bench.client.sent == [
        {
            "method": "PATCH",
            "path": "/api/v1/namespaces/default/pods/p/status",
            "metadata": {"uid": "pod-default-p"},
            "status": {"nominatedNodeName": "n1"},
        },
        {
            "method": "PATCH",
            "path": "/api/v1/persistentvolumes/v",
            "metadata": {
                "uid": "volume-v",
                "resourceVersion": "1",
                "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"},
            },
            "spec": {"claimRef": {**reference, "uid": "claim-a", "resourceVersion": "1"}},
        },
        {
            "method": "PATCH",
            "path": "/api/v1/namespaces/default/persistentvolumeclaims/b",
            "metadata": {
                "uid": "claim-b",
                "resourceVersion": "1",
                "annotations": {"volume.kubernetes.io/selected-node": "n1"},
            },
        },
    ]


async def test_volumes_are_written_even_if_the_nomination_is_not() -> None:
    bench = Bench(Answering("pods", api_error(422, "Invalid", "no")))
    bench.submit()
    task = asyncio.create_task(bench.binder.run())
    await until(lambda: len(bench.client.sent) == 3)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert bench.outcomes == []


async def test_what_was_written_stays_promised_and_the_rest_is_free_again() -> None:
    bench = Bench(Answering("persistentvolumeclaims", api_error(409, "Conflict", "the object has been modified")))
    bench.submit()
    assert await bench.outcome() == Outcome(
        Verdict.FAILED, 'running PreBind plugin "VolumeBinding": the object has been modified'
    )
    assert happened(bench.reservation.release()) == [Happening.PERSISTENT_VOLUME_CLAIM]
    seen, written = bench.cluster.storage.claim("default", "b"), bench.cluster.storage.volume("v")
    assert seen == claim("b")
    assert written is not None
    assert written.spec.claim_ref is not None


async def test_nothing_is_written_without_the_lease() -> None:
    bench = Bench(Answering(), may_write=False)
    bench.submit()
    assert await bench.outcome() == Outcome(Verdict.WITHHELD)
    assert bench.client.sent == []
    bench.reservation.release()
    assert bench.cluster.storage.volume("v") == volume("v")
    assert bench.reservation.release() == ()


async def test_decisions_pause_when_too_many_pods_wait_to_be_written() -> None:
    bench = Bench(Answering())
    for _ in range(BACKLOG):
        assert bench.binder.has_room()
        bench.submit()
    assert not bench.binder.has_room()


def test_a_promise_that_another_pod_made_is_not_taken_back() -> None:
    bench = Bench(Answering())
    bench.reservation.hold()
    promised = bench.cluster.storage.volume("v")
    assert promised is not None
    sharing = Reservation(bench.cluster, VolumePlan("n1", (promise(promised, claim("a")),), (), 600))
    sharing.hold()
    assert sharing.release() == ()
    assert bench.cluster.storage.volume("v") == promised
