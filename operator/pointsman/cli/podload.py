"""Making test pods at a steady rate, and deleting them again.

Pods carry one label, by which they are found again. The pace is kept by the clock, not by how long calls take: bursts
that are due go out even while earlier ones are under way.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import ApiError, Forbidden, Invalid, KubeError, NotFound, Unauthorized
from pointsman.kube.resources import PODS

LOAD_LABEL: Final = "pointsman.dev/load"
_HOPELESS: Final = (Unauthorized, Forbidden, NotFound, Invalid)  # the next pod would be refused as well

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to make: `burst` pods every `burst / rate` seconds, until `count` pods or `duration` seconds are over."""

    pod: Mapping[str, Any]
    namespace: str
    rate: float = 0.2  # pods per second
    burst: int = 1
    count: int | None = None
    duration: float | None = None


@dataclass(slots=True)
class Tally:
    """How it went. `failures` counts calls by what the API server said."""

    created: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    hopeless: ApiError | None = None

    @property
    def failed(self) -> int:
        return self.failures.total()


def pod_of(template: Mapping[str, Any], scheduler_name: str) -> dict[str, Any]:
    """The pod to create: the template with the label, a generated name, and the schedulerName if one is given.

    Raises ValueError when neither names a scheduler.
    """
    metadata = dict(template.get("metadata") or {})
    spec = dict(template.get("spec") or {})
    if scheduler_name:
        spec["schedulerName"] = scheduler_name
    if not spec.get("schedulerName"):
        raise ValueError("no scheduler: give --scheduler-name, or set spec.schedulerName in the template")
    name = metadata.pop("name", "")
    metadata.setdefault("generateName", f"{name or 'load'}-")
    metadata.pop("namespace", None)
    metadata["labels"] = {**(metadata.get("labels") or {}), LOAD_LABEL: spec["schedulerName"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


async def run_load(client: Client, plan: Plan, stop: asyncio.Event, clock: Clock, say: Say) -> Tally:
    """Create pods as planned until done or until `stop` is set; a refusal that will be repeated sets it."""
    tally = Tally()
    start = clock.monotonic()
    sent = 0
    async with asyncio.TaskGroup() as calls:
        while not stop.is_set() and (plan.count is None or sent < plan.count):
            due = sent / plan.rate
            if plan.duration is not None and due >= plan.duration:
                break
            if not await _wait_until(start + due, stop, clock):
                break
            size = plan.burst if plan.count is None else min(plan.burst, plan.count - sent)
            for _ in range(size):
                calls.create_task(_create(client, plan, tally, stop, say))
            sent += size
    return tally


async def delete_pods(client: Client, namespace: str, scheduler_name: str) -> None:
    """Delete every pod that carries the label; with a scheduler's name, only those made for it."""
    selector = f"{LOAD_LABEL}={scheduler_name}" if scheduler_name else LOAD_LABEL
    await client.request("DELETE", PODS.path(namespace), query={"labelSelector": selector})


async def _create(client: Client, plan: Plan, tally: Tally, stop: asyncio.Event, say: Say) -> None:
    try:
        await client.create(PODS.path(plan.namespace), plan.pod)
    except _HOPELESS as error:
        tally.hopeless = tally.hopeless or error
        tally.failures[str(error)] += 1
        stop.set()
    except KubeError as error:
        if str(error) not in tally.failures:
            say(f"a pod was not created: {error}; going on")
        tally.failures[str(error)] += 1
    else:
        tally.created += 1


async def _wait_until(moment: float, stop: asyncio.Event, clock: Clock) -> bool:
    """Sleep until the clock reads `moment`; False when `stop` was set first."""
    sleep = asyncio.ensure_future(clock.sleep(moment - clock.monotonic()))
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((sleep, stopped), return_when=asyncio.FIRST_COMPLETED)
        return not stop.is_set()
    finally:
        sleep.cancel()
        stopped.cancel()
