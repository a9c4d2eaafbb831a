"""Binds the volumes of assumed pods before the pods themselves (PreBind of VolumeBinding, kube-scheduler 1.36).

Each volume is promised to its claim and each claim told its node, on condition that the object is still the version
that the decision was made on; then the volume controller does its part, which may take minutes. Nobody else waits for
that: writes take turns, waiting takes none. What the watch tells of a pod's claims and volumes, of the pod itself or
of its node makes it look again; nothing is asked in between.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.reservation import Reservation
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.binding.volume_progress import VolumeTrouble, all_bound, keys_of
from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.client import Client, PatchKind, decode
from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError, NotSent
from pointsman.kube.known import Key
from pointsman.kube.objects import Pod
from pointsman.kube.resources import CLAIMS, PODS, VOLUMES
from pointsman.kube.storage_objects import PersistentVolume, PersistentVolumeClaim
from pointsman.policy.volumes.claims import BOUND_BY_CONTROLLER, SELECTED_NODE
from pointsman.policy.volumes.plan import Promise

logger = logging.getLogger(__name__)

WRITERS = 16  # pods whose volumes are written at a time; the binder's calls need connections too
BACKLOG = 64  # pods whose volumes may wait to be written before decisions pause
WRITE_SECONDS = 10.0  # no longer than the Lease's deadline

T = TypeVar("T", PersistentVolume, PersistentVolumeClaim, Pod)
Ended = Callable[[Assumption, Outcome | None], None]


class VolumeBinder:
    """Takes assumptions with a reservation; `ended` hears of each once, without an outcome if its volumes are bound."""

    def __init__(self, client: Client, cluster: Cluster, may_write: Callable[[], bool], clock: Clock) -> None:
        self._client = client
        self._cluster = cluster
        self._may_write = may_write
        self._clock = clock
        self._inbox: asyncio.Queue[tuple[Assumption, Reservation, Ended]] = asyncio.Queue()
        self._unwritten = 0
        self._turns = asyncio.Semaphore(WRITERS)
        self._waiting: dict[Key, set[asyncio.Event]] = {}
        self._at_work: dict[str, asyncio.Event] = {}  # by uid of the pod
        self._recalled: set[str] = set()
        cluster.storage.listen(self._on_news)

    def has_room(self) -> bool:
        """Whether another pod's volumes may be submitted."""
        return self._unwritten < BACKLOG

    def submit(self, assumption: Assumption, reservation: Reservation, ended: Ended) -> None:
        """Bind the pod's volumes in the background."""
        self._unwritten += 1
        self._at_work[assumption.uid] = asyncio.Event()
        self._inbox.put_nowait((assumption, reservation, ended))

    def recall(self, uid: str) -> bool:
        """Give up a pod whose volumes are not bound yet, for one that preempts it; whether it came in time."""
        news = self._at_work.get(uid)
        if news is None:
            return False
        self._recalled.add(uid)
        news.set()
        return True

    async def run(self) -> None:
        """Bind until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                assumption, reservation, ended = await self._inbox.get()
                group.create_task(self._serve(assumption, reservation, ended))

    async def _serve(self, assumption: Assumption, reservation: Reservation, ended: Ended) -> None:
        outcome = await self._written(assumption, reservation)
        if outcome is None:
            outcome = await self._settled(assumption, reservation)
        del self._at_work[assumption.uid]
        if assumption.uid in self._recalled:
            self._recalled.remove(assumption.uid)
            outcome = _failed("preempted by DefaultPreemption")
        ended(assumption, outcome)

    async def _written(self, assumption: Assumption, reservation: Reservation) -> Outcome | None:
        """Write the plan; an outcome if that failed. What was written before stays written."""
        try:
            async with self._turns:
                await self._nominate(assumption)
                await self._write(reservation)
        except NotSent:
            return Outcome(Verdict.WITHHELD)
        except KubeError as error:
            return _failed(str(error))
        finally:
            self._unwritten -= 1
        return None

    async def _nominate(self, assumption: Assumption) -> None:
        """Tell autoscalers where the pod will be, since its binding may be far off; not worth failing for."""
        pod = assumption.pod
        if pod.nominated_node_name == assumption.node:
            return
        try:
            path = PODS.path(pod.namespace, pod.name, "status")
            patch = {"metadata": {"uid": pod.uid}, "status": {"nominatedNodeName": assumption.node}}
            await self._patch(path, patch, Pod)
        except NotSent:
            raise
        except KubeError as error:
            logger.warning("nominatedNodeName not written: %s", error, extra={"pod": pod.full_name})

    async def _write(self, reservation: Reservation) -> None:
        for promise in reservation.plan.promises:
            name = promise.volume.metadata.name
            if promise.changed:
                volume = await self._patch(VOLUMES.path(name=name), _promise_patch(promise), PersistentVolume)
                reservation.volume_versions[name] = volume.metadata.resource_version
        for planned in reservation.plan.provisions:
            namespace, name = planned.metadata.namespace, planned.metadata.name
            if name not in reservation.claim_versions:
                path = CLAIMS.path(namespace, name)
                claim = await self._patch(path, _node_patch(planned), PersistentVolumeClaim)
                reservation.claim_versions[name] = claim.metadata.resource_version

    async def _patch(self, path: str, patch: dict[str, Any], kind: type[T]) -> T:
        answer = await self._client.patch(
            path, patch, kind=PatchKind.MERGE, timeout=WRITE_SECONDS, may_send=self._may_write
        )
        return decode(answer, kind)

    async def _settled(self, assumption: Assumption, reservation: Reservation) -> Outcome | None:
        """Wait for the volume controller; an outcome if it fails or takes too long, or if the pod is placed or ends."""
        news = self._at_work[assumption.uid]
        assumption.on_news = news.set
        timer = asyncio.create_task(self._clock.sleep(reservation.plan.timeout))
        timer.add_done_callback(lambda _: news.set())
        heard: set[Key] = set()
        try:
            while assumption.uid not in self._recalled and not all_bound(reservation, self._cluster):
                if assumption.told_by_watch or assumption.pod.terminating:
                    return _failed("pod does not exist any more")
                if timer.done():
                    return _failed("binding volumes: context deadline exceeded")
                self._listen(news, heard, set(keys_of(reservation, self._cluster)))
                await news.wait()
                news.clear()
        except VolumeTrouble as trouble:
            return _failed(f"binding volumes: {trouble}")
        finally:
            timer.cancel()
            self._listen(news, heard, set())
        return None

    def _listen(self, news: asyncio.Event, heard: set[Key], keys: set[Key]) -> None:
        """Have `news` set by exactly these keys, instead of those `heard` until now."""
        for key in keys - heard:
            self._waiting.setdefault(key, set()).add(news)
        for key in heard - keys:
            self._waiting[key].discard(news)
            if not self._waiting[key]:
                del self._waiting[key]
        heard.clear()
        heard |= keys

    def _on_news(self, key: Key) -> None:
        for news in self._waiting.get(key, ()):
            news.set()


def _promise_patch(promise: Promise) -> dict[str, Any]:
    """A merge patch that sets the volume aside for the claim, if it still is the version that was chosen."""
    volume, claim = promise.volume.metadata, promise.claim.metadata
    metadata: dict[str, Any] = {"uid": volume.uid, "resourceVersion": volume.resource_version}
    if BOUND_BY_CONTROLLER in volume.annotations:
        metadata["annotations"] = {BOUND_BY_CONTROLLER: volume.annotations[BOUND_BY_CONTROLLER]}
    reference = {
        "apiVersion": CLAIMS.api_version,
        "kind": CLAIMS.kind,
        "namespace": claim.namespace,
        "name": claim.name,
        "uid": claim.uid,
        "resourceVersion": claim.resource_version,
    }
    return {"metadata": metadata, "spec": {"claimRef": reference}}


def _node_patch(claim: PersistentVolumeClaim) -> dict[str, Any]:
    """A merge patch that tells the claim its node, if it still is the version that was decided on."""
    metadata = claim.metadata
    annotations = {SELECTED_NODE: metadata.annotations[SELECTED_NODE]}
    return {"metadata": {"uid": metadata.uid, "resourceVersion": metadata.resource_version, "annotations": annotations}}


def _failed(message: str) -> Outcome:
    return Outcome(Verdict.FAILED, f'running PreBind plugin "VolumeBinding": {message}')
