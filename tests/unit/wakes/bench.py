"""A scheduler with all default rules, whose cluster tests change by putting things in and taking them out."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

from tests.unit.engine.putting import Thing, put, take
from tests.unit.engine_process.test_scheduler import Bench

from pointsman.api.spec import parse_spec
from pointsman.engine.announce.announce import Announcer
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.testing.builders import PodBuilder


def policy_with(spec: Mapping[str, Any]) -> Policy:
    """The default rules of kube-scheduler 1.36, and what a spec has beside them."""
    parsed = parse_spec({"schedulerName": "ours", **spec})
    return load(canonical_json(compile_spec("p", parsed).document))


@cache
def default_policy() -> Policy:
    """The default rules alone."""
    return policy_with({})


class WakeBench(Bench):
    """The default rules, and an empty cluster unless one is given."""

    def __init__(self, policy: Policy | None = None, cluster: Cluster | None = None) -> None:
        super().__init__()
        self.cluster = cluster or Cluster()
        around = replace(self.scheduler._around, cluster=self.cluster)
        self.scheduler = PolicyScheduler(policy or default_policy(), cast("Announcer", self), around)

    def preempted(self, victim: PodInfo, preemptor: PodInfo, node: str) -> None:
        self.said.append(f"{victim.name}: preempted by {preemptor.name} on {node}")

    def tell(self, changes: Changes) -> None:
        """Have the scheduler hear what changed."""
        self._broadcast(changes)

    def put(self, thing: Thing) -> None:
        """Have something appear, or replace its last version."""
        if isinstance(thing, PodBuilder) and not thing.draft.spec.node_name:
            self.pending(thing)
            return
        if isinstance(thing, PodBuilder):
            self.scheduler.pod_assigned(thing.info())
        self._broadcast(put(self.cluster, thing))

    def take(self, thing: Thing) -> None:
        """Have something disappear."""
        if isinstance(thing, PodBuilder):
            self.scheduler.pod_gone(thing.draft.metadata.uid)
        self._broadcast(take(self.cluster, thing))

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
