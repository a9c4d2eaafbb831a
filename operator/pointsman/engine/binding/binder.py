"""Binds assumed pods, many at a time, and finds out what became of each.

The uid goes along as a precondition, so that a namesake is never bound. The resourceVersion does not: it moves with
every write to the pod's status, our own condition among them, and would refuse bindings that are right; what it would
guard against (deletion, gates, another binding) the API server checks itself. Right before a call goes out the node
must still exist and the Lease still be ours.
"""

import asyncio
import logging
import random
from collections.abc import Callable

import msgspec

from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.verdict import Outcome, Verdict, judge
from pointsman.engine.binding.volume_binder import VolumeBinder
from pointsman.kube.backoff import Backoff
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import ApiError, Conflict, Forbidden, KubeError, NotFound, NotSent, Unauthorized
from pointsman.kube.objects import Pod
from pointsman.kube.resources import PODS

logger = logging.getLogger(__name__)

WORKERS = 32  # calls in flight; below the client's connections, so that no binding waits for one behind its fence
BACKLOG = 64  # bindings that may wait for a worker before decisions pause
BIND_SECONDS = 10.0  # no longer than the Lease's deadline

Settled = Callable[[Assumption, Outcome], None]


class Binder:
    """Takes assumptions and settles each exactly once."""

    def __init__(
        self,
        client: Client,
        *,
        may_write: Callable[[], bool],
        node_exists: Callable[[str], bool],
        volumes: VolumeBinder,
        clock: Clock,
        rng: random.Random,
        on_room: Callable[[], None],
    ) -> None:
        """`on_room` is told whenever a binding has ended."""
        self._client = client
        self._may_write = may_write
        self._node_exists = node_exists
        self._volumes = volumes
        self._clock = clock
        self._rng = rng
        self._on_room = on_room
        self._waiting: asyncio.Queue[tuple[Assumption, Settled]] = asyncio.Queue()

    def has_room(self) -> bool:
        """Whether another binding may be submitted."""
        return self._waiting.qsize() < BACKLOG and self._volumes.has_room()

    def submit(self, assumption: Assumption, settled: Settled) -> None:
        """Bind in the background, volumes first; `settled` hears how it ended."""
        if assumption.reservation is None:
            self._waiting.put_nowait((assumption, settled))
            return

        def ended(assumption: Assumption, failure: Outcome | None) -> None:
            if failure is None:
                self._waiting.put_nowait((assumption, settled))
            else:
                settled(assumption, failure)
            self._on_room()

        self._volumes.submit(assumption, assumption.reservation, ended)

    async def run(self) -> None:
        """Bind until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._volumes.run())
            for _ in range(WORKERS):
                group.create_task(self._work())

    async def drained(self) -> None:
        """Return when nothing waits and nothing is in flight, pods that still wait for their volumes apart."""
        await self._waiting.join()

    async def _work(self) -> None:
        while True:
            assumption, settled = await self._waiting.get()
            settled(assumption, await self._bind(assumption))
            self._waiting.task_done()
            self._on_room()

    async def _bind(self, assumption: Assumption) -> Outcome:
        if not self._node_exists(assumption.node):
            return Outcome(Verdict.FAILED, f"node {assumption.node} was removed before the binding was sent")
        try:
            await self._send(assumption)
        except NotSent:
            return Outcome(Verdict.WITHHELD)
        except KubeError as error:
            message = f'running Bind plugin "DefaultBinder": {error}'
            if isinstance(error, ApiError) and not isinstance(error, Conflict | NotFound) and error.status < 500:
                return Outcome(Verdict.FAILED, message)  # refused outright: the pod is as it was
            return Outcome(await self._find_out(assumption), message)
        return Outcome(Verdict.BOUND)

    async def _send(self, assumption: Assumption) -> None:
        pod = assumption.pod
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": assumption.node},
        }
        await self._client.request(
            "POST",
            PODS.path(pod.namespace, pod.name, "binding"),
            body=msgspec.json.encode(binding),
            timeout=BIND_SECONDS,
            may_send=self._may_write,
        )

    async def _find_out(self, assumption: Assumption) -> Verdict:
        """Read the pod until there is an answer, or until the watch has told.

        A pod that may not be read counts as not bound: should it be, the watch will take it out of the queue. A 404 to
        the binding is looked into as well: it may be a webhook's or a proxy's, and a pod that is dropped while it is
        there would wait for ever.
        """
        pause = Backoff(self._rng)
        path = PODS.path(assumption.pod.namespace, assumption.pod.name)
        while not assumption.told_by_watch:
            try:
                return judge(await self._client.get(path, Pod), assumption.uid, assumption.node)
            except NotFound:
                return Verdict.DROPPED
            except (Unauthorized, Forbidden) as error:
                logger.warning("cannot read the pod: %s", error, extra={"pod": assumption.pod.full_name})
                return Verdict.FAILED
            except KubeError:
                await self._clock.sleep(pause.next())
        return judge(None if assumption.gone else assumption.pod.pod, assumption.uid, assumption.node)
