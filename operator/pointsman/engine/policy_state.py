"""What one policy holds at run time, and what all policies of a process share.

Plain data, passed to the parts that act on it: `scheduler` follows the watch, `attempts` decides and settles. Nothing
here behaves.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.recent_bindings import RecentBindings
from pointsman.engine.binding.verdict import Outcome
from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.cluster.pool import Pool
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.search import POOL_REJECTOR
from pointsman.engine.preemption.eviction import Eviction
from pointsman.engine.queue.backoff import Backoff
from pointsman.engine.queue.queue import SchedulingQueue
from pointsman.engine.queue.wakeups import Wakeups
from pointsman.engine.report.metrics import Metrics
from pointsman.engine.report.statistics import Statistics
from pointsman.kube.clock import Clock
from pointsman.policy.document import PolicyDocument
from pointsman.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the policies of a process share."""

    cluster: Cluster
    clock: Clock
    rng: random.Random
    metrics: Metrics
    broadcast: Callable[[Changes], None]  # tells every policy's queue what changed
    submit: Callable[[Assumption, Callable[[Assumption, Outcome], None]], None]  # to the binder
    notes: Callable[[PolicyDocument], tuple[str, ...]]  # what the user of a policy should know of its surroundings
    evict: Callable[[Eviction], None]  # to the evictor
    may_preempt: Callable[[], bool]  # whether it is known whom PodDisruptionBudgets protect
    nominator: Nominator = field(default_factory=Nominator)


@dataclass(frozen=True, slots=True)
class PolicyState:
    """One policy, its waiting pods and those on their way to a node."""

    policy: Policy
    pool: Pool
    queue: SchedulingQueue
    assumed: dict[str, Assumption] = field(default_factory=dict)  # by uid
    statistics: Statistics = field(default_factory=Statistics)
    recent: RecentBindings = field(default_factory=RecentBindings)


def policy_state(policy: Policy, cluster: Cluster, metrics: Metrics) -> PolicyState:
    """A policy with nothing to do yet."""
    pool = cluster.pool(policy.candidates)
    wakes = {predicate.name: predicate.wakes_on for predicate in policy.predicates}
    settings = policy.document.queue
    backoff = Backoff(settings.pod_initial_backoff_seconds, settings.pod_max_backoff_seconds)
    wakeups = Wakeups({**wakes, POOL_REJECTOR: pool.wakes_on})
    return PolicyState(policy, pool, SchedulingQueue(backoff, wakeups, metrics.arrived))
