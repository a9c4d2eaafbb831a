"""The pods on this agent's nodes: who is new, who is to go, and what is done for each.

Hollow pods cost a status write and an address, no task. Mapped pods each have a task of their own. All of it happens in
the event loop's thread, so a batch of the watch is handled before anything else looks at the result.
"""

import asyncio
import logging
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from pointsman.kube.reflector import EventType, WatchEvent
from pointsman.sandbox.agent.addresses import AddressPool
from pointsman.sandbox.agent.environment import PodFacts
from pointsman.sandbox.agent.hollow import hollow_report
from pointsman.sandbox.agent.images import is_mapped
from pointsman.sandbox.agent.mapped import Ending, MappedPod, Services, all_containers
from pointsman.sandbox.agent.paths import pod_folder
from pointsman.sandbox.agent.podspec import Pod
from pointsman.sandbox.agent.status import ENDED_PHASES, pod_status
from pointsman.sandbox.agent.writer import PodRef

log = logging.getLogger(__name__)

_LOGS_KEPT_SECONDS: Final = 24 * 3600
_FORCED_GRACE_SECONDS: Final = 1.0  # for a pod that was removed without asking, as the kubelet gives it


class NodePods:
    """Handles the pod watch. `nodes` maps our nodes' names to their addresses and may change at any time."""

    def __init__(self, nodes: Mapping[str, str], addresses: AddressPool, services: Services, work_dir: Path) -> None:
        self._nodes = nodes
        self._addresses = addresses
        self._services = services
        self._work_dir = work_dir
        self._hollow: dict[str, str] = {}  # uid -> address
        self._mapped: dict[str, MappedPod] = {}  # by uid
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    def on_events(self, events: Sequence[WatchEvent[Pod]]) -> None:
        """Takes a batch of the watch."""
        for event in events:
            pod = event.object
            if event.type is EventType.DELETED:
                self._vanished(pod)
            elif pod.spec.node_name in self._nodes:
                self._seen(pod)

    def find(self, namespace: str, name: str) -> MappedPod:
        """A mapped pod that is being run. Raises LookupError."""
        for pod in reversed(self._mapped.values()):
            if (pod.ref.namespace, pod.ref.name) == (namespace, name):
                return pod
        raise LookupError(f"no pod {namespace}/{name} is run as processes here")

    def leave(self, nodes: Iterable[str]) -> None:
        """The nodes are gone, as if their power had failed: processes die and nothing is said of the pods."""
        gone = set(nodes)
        for pod in self._mapped.values():
            if pod.facts.pod.spec.node_name in gone:
                pod.end(0.0, Ending.VANISHED)

    def sweep(self) -> None:
        """Removes the folders of pods that ended while no agent ran, and logs a day after their pod."""
        wanted = {pod.facts.folder.root.name for pod in self._mapped.values()}
        a_day_ago = self._services.clock.now().timestamp() - _LOGS_KEPT_SECONDS
        for folder in (*self._work_dir.glob("pods/*"), *self._work_dir.glob("logs/*")):
            stale = folder.parent.name == "pods" or folder.stat().st_mtime < a_day_ago
            if stale and folder.name not in wanted:
                shutil.rmtree(folder, ignore_errors=True)

    async def stop(self, grace_seconds: float) -> None:
        """Ends every process; the pods stay as they are on the API server.

        Pods that the watch, which goes on meanwhile, still brings are left to the next agent: nobody would end them.
        """
        self._stopping = True
        for pod in self._mapped.values():
            pod.end(grace_seconds, Ending.LEFT)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _seen(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        running = self._mapped.get(uid)
        if running is not None:
            running.update(pod)
            if pod.metadata.deletion_timestamp:
                running.end(_grace_seconds(pod), Ending.DELETED)
        elif pod.metadata.deletion_timestamp:
            self._services.writer.remove(_ref(pod))
        elif uid not in self._hollow and pod.status.phase not in ENDED_PHASES and not self._stopping:
            self._admit(pod)

    def _admit(self, pod: Pod) -> None:
        # What a pod was told once stays: addresses are merged, and a second one of a family is refused.
        host_address = pod.status.host_ip or self._nodes[pod.spec.node_name]
        address = self._address(pod, host_address)
        if is_mapped(self._services.images, all_containers(pod)):
            self._start(pod, address, host_address)
            return
        self._hollow[pod.metadata.uid] = address
        if pod.status.phase == "Pending":
            self._services.writer.status(_ref(pod), partial(self._hollow_status, pod, address, host_address))

    def _hollow_status(self, pod: Pod, address: str, host_address: str) -> dict[str, Any]:
        now = self._services.clock.now()
        return pod_status(pod, hollow_report(pod, address, host_address, now), now)

    def _start(self, pod: Pod, address: str, host_address: str) -> None:
        metadata = pod.metadata
        folder = pod_folder(self._work_dir, metadata.namespace, metadata.name, metadata.uid)
        running = MappedPod(PodFacts(pod, address, host_address, folder), self._services)
        self._mapped[metadata.uid] = running
        task = asyncio.create_task(self._live(running))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _live(self, running: MappedPod) -> None:
        try:
            await running.run()
        except Exception:
            log.exception("pod %s is given up", running.facts.pod.title)
            running.end(0.0, Ending.VANISHED)
            await running.ended()
        finally:
            del self._mapped[running.ref.uid]
            self._addresses.release(running.facts.address)

    def _vanished(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        address = self._hollow.pop(uid, None)
        if address is not None:
            self._addresses.release(address)
        running = self._mapped.get(uid)
        if running is not None:
            running.end(_FORCED_GRACE_SECONDS, Ending.VANISHED)

    def _address(self, pod: Pod, host_address: str) -> str:
        if pod.spec.host_network:
            return host_address
        if pod.status.pod_ip:
            self._addresses.hold(pod.status.pod_ip)
            return pod.status.pod_ip
        return self._addresses.take()


def _ref(pod: Pod) -> PodRef:
    return PodRef(pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)


def _grace_seconds(pod: Pod) -> float:
    grace = pod.metadata.deletion_grace_period_seconds
    return float(pod.spec.termination_grace_period_seconds if grace is None else grace)
