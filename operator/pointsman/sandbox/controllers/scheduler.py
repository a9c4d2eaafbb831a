"""The default scheduler: a few of Pointsman's own rules, for pods that name no other scheduler.

It decides like an engine, one pod after the other, without queues and back-off: pods that fit nowhere are looked at
again when something in the cluster changes. Rules that only one of the two schedulers has play no part: a sandbox
places what kube-scheduler would place, if not always on the same node.
"""

import asyncio
import logging
import random
from typing import Final

import msgspec

from pointsman.api.spec import parse_spec
from pointsman.engine.announce.announce import Announcer
from pointsman.engine.announce.conditions import ConditionWriter
from pointsman.engine.announce.pod_condition import Failure, FailureReason
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.rule_error import RuleError
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import KubeError
from pointsman.kube.events import EventWriter
from pointsman.kube.known import EventType, WatchEvent
from pointsman.kube.resources import PODS
from pointsman.policy.accounting import pod_info
from pointsman.policy.build import build
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import NodeItem, PodItem

DEFAULT_SCHEDULER: Final = "default-scheduler"
_SPEC: Final = {
    "schedulerName": "sandbox",
    "base": "None",
    "predicates": [{"name": name} for name in ("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")],
    "priorities": [{"name": name} for name in ("TaintToleration", "NodeResourcesFit")],
    "preemption": {"state": "Disabled"},
}
_ENDED: Final = ("Succeeded", "Failed")
_PAUSE_SECONDS: Final = 0.1  # between two looks at pods that fit nowhere
_FAULT_PAUSE_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class DefaultScheduler:
    """Places the pods of default-scheduler."""

    def __init__(
        self, client: Client, pods: Mirror[PodItem], nodes: Mirror[NodeItem], clock: Clock, rng: random.Random
    ) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._policy = default_policy()
        self._cluster = Cluster()
        self._pool = self._cluster.pool(None)
        self._waiting: dict[str, PodInfo] = {}
        self._news = asyncio.Event()
        self._events = EventWriter(
            client, reporting_controller=DEFAULT_SCHEDULER, reporting_instance="sandbox", clock=clock
        )
        self._conditions = ConditionWriter(client, lambda: True, clock, rng)
        self._announcer = Announcer(self._events, self._conditions, clock)
        pods.listen(self._on_pod)
        nodes.listen(self._on_node)

    async def run(self) -> None:
        """Place pods until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._events.run())
            group.create_task(self._conditions.run())
            group.create_task(self._place_all())

    def _on_node(self, event: WatchEvent[NodeItem]) -> None:
        if event.type is EventType.DELETED:
            changes = self._cluster.remove_node(event.object.metadata.name)
        else:
            changes = self._cluster.upsert_node(event.object)
        if changes:
            self._news.set()

    def _on_pod(self, event: WatchEvent[PodItem]) -> None:
        pod, uid = event.object, event.object.metadata.uid
        ended = event.type is EventType.DELETED or pod.status.phase in _ENDED
        if pod.spec.scheduler_name == DEFAULT_SCHEDULER and not pod.spec.node_name and not ended and not pod.deleting:
            if not pod.spec.scheduling_gates:
                self._waiting[uid] = pod_info(pod)
                self._announcer.seen(self._waiting[uid])
                self._news.set()
            return
        if self._waiting.pop(uid, None) is not None:
            self._announcer.gone(uid)
        changes = self._cluster.remove_pod(uid) if ended else self._cluster.upsert_pod(pod_info(pod))
        if changes and self._waiting:
            self._news.set()

    async def _place_all(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            for pod in list(self._waiting.values()):
                await self._place(pod)
            await self._clock.sleep(_PAUSE_SECONDS)

    async def _place(self, pod: PodInfo) -> None:
        if pod.uid not in self._waiting or self._cluster.placement(pod.uid) is not None:
            return
        try:
            decision = schedule(self._policy, pod, self._cluster, self._pool.candidates, Nominator(), self._rng)
        except RuleError as error:
            self._announcer.failed(pod, Failure(FailureReason.SCHEDULER_ERROR, str(error)))
            return
        if decision.row is None:
            self._announcer.failed(pod, Failure(FailureReason.UNSCHEDULABLE, decision.message))
            return
        self._cluster.assume(pod, decision.node)
        self._announcer.assumed(pod)
        try:
            await self._client.request(
                "POST", PODS.path(pod.namespace, pod.name, "binding"), body=_binding(pod, decision.node)
            )
        except KubeError as error:
            self._cluster.forget(pod.uid)
            _log.info("default-scheduler: pod %s: %s", pod.full_name, error)
            await self._clock.sleep(_FAULT_PAUSE_SECONDS)
            self._news.set()
            return
        self._waiting.pop(pod.uid, None)
        self._announcer.bound(pod, decision.node)


def default_policy() -> Policy:
    """What keeps a pod off a node for good, and which node has most room."""
    compiled = compile_spec(DEFAULT_SCHEDULER, parse_spec(_SPEC))
    return build(compiled.document, canonical_json(compiled.document))


def _binding(pod: PodInfo, node: str) -> bytes:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    metadata = {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid}
    return msgspec.json.encode({"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target})
