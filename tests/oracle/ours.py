"""Our side: the same cluster in Pointsman's columns, and what Pointsman would decide there.

Objects come as the API server lists them, pods as its watch tells of them. Nothing is bound by us: the oracle's choice
arrives like any other pod event. Those are held back until `catch_up`: kube-scheduler may bind a pod before we have
decided about it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.explain import Explanation, explain
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.intake.feeds import feeds
from pointsman.kube.client import Client
from pointsman.kube.known import EventType
from pointsman.kube.objects import Namespace, Node, Pod
from pointsman.kube.resources import NAMESPACES, NODES
from pointsman.policy.accounting import pod_info
from pointsman.policy.kinds import Kind
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from tests.oracle.watching import listed

FINISHED = ("Succeeded", "Failed")


class Ours:
    """The engine's picture of one world, and its policies by scheduler name."""

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self.policies = policies
        self.cluster = Cluster()
        self.nominator = Nominator()
        self._held: list[tuple[EventType, Pod]] = []

    async def read(self, client: Client) -> None:
        """Take over everything but pods from the API server."""
        for namespace in await listed(client, NAMESPACES, Namespace):
            self.cluster.set_namespace(namespace)
        for node in await listed(client, NODES, Node):
            self.cluster.upsert_node(node)
        await self.read_again(client, feeds(self.cluster))

    async def read_again(self, client: Client, kinds: Iterable[Kind]) -> None:
        """Take over all objects of these kinds as they are now; none of them has gone."""
        ways = feeds(self.cluster)
        for kind in kinds:
            for obj in await listed(client, kind.resource, ways[kind].type):
                ways[kind].upsert(obj)

    def on_pod(self, kind: EventType, pod: Pod) -> None:
        """One event of the pod watch, to be taken in later."""
        self._held.append((kind, pod))

    def catch_up(self) -> None:
        """Take in the events that have come."""
        for kind, pod in self._held:
            self._take(kind, pod)
        self._held.clear()

    def _take(self, kind: EventType, pod: Pod) -> None:
        if kind is EventType.DELETED or pod.status.phase in FINISHED:
            self.nominator.remove(pod.metadata.uid)
            self.cluster.remove_pod(pod.metadata.uid)
        elif pod.spec.node_name:
            self.nominator.remove(pod.metadata.uid)
            self.cluster.upsert_pod(pod_info(pod))
        elif pod.status.nominated_node_name and not pod.spec.scheduling_gates:
            self.nominator.update(pod_info(pod))

    def explain(self, pod: Pod) -> Explanation:
        """What Pointsman would do with a pod now."""
        policy = self.policies[pod.spec.scheduler_name]
        return explain(policy, self.info(pod), self.cluster, self.candidates(policy), self.nominator)

    def candidates(self, policy: Policy) -> Any:
        """The rows that a policy may use."""
        return self.cluster.pool(policy.candidates).candidates

    def info(self, pod: Pod) -> PodInfo:
        return pod_info(pod)
