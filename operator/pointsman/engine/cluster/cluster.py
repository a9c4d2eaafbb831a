"""Cluster: the engine's one picture of nodes and pods, changed by watch events and by its own decisions.

Every change is exact and touches what it names only: a pod event one row, however many nodes there are. Each mutator
returns what the change means for pods that wait; replaying an event changes nothing and means nothing. Pods are charged
whoever placed them; pods on nodes that are not known are kept and charged when the node appears.
"""

import logging

from pointsman.engine.cluster.columns import Growing
from pointsman.engine.cluster.nodes import NOTHING, NodeFacts, happenings, node_facts
from pointsman.engine.cluster.pods import Placement, is_finished, update_happenings
from pointsman.engine.cluster.pool import Pool
from pointsman.engine.cluster.storage_changes import StorageChanges
from pointsman.kube.objects import Metadata, Namespace, Node
from pointsman.kube.policy_objects import PodDisruptionBudget
from pointsman.kube.workload_objects import Controller, Service
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import LabelMatcher
from pointsman.policy.rule import Change, Happening
from pointsman.policy.volumes.attached import keeps_attached
from pointsman.policy.volumes.claims import named_claims

logger = logging.getLogger(__name__)

Changes = tuple[Change, ...]


class Cluster(StorageChanges):
    """The columns (policy.view.ClusterView) and their mutators."""

    def __init__(self, capacity: int = 64) -> None:
        super().__init__(capacity)
        self._facts: dict[str, NodeFacts] = {}
        self._pools: list[Pool] = []

    def pool(self, matches: LabelMatcher | None) -> Pool:
        """The rows of nodes whose labels match, from now on kept up to date; None matches every node."""
        pool = Pool(matches, self.capacity)
        for row in self.rows().nonzero()[0].tolist():
            pool.set_row(row, self.labels_of(row))
        self._pools.append(pool)
        return pool

    def upsert_node(self, node: Node) -> Changes:
        """Add a node, or take over what changed on one; a mere heartbeat is no change."""
        name = node.metadata.name
        facts = node_facts(node)
        row = self.row_of(name)
        if row is None:
            return self._add_node(name, facts)
        before = self._facts[name]
        self._replace(name, row, before, facts)
        return tuple(Change(happening, self, row) for happening in happenings(before, facts))

    def remove_node(self, name: str) -> Changes:
        """Remove a node if it is known; its pods stay in the ledger until their own events come."""
        row = self.row_of(name)
        if row is None:
            return ()
        for pod in self._ledger.on(name):
            self._discharge(row, pod)
        self._replace(name, row, self._facts[name], NOTHING)
        del self._facts[name]
        self._rows.release(name)
        self._node_storage_changed(row)
        for pool in self._pools:
            pool.clear_row(row)
        return (Change(Happening.NODE_DELETE, self),)

    def upsert_pod(self, pod: PodInfo) -> Changes:
        """Take over an assigned pod as a watch event shows it; its word counts more than what was assumed.

        A finished pod leaves its node. A pod without a node is not placed by this: an assumption stays as it is. What
        cannot be read of a pod counts as nothing, with a warning when the pod is first seen.
        """
        if is_finished(pod):
            return self.remove_pod(pod.uid)
        if not pod.node_name:
            return ()
        before = self._take(pod.uid)
        row = self._place(Placement(pod, pod.node_name, assumed=False))
        if before is None:
            for error in pod.errors:
                logger.warning("pod %s: %s; counted as nothing", pod.full_name, error)
            return (Change(Happening.POD_ADD, self, row, pod),)
        if before.node != pod.node_name:
            left = Change(Happening.POD_DELETE, self, self.row_of(before.node), before.pod)
            return (left, Change(Happening.POD_ADD, self, row, pod))
        parts = update_happenings(before, pod)
        return tuple(Change(happening, self, row, pod, before.pod) for happening in parts)

    def remove_pod(self, uid: str) -> Changes:
        """A pod is gone, bound or assumed; unknown ones are no news."""
        placement = self._take(uid)
        if placement is None:
            return ()
        return (Change(Happening.POD_DELETE, self, self.row_of(placement.node), placement.pod),)

    def assume(self, pod: PodInfo, node: str) -> None:
        """Charge a pod to the node that was chosen for it, until a watch event or `forget` settles the matter.

        Nobody gains by it, so there are no changes; the bound pod's own event is told like any other. ValueError if the
        pod is placed already.
        """
        placed = self._ledger.get(pod.uid)
        if placed is not None:
            raise ValueError(f"pod {pod.full_name} cannot be assumed on node {node}: it is on node {placed.node}")
        self._place(Placement(pod, node, assumed=True))

    def forget(self, uid: str) -> Changes:
        """Take an assumption back. A pod that was seen bound meanwhile stays where it is."""
        placement = self._ledger.get(uid)
        return self.remove_pod(uid) if placement is not None and placement.assumed else ()

    def placement(self, uid: str) -> Placement | None:
        """Where a pod is, bound or assumed."""
        return self._ledger.get(uid)

    def set_namespace(self, namespace: Namespace) -> Changes:
        """Take over a namespace's labels."""
        name, labels = namespace.metadata.name, namespace.metadata.labels
        return (Change(Happening.NAMESPACE, self),) if self._namespaces.put(name, labels) else ()

    def remove_namespace(self, name: str) -> Changes:
        """Forget a namespace."""
        return (Change(Happening.NAMESPACE, self),) if self._namespaces.discard(name) else ()

    def upsert_service(self, service: Service) -> Changes:
        """Take over whom a Service selects."""
        return self._owner_changes(service.metadata, news=self._owners.upsert_service(service))

    def remove_service(self, service: Service) -> Changes:
        """Forget a Service."""
        return self._owner_changes(service.metadata, news=self._owners.remove_service(service))

    def upsert_controller(self, controller: Controller) -> Changes:
        """Take over whom a ReplicationController, ReplicaSet or StatefulSet selects."""
        return self._owner_changes(controller.metadata, news=self._owners.upsert_controller(controller))

    def remove_controller(self, controller: Controller) -> Changes:
        """Forget a controller."""
        return self._owner_changes(controller.metadata, news=self._owners.remove_controller(controller))

    def _owner_changes(self, metadata: Metadata, *, news: bool) -> Changes:
        return (Change(Happening.SERVICE, self, key=(metadata.namespace, metadata.name)),) if news else ()

    def upsert_disruption_budget(self, budget: PodDisruptionBudget) -> Changes:
        """Take over a PodDisruptionBudget. Nobody waits for one, so there are no changes."""
        self._budgets.upsert(budget)
        return ()

    def remove_disruption_budget(self, budget: PodDisruptionBudget) -> Changes:
        """Forget a PodDisruptionBudget."""
        self._budgets.remove(budget.metadata.namespace, budget.metadata.name)
        return ()

    def _add_node(self, name: str, facts: NodeFacts) -> Changes:
        if self._rows.full:
            self._grow(2 * self.capacity)
        row = self._rows.take(name)
        self._replace(name, row, NOTHING, facts)
        self._node_storage_changed(row)
        for pod in self._ledger.on(name):
            self._charge(row, pod)
        return (Change(Happening.NODE_ADD, self, row),)

    def _replace(self, name: str, row: int, before: NodeFacts, after: NodeFacts) -> None:
        self._facts[name] = after
        for problem in after.problems if after.problems != before.problems else ():  # heartbeats repeat them
            logger.warning("node %s: %s; counted as 0", name, problem)
        if after != before:
            self.journal.node_changed()
        if after.allocatable != before.allocatable:
            self._resources.set_allocatable(row, before.allocatable, after.allocatable)
        if after.labels != before.labels or before is NOTHING:
            self._labels.set_row(row, after.labels)
            for pool in self._pools:
                pool.set_row(row, after.labels)
        if (after.taints, after.unschedulable) != (before.taints, before.unschedulable):
            self._taints.set_row(row, after.taints, unschedulable=after.unschedulable)
        if after.images != before.images:
            self._images.set_row(row, after.images)
        if after.annotations != before.annotations:
            self._annotations.set_row(row, after.annotations)
        if after.features != before.features:
            self._features.set_row(row, dict.fromkeys(after.features, ""))

    def _grow(self, capacity: int) -> None:
        parts: tuple[Growing, ...] = (
            self._rows,
            self._labels,
            self._annotations,
            self._features,
            self._resources,
            self._priorities,
            self._taints,
            self._images,
            self._pod_counts,
            self._carried_terms,
            self._csi_nodes,
            self._by_driver,
            self._by_kind,
            *self._pools,
        )
        for part in parts:
            part.grow(capacity)

    def _place(self, placement: Placement) -> int | None:
        self._ledger.put(placement)
        row = self.row_of(placement.node)
        if row is not None:
            self._charge(row, placement.pod)
        return row

    def _take(self, uid: str) -> Placement | None:
        placement = self._ledger.pop(uid)
        if placement is not None:
            row = self.row_of(placement.node)
            if row is not None:
                self._discharge(row, placement.pod)
        return placement

    def _charge(self, row: int, pod: PodInfo) -> None:
        self.journal.touch(row)
        self._resources.charge(row, pod)
        self._priorities.charge(row, pod)
        self._pod_counts.charge(row, pod)
        self._carried_terms.charge(row, pod.affinity)
        if pod.host_ports:
            self._ports.charge(row, pod.host_ports)
        if pod.pod.spec.volumes:
            self._storage.charge(row, pod.namespace, named_claims(pod.pod))
            self._disk_pods.charge(row, pod)
            if keeps_attached(pod):
                self._attached_changed(row)

    def _discharge(self, row: int, pod: PodInfo) -> None:
        self.journal.touch(row)
        self._resources.discharge(row, pod)
        self._priorities.discharge(row, pod)
        self._pod_counts.discharge(row, pod)
        self._carried_terms.discharge(row, pod.affinity)
        if pod.host_ports:
            self._ports.discharge(row, pod.host_ports)
        if pod.pod.spec.volumes:
            self._storage.discharge(row, pod.namespace, named_claims(pod.pod))
            self._disk_pods.discharge(row, pod)
            if keeps_attached(pod):
                self._attached_changed(row)
