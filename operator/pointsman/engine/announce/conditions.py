"""Writes PodScheduled=False on pods that found no node, in the background and at most once per change.

The latest word on a pod replaces one that was not written yet. Every write is fenced by the Lease. A write that fails
because the pod changed is tried again with the pod's newer version; one that fails for good is dropped, because the
pod's next attempt says it again.

A word that only differs from the last one in its message (counts of nodes, mostly) waits in a slower line of its own:
thousands of pods that fit nowhere have a new one whenever the cluster changes, and neither the API server nor the pods
that were told nothing yet may suffer from that.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass

from pointsman.engine.announce.pod_condition import Failure, condition_patch, told_by
from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock
from pointsman.kube.errors import ApiError, Conflict, KubeError, NotFound, TooManyRequests
from pointsman.kube.resources import PODS
from pointsman.policy.pod import PodInfo

logger = logging.getLogger(__name__)

WORKERS = 4
UPDATE_PAUSE_SECONDS = 0.05  # between two words of the slower line: 20 a second
MAX_CONFLICTS = 6
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_FENCED_PAUSE_SECONDS = 1.0


@dataclass(slots=True)
class _Wanted:
    pod: PodInfo
    failure: Failure
    nomination: str | None
    tries: int = 0


_Line = dict[str, _Wanted]  # uid -> what to write, oldest first


class ConditionWriter:
    """Keeps for each pending pod what was last told, and tells what is new."""

    def __init__(self, client: Client, may_write: Callable[[], bool], clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._may_write = may_write
        self._clock = clock
        self._rng = rng
        self._urgent: _Line = {}  # the pod was told nothing yet, or another reason
        self._updates: _Line = {}  # the same reason in other words
        self._writing: dict[str, Failure] = {}
        self._told: dict[str, tuple[str, str]] = {}
        self._news = asyncio.Event()

    def tell(self, pod: PodInfo, failure: Failure, nomination: str | None = None) -> None:
        """Have the condition say this, unless it does already.

        `nomination` becomes the status' nominatedNodeName, empty to clear it; None leaves it as it is.
        """
        said = self._writing.get(pod.uid) or self._told.get(pod.uid) or told_by(pod.pod)
        unsaid = self._urgent.get(pod.uid) or self._updates.get(pod.uid)
        if nomination is None and unsaid is not None:
            nomination = unsaid.nomination
        moves = nomination is not None and nomination != pod.nominated_node_name
        line, other = self._urgent, self._updates
        if said is not None and said[0] == failure.reason and not moves:
            line, other = other, line
        other.pop(pod.uid, None)
        if said == failure and not moves:
            line.pop(pod.uid, None)
        else:
            line[pod.uid] = _Wanted(pod, failure, nomination if moves else None)  # who waits already keeps its place
            self._news.set()

    def follow(self, pod: PodInfo) -> None:
        """A newer version of a pod was seen: a waiting write is made for that one."""
        wanted = self._urgent.get(pod.uid) or self._updates.get(pod.uid)
        if wanted is not None:
            wanted.pod = pod

    def withdraw(self, uid: str) -> None:
        """The pod has a node now: what was not written yet would be wrong."""
        self._urgent.pop(uid, None)
        self._updates.pop(uid, None)

    def forget(self, uid: str) -> None:
        """The pod is bound or gone for good; a write under way is not remembered."""
        self.withdraw(uid)
        self._told.pop(uid, None)
        self._writing.pop(uid, None)

    async def run(self) -> None:
        """Write until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work(self._urgent, 0.0))
            group.create_task(self._work(self._updates, UPDATE_PAUSE_SECONDS))

    async def _work(self, line: _Line, pause: float) -> None:
        while True:
            wanted = self._next(line)
            if wanted is None:
                self._news.clear()
                await self._news.wait()
            elif not self._may_write():
                line.setdefault(wanted.pod.uid, wanted)
                await self._clock.sleep(_FENCED_PAUSE_SECONDS)
            else:
                await self._write(wanted, line)
                await self._clock.sleep(pause)

    def _next(self, line: _Line) -> _Wanted | None:
        uid = next((uid for uid in line if uid not in self._writing), None)
        return None if uid is None else line.pop(uid)

    async def _write(self, wanted: _Wanted, line: _Line) -> None:
        uid = wanted.pod.uid
        self._writing[uid] = wanted.failure
        try:
            await self._patch(wanted)
            if uid in self._writing:
                self._told[uid] = wanted.failure
        except NotFound:
            return
        except KubeError as error:
            if uid in self._writing:
                await self._after_failure(wanted, error, line)
        finally:
            self._writing.pop(uid, None)
            self._news.set()

    async def _patch(self, wanted: _Wanted) -> None:
        pod = wanted.pod
        already = pod.uid in self._told or told_by(pod.pod) is not None
        patch = condition_patch(pod.pod, wanted.failure, already_false=already, now=self._clock.now())
        if wanted.nomination is not None:
            patch["status"]["nominatedNodeName"] = wanted.nomination or None
        path = PODS.path(pod.namespace, pod.name, "status")
        await self._client.patch(path, patch, kind=PatchKind.STRATEGIC, may_send=self._may_write)

    async def _after_failure(self, wanted: _Wanted, error: KubeError, line: _Line) -> None:
        if not _may_pass(wanted, error):
            logger.warning("condition PodScheduled not written: %s", error, extra={"pod": wanted.pod.full_name})
            return
        newer = self._urgent.pop(wanted.pod.uid, None) or self._updates.pop(wanted.pod.uid, None)
        if newer is not None and newer.nomination is None:
            newer.nomination = wanted.nomination
        line[wanted.pod.uid] = newer or wanted  # waits here for `follow`, `withdraw` or a newer word
        pause = min(_FIRST_PAUSE_SECONDS * 2**wanted.tries, _LONGEST_PAUSE_SECONDS)
        wanted.tries += 1
        await self._clock.sleep(pause * self._rng.uniform(1.0, 1.5))


def _may_pass(wanted: _Wanted, error: KubeError) -> bool:
    """Whether trying again can help: the pod changed, no answer, or a server in trouble."""
    if isinstance(error, Conflict):
        return wanted.tries < MAX_CONFLICTS
    return not isinstance(error, ApiError) or isinstance(error, TooManyRequests) or error.status >= 500
