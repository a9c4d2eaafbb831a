"""Pods arriving: each workload's burst at once, then one pod every five seconds, the oldest of these making room."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError, NotFound
from pointsman.kube.resources import PODS
from pointsman.sandbox.demo.workload import EVERY_SECONDS, TRICKLE_MAX, Workload

log = logging.getLogger(__name__)


async def send(client: Client, workloads: Sequence[Workload], nodes: int, clock: Clock) -> None:
    """Make pods until cancelled. Raises KubeError when a burst is refused; later refusals are logged."""
    burst = [pod for workload in workloads for pod in workload.burst(nodes)]
    await asyncio.gather(*(client.create(PODS.path(pod["metadata"]["namespace"]), pod) for pod in burst))
    apart = EVERY_SECONDS / len(workloads)
    trickles = (_trickle(client, workload, apart * number, clock) for number, workload in enumerate(workloads))
    await asyncio.gather(*trickles)


async def _trickle(client: Client, workload: Workload, delay: float, clock: Clock) -> None:
    kept: deque[str] = deque()
    number = 0
    await clock.sleep(delay + EVERY_SECONDS)
    while True:
        pod = workload.trickle(number)
        path = PODS.path(workload.namespace)
        try:
            await client.create(path, pod)
            kept.append(pod["metadata"]["name"])
            number += 1
            if len(kept) > TRICKLE_MAX:
                await _delete(client, PODS.path(workload.namespace, kept.popleft()))
        except KubeError as error:
            log.warning("a pod of %s: %s", workload.scheduler, error)
        await clock.sleep(EVERY_SECONDS)


async def _delete(client: Client, path: str) -> None:
    with suppress(NotFound):  # somebody who tries kubectl was faster
        await client.delete(path)
