"""One door for everything that a cluster may be told of: nodes, pods and whatever else rules look at."""

from typing import Any

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.intake.feeds import feeds
from pointsman.kube.known import Key, key_of
from pointsman.kube.objects import Namespace
from pointsman.testing.builders import NodeBuilder, PodBuilder

Thing = Any
"""A node or pod builder, or a wire struct of any other kind."""


def put(cluster: Cluster, thing: Thing) -> Changes:
    """Have something appear, or replace its last version."""
    if isinstance(thing, NodeBuilder):
        return cluster.upsert_node(thing.build())
    if isinstance(thing, PodBuilder):
        return cluster.upsert_pod(thing.info())
    if isinstance(thing, Namespace):
        return cluster.set_namespace(thing)
    return next(feed for feed in feeds(cluster).values() if feed.type is type(thing)).upsert(thing)


def take(cluster: Cluster, thing: Thing) -> Changes:
    """Have something disappear."""
    if isinstance(thing, NodeBuilder):
        return cluster.remove_node(thing.draft.metadata.name)
    if isinstance(thing, PodBuilder):
        return cluster.remove_pod(thing.draft.metadata.uid)
    if isinstance(thing, Namespace):
        return cluster.remove_namespace(thing.metadata.name)
    return next(feed for feed in feeds(cluster).values() if feed.type is type(thing)).remove(thing)


def identity(thing: Thing) -> tuple[str, Key]:
    """Kind, namespace and name."""
    named = thing.draft if isinstance(thing, NodeBuilder | PodBuilder) else thing
    return (type(named).__name__, key_of(named))
