"""Evicts the victims of a preemption: the one part of it that talks to the API server.

Order and words as in kube-scheduler 1.36 (framework/preemption/executor.go): pods of lower priority lose their
nomination to the node, then all victims but one go at once, the last one last. Each is marked with the condition
DisruptionTarget first, so that its owner can tell. Every write is fenced by the Lease and names the uid, so that no
namesake is touched. A pod of ours that still waits for its volumes need not go: its binding is given up. The first
failure ends the round: the preemptor is tried again and decides anew.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pointsman.engine.preemption.eligibility import DISRUPTION_TARGET, PREEMPTED
from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.errors import Conflict, KubeError, NotFound
from pointsman.kube.resources import PODS
from pointsman.policy.pod import PodInfo

logger = logging.getLogger(__name__)

WORKERS = 8  # preemptions at a time


@dataclass(frozen=True, slots=True)
class Eviction:
    """One preemption. `evicted` hears of each victim that the API server has taken, `recalled` of each that was not
    bound yet and goes back to its queue instead, `ended` how it all ended."""

    preemptor: PodInfo
    victims: tuple[PodInfo, ...]  # at least one
    yielding: tuple[PodInfo, ...]  # nominated to the same node, of lower priority
    evicted: Callable[[PodInfo], None]
    recalled: Callable[[PodInfo], None]
    ended: Callable[[str], None]  # what went wrong, empty if nothing did


class Evictor:
    """Carries out preemptions in the background."""

    def __init__(
        self,
        client: Client,
        *,
        may_write: Callable[[], bool],
        recall: Callable[[str], bool],
        clock: Clock,
        on_end: Callable[[], None],
    ) -> None:
        """`recall` gives up a pod's binding if it is not too late; `on_end` is told whenever a preemption ended."""
        self._client = client
        self._may_write = may_write
        self._recall = recall
        self._clock = clock
        self._on_end = on_end
        self._waiting: asyncio.Queue[Eviction] = asyncio.Queue()

    def submit(self, eviction: Eviction) -> None:
        """Evict in the background."""
        self._waiting.put_nowait(eviction)

    async def run(self) -> None:
        """Evict until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            eviction = await self._waiting.get()
            eviction.ended(await self._carry_out(eviction))
            self._on_end()

    async def _carry_out(self, eviction: Eviction) -> str:
        failures = [
            await self._clear_nomination(pod) for pod in eviction.yielding
        ]  # not critical: victims go all the same
        *others, last = eviction.victims
        evicted = await asyncio.gather(*(self._evict(victim, eviction) for victim in others))
        if not any(evicted):
            evicted.append(await self._evict(last, eviction))
        return next(filter(None, (*evicted, *failures)), "")

    async def _evict(self, victim: PodInfo, eviction: Eviction) -> str:
        """Mark and delete one pod; what went wrong, empty if nothing did. One that is gone already is no fault."""
        if self._recall(victim.uid):
            eviction.recalled(victim)
            return ""
        patch = disruption_patch(victim, eviction.preemptor.pod.spec.scheduler_name, self._clock)
        try:
            if patch is not None:
                await self._patch(victim, patch)
            path = PODS.path(victim.namespace, victim.name)
            await self._client.delete(path, uid=victim.uid, may_send=self._may_write)
        except (NotFound, Conflict):  # or a namesake has taken its place
            return ""
        except KubeError as error:
            return f"cannot evict pod {victim.full_name}: {error}"
        eviction.evicted(victim)
        return ""

    async def _clear_nomination(self, pod: PodInfo) -> str:
        if not pod.nominated_node_name:
            return ""
        try:
            await self._patch(pod, {"metadata": {"uid": pod.uid}, "status": {"nominatedNodeName": None}})
        except (NotFound, Conflict):
            return ""
        except KubeError as error:
            return f"cannot end the nomination of pod {pod.full_name}: {error}"
        return ""

    async def _patch(self, pod: PodInfo, patch: dict[str, Any]) -> None:
        path = PODS.path(pod.namespace, pod.name, "status")
        await self._client.patch(path, patch, kind=PatchKind.STRATEGIC, may_send=self._may_write)


def disruption_patch(victim: PodInfo, scheduler_name: str, clock: Clock) -> dict[str, Any] | None:
    """A strategic merge patch that says why the pod goes, None if its status says so already."""
    condition: dict[str, Any] = {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": PREEMPTED,
        "message": f"{scheduler_name}: preempting to accommodate a higher priority pod",
    }
    before = next((one for one in victim.pod.status.conditions if one.type == DISRUPTION_TARGET), None)
    if before is not None and (before.status, before.reason, before.message) == (
        condition["status"],
        condition["reason"],
        condition["message"],
    ):
        return None
    if before is None or before.status != "True":
        condition["lastTransitionTime"] = rfc3339(clock.now())
    if victim.pod.metadata.generation:
        condition["observedGeneration"] = victim.pod.metadata.generation
    return {"metadata": {"uid": victim.uid}, "status": {"conditions": [condition]}}
