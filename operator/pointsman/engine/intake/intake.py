"""Takes what the watches deliver to where it belongs: the columns, and the policy that each pod asks for.

Batches are applied at once and without awaiting, so a decision never sees half of one. What a batch changed is told to
every policy in the process, because all of them look at one cluster.
"""

from collections.abc import Callable, Iterable, Sequence

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.intake.feeds import Feed
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.kube.known import EventType, T, WatchEvent
from pointsman.kube.objects import Namespace, Node, Pod
from pointsman.policy.accounting import pod_info

FINISHED = frozenset({"Succeeded", "Failed"})


class Intake:
    """Routes watch events. `schedulers` may still be filled after this is made; `on_news` is told after each batch."""

    def __init__(self, cluster: Cluster, schedulers: Sequence[PolicyScheduler], on_news: Callable[[], None]) -> None:
        self._cluster = cluster
        self._schedulers = schedulers
        self._on_news = on_news

    def broadcast(self, changes: Changes) -> None:
        """Tell every policy what changed in the cluster."""
        if changes:
            for scheduler in self._schedulers:
                scheduler.changed(changes)

    def on_nodes(self, events: Iterable[WatchEvent[Node]]) -> None:
        """A batch of the node watch."""
        for event in events:
            if event.type is EventType.DELETED:
                name = event.object.metadata.name
                self.broadcast(self._cluster.remove_node(name))
                for scheduler in self._schedulers:
                    scheduler.node_removed(name)
            else:
                self.broadcast(self._cluster.upsert_node(event.object))
        self._on_news()

    def on_namespaces(self, events: Iterable[WatchEvent[Namespace]]) -> None:
        """A batch of the namespace watch."""
        for event in events:
            if event.type is EventType.DELETED:
                self.broadcast(self._cluster.remove_namespace(event.object.metadata.name))
            else:
                self.broadcast(self._cluster.set_namespace(event.object))
        self._on_news()

    def follow(self, feed: Feed[T]) -> Callable[[Iterable[WatchEvent[T]]], None]:
        """What takes batches of the watch of one of the other kinds."""

        def on_events(events: Iterable[WatchEvent[T]]) -> None:
            for event in events:
                change = feed.remove if event.type is EventType.DELETED else feed.upsert
                self.broadcast(change(event.object))
            self._on_news()

        return on_events

    def on_pods(self, events: Iterable[WatchEvent[Pod]]) -> None:
        """A batch of the pod watch."""
        for event in events:
            self._on_pod(event.type, event.object)
        self._on_news()

    def _on_pod(self, type_: EventType, pod: Pod) -> None:
        ours = [one for one in self._schedulers if one.policy.scheduler_name == pod.spec.scheduler_name]
        if type_ is EventType.DELETED or pod.status.phase in FINISHED:
            for scheduler in ours:
                scheduler.pod_gone(pod.metadata.uid)
            self.broadcast(self._cluster.remove_pod(pod.metadata.uid))
        elif pod.spec.node_name:
            info = pod_info(pod)
            for scheduler in ours:
                scheduler.pod_assigned(info)
            self.broadcast(self._cluster.upsert_pod(info))
        else:
            for scheduler in ours:
                scheduler.pod_pending(pod_info(pod))
