"""Writes pods' statuses and removes pods that have ended: a few writers for any number of pods.

Of each pod at most one write is under way, and only its newest status is sent, built at the moment of sending. So
thousands of hollow pods cost one small patch each, and a container in a tight crash loop cannot flood the API server.
Every write carries the pod's uid: a namesake gets nothing that was meant for its predecessor.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock
from pointsman.kube.errors import ApiError, Conflict, KubeError, NotFound
from pointsman.kube.resources import PODS

log = logging.getLogger(__name__)

_WRITERS: Final = 16
_RETRY_SECONDS: Final = 1.0
_RETRY_MAX_SECONDS: Final = 15.0

Build = Callable[[], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PodRef:
    """One pod, not its namesake."""

    namespace: str
    name: str
    uid: str


@dataclass(slots=True)
class _Wish:
    build: Build | None = None
    remove: bool = False
    queued: bool = False
    failures: int = 0


class StatusWriter:
    """Queue of pods with something to write. `run` works it off until cancelled."""

    def __init__(self, client: Client, *, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._wishes: dict[PodRef, _Wish] = {}
        self._queue: asyncio.Queue[PodRef] = asyncio.Queue()

    def status(self, pod: PodRef, build: Build) -> None:
        """Asks for a status to be written soon; `build` gives it then. A newer one takes an older one's place."""
        wish = self._wishes.setdefault(pod, _Wish())
        wish.build = build
        self._enqueue(pod, wish)

    def remove(self, pod: PodRef) -> None:
        """Asks for the pod to be deleted for good, after the status that is still to be written."""
        wish = self._wishes.setdefault(pod, _Wish())
        wish.remove = True
        self._enqueue(pod, wish)

    async def drained(self) -> None:
        """Returns once everything asked for so far has been written or given up."""
        await self._queue.join()

    async def run(self) -> None:
        """Write until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(_WRITERS):
                group.create_task(self._work())

    def _enqueue(self, pod: PodRef, wish: _Wish) -> None:
        if not wish.queued:
            wish.queued = True
            self._queue.put_nowait(pod)

    async def _work(self) -> None:
        while True:
            pod = await self._queue.get()
            try:
                await self._grant(pod, self._wishes[pod])
            finally:
                self._queue.task_done()

    async def _grant(self, pod: PodRef, wish: _Wish) -> None:
        while wish.build is not None or wish.remove:
            build, wish.build = wish.build, None
            try:
                await (self._patch(pod, build) if build is not None else self._delete(pod, wish))
                wish.failures = 0
            except (NotFound, Conflict):
                wish.remove = False  # the pod is gone, or a namesake stands in its place
            except ApiError as error:
                if error.status not in (429,) and error.status < 500:
                    log.warning(
                        "the API server refuses what is written about pod %s/%s: %s", pod.namespace, pod.name, error
                    )
                    wish.remove = False
                    continue
                await self._retry_later(pod, wish, build, error)
            except KubeError as error:
                await self._retry_later(pod, wish, build, error)
        del self._wishes[pod]

    async def _patch(self, pod: PodRef, build: Build) -> None:
        patch = {"metadata": {"uid": pod.uid}, "status": build()}
        await self._client.patch(PODS.path(pod.namespace, pod.name, "status"), patch, kind=PatchKind.STRATEGIC)

    async def _delete(self, pod: PodRef, wish: _Wish) -> None:
        await self._client.delete(PODS.path(pod.namespace, pod.name), uid=pod.uid, grace_seconds=0)
        wish.remove = False

    async def _retry_later(self, pod: PodRef, wish: _Wish, build: Build | None, error: KubeError) -> None:
        wish.build = wish.build or build
        wish.failures += 1
        seconds = min(_RETRY_SECONDS * 2 ** (wish.failures - 1), _RETRY_MAX_SECONDS) * self._rng.uniform(0.5, 1.0)
        log.warning("pod %s/%s: %s; next try in %.1f s", pod.namespace, pod.name, error, seconds)
        await self._clock.sleep(seconds)
