"""Our side: the same cluster in Pointsman's columns, and what Pointsman would decide there.

Objects come as the API server lists them, pods as its watch tells of them. Nothing is bound by us: the oracle's choice
arrives like any other pod event. Those are held back until `catch_up`: kube-scheduler may bind a pod before we have
decided about it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pointsman.engine.classes.classes import Classes
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cluster.pool import Pool
from pointsman.engine.cycle.explain import Explanation, explain
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.reserving import reserve
from pointsman.engine.intake.feeds import feeds
from pointsman.engine.preemption.choosing import least_harmful
from pointsman.engine.preemption.searching import candidates_wanted, find_candidates
from pointsman.kube.client import Client
from pointsman.kube.known import EventType
from pointsman.kube.objects import Namespace, Node, Pod
from pointsman.kube.resources import NAMESPACES, NODES
from pointsman.policy.accounting import pod_info
from pointsman.policy.document import PreemptionEntry
from pointsman.policy.kinds import Kind
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.volumes.plan import VolumePlan
from tests.oracle.watching import listed

FINISHED = ("Succeeded", "Failed")
EVERYWHERE = PreemptionEntry(min_candidate_nodes_percentage=100, min_candidate_nodes_absolute=1)
MADE = "made for it"
CHANGED_BY_BINDING = (Kind.CLAIMS, Kind.VOLUMES)

Ties = Mapping[str, frozenset[str]]
"""Nodes among which preemption may choose, each with its victims (namespace/name)."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What Pointsman would do: the engine's own choice, and beside it the explanation with all scores.

    `message` is complete, with the words about preemption; `ties` is empty if nobody is to be preempted.
    """

    explanation: Explanation
    node: str = ""
    feasible: int = 0
    message: str = ""
    rejected: Mapping[str, int] = field(default_factory=dict)  # first rejecters, and of how many nodes (0: of the pod)
    ties: Ties = field(default_factory=dict)
    nomination: str = ""  # of a pod that fits nowhere, afterwards


class _Engine(NamedTuple):
    """What an engine keeps for one policy."""

    policy: Policy
    pool: Pool
    classes: Classes


class Ours:
    """The engine's picture of one world, and its policies by scheduler name."""

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self.policies = policies
        self.cluster = Cluster()
        self._engines = {
            name: _Engine(policy, self.cluster.pool(policy.candidates), Classes(policy))
            for name, policy in policies.items()
        }
        self.nominator = Nominator()
        self._held: list[tuple[EventType, Pod]] = []

    async def read(self, client: Client) -> None:
        """Take over everything but pods from the API server."""
        for namespace in await listed(client, NAMESPACES, Namespace):
            self.cluster.set_namespace(namespace)
        for node in await listed(client, NODES, Node):
            self.cluster.upsert_node(node)
        await self.read_again(client, feeds(self.cluster))

    async def read_again(self, client: Client, kinds: Iterable[Kind] = CHANGED_BY_BINDING) -> None:
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

    def decide(self, pod: Pod) -> Decision:
        """What Pointsman would do with a pod now."""
        engine, info = self._engines[pod.spec.scheduler_name], pod_info(pod)
        candidates, rng = engine.pool.candidates, random.Random(info.full_name)
        explained = explain(engine.policy, info, self.cluster, candidates, self.nominator)
        decided = engine.classes.schedule(engine.policy, info, self.cluster, candidates, self.nominator, rng)
        rejected = Counter(refused.predicate for refused in explained.refused.values())
        made = Decision(explained, decided.node, decided.feasible, decided.message, rejected)
        if decided.row is not None:
            return made
        nomination = info.nominated_node_name if decided.nomination is None else decided.nomination
        made = replace(made, rejected={**dict.fromkeys(decided.rejectors, 0), **rejected}, nomination=nomination)
        return made if decided.preemption is None else replace(made, ties=self._ties(engine, info, rng))

    def rooms(self, pod: Pod, node: str) -> dict[str, str]:
        """What Pointsman would bind the pod's claims to on this node: how big a volume, or that one is to be made."""
        engine, info, row = self._engines[pod.spec.scheduler_name], pod_info(pod), self.cluster.row_of(node)
        found = search(engine.policy, info, self.cluster, engine.pool.candidates, self.nominator)
        plans = reserve(found.prepared, row) if row is not None else ()
        plan = next((plan for plan in plans if isinstance(plan, VolumePlan)), None)
        if plan is None:
            return {}
        promised = {one.claim.metadata.name: self.room(one.volume.metadata.name) for one in plan.promises}
        return {**promised, **{claim.metadata.name: MADE for claim in plan.provisions}}

    def room(self, volume: str) -> str:
        """How big a volume is; one that is not known was made since."""
        known = self.cluster.storage.volume(volume)
        return MADE if known is None else str(known.spec.capacity.get("storage", ""))

    def _ties(self, engine: _Engine, pod: PodInfo, rng: random.Random) -> Ties:
        """Where preemption may make room for a pod that fits nowhere."""
        cluster, nominator, candidates = self.cluster, self.nominator, engine.pool.candidates
        found = search(engine.policy, pod, cluster, candidates, nominator)
        resolvable = found.resolvable(candidates)
        everywhere = find_candidates(EVERYWHERE, pod, cluster, nominator, found, resolvable, rng).candidates
        # Whoever stops before all nodes were tried may take any of them, for the search begins anywhere.
        settings = engine.policy.document.preemption or EVERYWHERE
        stops = candidates_wanted(settings, len(resolvable)) < len(resolvable)
        best = everywhere if stops else least_harmful(everywhere)
        return {one.node: frozenset(victim.full_name for victim in one.victims) for one in best}

    def _take(self, kind: EventType, pod: Pod) -> None:
        if kind is EventType.DELETED or pod.status.phase in FINISHED:
            self.nominator.remove(pod.metadata.uid)
            self.cluster.remove_pod(pod.metadata.uid)
        elif pod.spec.node_name:
            self.nominator.remove(pod.metadata.uid)
            self.cluster.upsert_pod(pod_info(pod))
        elif not pod.spec.scheduling_gates:
            self.nominator.update(pod_info(pod))
