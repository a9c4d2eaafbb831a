"""Puts one engine together: which part gets to know which, and nothing else.

All policies of a process share one cluster, one binder and one Lease; each has its own queue, statistics and event
writer, because events carry its schedulerName.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.engine.announce.announce import Announcer
from pointsman.engine.announce.conditions import ConditionWriter
from pointsman.engine.binding.binder import Binder
from pointsman.engine.binding.volume_binder import VolumeBinder
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.intake.feeds import feeds
from pointsman.engine.intake.intake import Intake
from pointsman.engine.intake.watches import Watches
from pointsman.engine.loop import DecisionLoop
from pointsman.engine.policy_state import Surroundings
from pointsman.engine.preemption.eviction import Evictor
from pointsman.engine.process.health import readings
from pointsman.engine.process.identity import Identity
from pointsman.engine.process.leadership import Leadership
from pointsman.engine.report.metrics import Metrics
from pointsman.engine.report.reporting import Reporter
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.events import EventWriter
from pointsman.kube.objects import Namespace, Node, Pod
from pointsman.kube.reflector import Reflector
from pointsman.kube.resources import NAMESPACES, NODES, PODS
from pointsman.policy.document import short_hash
from pointsman.policy.policy import Policy
from pointsman.policy.watches import watched_kinds

EVENT_CAPACITY = 10_000  # a burst of pods is told in full, even if the API server is slower than we are
EVENT_WORKERS = 8
LIVE_PODS = "status.phase!=Succeeded,status.phase!=Failed"


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that run, and those that are asked."""

    metrics: Metrics
    reporter: Reporter
    leadership: Leadership
    loop: DecisionLoop
    binder: Binder
    evictor: Evictor
    conditions: ConditionWriter
    events: Sequence[EventWriter]
    watches: Watches
    clock: Clock


def assemble(client: Client, policies: Sequence[Policy], who: Identity, clock: Clock, rng: random.Random) -> Engine:
    """Make an engine that has not started."""
    wake = asyncio.Event()
    cluster, metrics = Cluster(), Metrics(who.version)
    schedulers: list[PolicyScheduler] = []
    intake = Intake(cluster, schedulers, wake.set)
    reporter = Reporter(who.pod_name, schedulers, clock)
    hashes = [short_hash(policy.hash) for policy in policies]
    leadership = Leadership(client, who, reporter, hashes, clock=clock, rng=rng, on_acquired=wake.set)
    volumes = VolumeBinder(client, cluster, leadership.may_write, clock)
    binder = Binder(
        client,
        may_write=leadership.may_write,
        node_exists=lambda name: cluster.row_of(name) is not None,
        volumes=volumes,
        clock=clock,
        rng=rng,
        on_room=wake.set,
    )
    conditions = ConditionWriter(client, leadership.may_write, clock, rng)
    watches = _watches(client, policies, cluster, intake, clock, rng)
    evictor = Evictor(client, may_write=leadership.may_write, recall=volumes.recall, clock=clock, on_end=wake.set)
    around = Surroundings(
        cluster=cluster,
        clock=clock,
        rng=rng,
        metrics=metrics,
        broadcast=intake.broadcast,
        submit=binder.submit,
        notes=watches.notes,
        evict=evictor.submit,
        may_preempt=watches.may_preempt,
    )
    events = [_event_writer(client, policy, who, clock) for policy in policies]
    for policy, writer in zip(policies, events, strict=True):
        schedulers.append(PolicyScheduler(policy, Announcer(writer, conditions, clock), around))
        metrics.on_scrape(schedulers[-1].readings)
    metrics.on_scrape(lambda: readings(cluster, watches, leadership, who, clock.monotonic()))
    loop = DecisionLoop(
        schedulers,
        may_decide=lambda: leadership.holding and watches.settled(),
        has_room=binder.has_room,
        clock=clock,
        wake=wake,
    )
    return Engine(metrics, reporter, leadership, loop, binder, evictor, conditions, events, watches, clock)


def _event_writer(client: Client, policy: Policy, who: Identity, clock: Clock) -> EventWriter:
    name = policy.scheduler_name
    return EventWriter(
        client,
        reporting_controller=name,
        reporting_instance=f"{name}-{who.pod_name}",
        clock=clock,
        capacity=EVENT_CAPACITY,
        workers=EVENT_WORKERS,
    )


def _watches(
    client: Client, policies: Sequence[Policy], cluster: Cluster, intake: Intake, clock: Clock, rng: random.Random
) -> Watches:
    """What every engine watches, and the kinds that a rule of these policies needs."""
    needed = {kind for policy in policies for kind in watched_kinds(policy.document)}
    return Watches(
        {
            "nodes": Reflector(client, NODES, Node, intake.on_nodes, clock=clock, rng=rng),
            "pods": Reflector(client, PODS, Pod, intake.on_pods, field_selector=LIVE_PODS, clock=clock, rng=rng),
            "namespaces": Reflector(client, NAMESPACES, Namespace, intake.on_namespaces, clock=clock, rng=rng),
        },
        {
            kind: Reflector(client, kind.resource, feed.type, intake.follow(feed), clock=clock, rng=rng)
            for kind, feed in feeds(cluster).items()
            if kind in needed
        },
    )
