"""A scheduler with all default rules, whose cluster tests change by putting things in and taking them out."""

from functools import cache
from typing import Any, cast

from tests.unit.engine_process.test_scheduler import Bench

from pointsman.api.spec import parse_spec
from pointsman.engine.announce.announce import Announcer
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.cluster.cluster import Changes
from pointsman.engine.intake.feeds import feeds
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.kube.objects import Namespace
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.policy import Policy
from pointsman.testing.builders import NodeBuilder, PodBuilder

Thing = Any
"""A node or pod builder, or a wire struct of any other kind."""


@cache
def default_policy(**spec: Any) -> Policy:
    """The default rules of kube-scheduler 1.36."""
    parsed = parse_spec({"schedulerName": "ours", **spec})
    return load(canonical_json(compile_spec("p", parsed).document))


class WakeBench(Bench):
    """An empty cluster and the default rules."""

    def __init__(self, policy: Policy | None = None) -> None:
        super().__init__()
        self.cluster.remove_node("n1")
        around = self.scheduler._around
        self.scheduler = PolicyScheduler(policy or default_policy(), cast("Announcer", self), around)
        self._feeds = {feed.type: feed for feed in feeds(self.cluster).values()}

    def put(self, thing: Thing) -> None:
        """Have something appear, or replace its last version."""
        if isinstance(thing, NodeBuilder):
            self._broadcast(self.cluster.upsert_node(thing.build()))
        elif isinstance(thing, PodBuilder):
            self._put_pod(thing)
        elif isinstance(thing, Namespace):
            self._broadcast(self.cluster.set_namespace(thing))
        else:
            self._broadcast(self._feeds[type(thing)].upsert(thing))

    def take(self, thing: Thing) -> None:
        """Have something disappear."""
        if isinstance(thing, NodeBuilder):
            self._broadcast(self.cluster.remove_node(thing.draft.metadata.name))
        elif isinstance(thing, PodBuilder):
            self.deleted(thing)
        elif isinstance(thing, Namespace):
            self._broadcast(self.cluster.remove_namespace(thing.metadata.name))
        else:
            changes: Changes = self._feeds[type(thing)].remove(thing)
            self._broadcast(changes)

    def record(self, builder: PodBuilder) -> QueuedPod | None:
        """What the queue has of a pod."""
        return self.scheduler._state.queue.get(builder.draft.metadata.uid)

    def within(self, seconds: int) -> list[str]:
        """Decide for so long; names of the pods for which a binding was asked."""
        found = self.decide()
        for _ in range(seconds):
            self.clock.jump(1)
            self.scheduler.flush()
            found += self.decide()
        return found

    def bind_all(self) -> None:
        """Have every binding that was asked for succeed."""
        for assumption in self.submitted:
            self.settle(assumption, Outcome(Verdict.BOUND))
        self.submitted.clear()

    def _put_pod(self, builder: PodBuilder) -> None:
        if builder.draft.spec.node_name:
            info = builder.info()
            self.scheduler.pod_assigned(info)
            self._broadcast(self.cluster.upsert_pod(info))
        else:
            self.pending(builder)
