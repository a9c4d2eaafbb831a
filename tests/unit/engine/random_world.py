"""A small cluster to which random things happen, remembered so that it can be put up anew at any moment.

A cluster that has lived through it must be like one that was filled with what is there now.
"""

import random
from collections.abc import Callable
from typing import Final

from tests.unit.engine.putting import Thing, identity, put, take
from tests.unit.engine.random_pods import Draw, some_pod
from tests.unit.engine.random_things import (
    NODES,
    some_claim,
    some_ephemeral_claim,
    some_namespace,
    some_node,
    some_owner,
    some_storage,
    some_volume,
)

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.kube.known import Key
from pointsman.kube.storage_objects import PersistentVolumeClaim
from pointsman.testing.builders import NodeBuilder, PodBuilder

BEGINNING: Final[tuple[tuple[Callable[[Draw], Thing], int], ...]] = (
    (some_namespace, 4),
    (some_node, 12),
    (some_owner, 6),
    (some_claim, 8),
    (some_ephemeral_claim, 8),
    (some_volume, 12),
    (some_storage, 12),
)


class RandomWorld:
    """`things` are what is there, in the order in which it came; `cluster` has lived through it all."""

    def __init__(self, seed: int) -> None:
        self.draw: Draw = random.Random(f"world {seed}")
        self.things: dict[tuple[str, Key], Thing] = {}
        self.cluster = Cluster(capacity=1)
        self.assumed: dict[str, str] = {}  # uid of a pod -> node
        for some, times in BEGINNING:
            for _ in range(times):
                self.put(some(self.draw))
        for _ in range(10):
            self.put(self._running())

    def step(self) -> Changes:
        """Let something happen."""
        acts: tuple[tuple[Callable[[], Changes], int], ...] = (
            (lambda: self.put(some_node(self.draw)), 4),
            (lambda: self.put(self._running()), 6),
            (lambda: self.put(some_claim(self.draw)), 2),
            (lambda: self.put(some_ephemeral_claim(self.draw)), 1),
            (lambda: self.put(some_volume(self.draw)), 2),
            (lambda: self.put(some_storage(self.draw)), 3),
            (lambda: self.put(some_owner(self.draw)), 1),
            (lambda: self.put(some_namespace(self.draw)), 1),
            (self._take_any, 4),
            (self._assume, 2),
            (self._settle, 2),
        )
        act = self.draw.choices([act for act, _ in acts], [weight for _, weight in acts])[0]
        return act()

    def put(self, thing: Thing) -> Changes:
        """Have something appear or change. An assigned pod that has ended is gone."""
        if isinstance(thing, PodBuilder):
            self.assumed.pop(thing.draft.metadata.uid, None)
            self.things.pop(identity(thing), None)  # the newest comes last on its node
        if not isinstance(thing, PodBuilder) or thing.draft.status.phase != "Succeeded":
            self.things[identity(thing)] = thing
        return put(self.cluster, thing)

    def rebuilt(self) -> Cluster:
        """A cluster that was filled with what is there now; nodes in the order of their rows, for some rules ask for
        the first pod of several."""
        made = Cluster()
        for thing in sorted(self.things.values(), key=self._row):
            node = self.assumed.get(thing.draft.metadata.uid) if isinstance(thing, PodBuilder) else None
            if node is None:
                put(made, thing)
            else:
                made.assume(thing.info(), node)
        return made

    def _row(self, thing: Thing) -> int:
        row = self.cluster.row_of(thing.draft.metadata.name) if isinstance(thing, NodeBuilder) else None
        return self.cluster.capacity if row is None else row

    def _running(self) -> PodBuilder:
        pod = some_pod(self.draw, f"p{self.draw.randint(0, 11)}").on(self.draw.choice((*NODES, "unknown")))
        if self.draw.random() < 0.1:
            pod = pod.terminating()
        return pod.status(phase="Succeeded") if self.draw.random() < 0.1 else pod

    def _take_any(self) -> Changes:
        loose = [thing for thing in self.things.values() if not self._used(thing)]
        if not loose:
            return ()
        thing = self.draw.choice(loose)
        del self.things[identity(thing)]
        if isinstance(thing, PodBuilder):
            self.assumed.pop(thing.draft.metadata.uid, None)
        return take(self.cluster, thing)

    def _used(self, thing: Thing) -> bool:
        """Claims are protected from deletion while pods use them."""
        return isinstance(thing, PersistentVolumeClaim) and bool(
            self.cluster.storage.claim_users(thing.metadata.namespace, thing.metadata.name)
        )

    def _assume(self) -> Changes:
        nodes = [thing.draft.metadata.name for thing in self.things.values() if isinstance(thing, NodeBuilder)]
        pod = some_pod(self.draw, f"p{self.draw.randint(0, 11)}")
        uid = pod.draft.metadata.uid
        if nodes and self.cluster.placement(uid) is None:
            node = self.draw.choice(nodes)
            self.cluster.assume(pod.info(), node)
            self.things[identity(pod)], self.assumed[uid] = pod, node
        return ()

    def _settle(self) -> Changes:
        """An assumed pod turns out to be bound, or is forgotten."""
        if not self.assumed:
            return ()
        uid = self.draw.choice(sorted(self.assumed))
        pod = next(one for one in self.things.values() if isinstance(one, PodBuilder) and one.draft.metadata.uid == uid)
        if self.draw.random() < 0.5:
            return self.put(pod.on(self.assumed[uid]))
        del self.assumed[uid], self.things[identity(pod)]
        return self.cluster.forget(uid)
