"""A server put together: kinds, first objects, tokens and rights around one store. No socket yet."""

import random
from dataclasses import dataclass

from pointsman.kube.clock import Clock
from pointsman.sandbox.bootstrap import fill
from pointsman.sandbox.crd.definitions import definition_kind
from pointsman.sandbox.server.api import Api, Observer
from pointsman.sandbox.server.custom import CustomKinds
from pointsman.sandbox.server.rbac import GROUP, Authorizer, Grants, grants
from pointsman.sandbox.server.users import Authenticator, Reference
from pointsman.sandbox.server.views import register_events
from pointsman.sandbox.store.builtin.kinds import builtin_kinds
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.store import Store


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts that somebody outside needs."""

    store: Store
    tokens: Authenticator
    api: Api


def assemble(clock: Clock, rng: random.Random, *, address: str, observer: Observer | None = None) -> Assembly:
    """A server with the objects that every cluster starts with. `observer` is told of every call."""
    store = Store(clock, rng)
    for kind in (*builtin_kinds(), definition_kind()):
        store.register(kind)
    register_events(store)
    fill(store)
    tokens = Authenticator(clock, lambda reference: _exists(store, reference))
    authorizer = Authorizer(lambda: _grants(store))
    return Assembly(
        store, tokens, Api(store, tokens, authorizer, CustomKinds(store), address=address, observer=observer)
    )


def _grants(store: Store) -> Grants:
    plurals = ("clusterroles", "roles", "clusterrolebindings", "rolebindings")
    return grants(*(_objects(store, plural) for plural in plurals))


def _objects(store: Store, plural: str) -> list[Object]:
    kind = store.kinds.lookup(GROUP, "v1", plural)
    return [stored.object for stored in store.list(kind).items] if kind else []


def _exists(store: Store, reference: Reference) -> bool:
    """Whether this very object is there."""
    kind = store.kinds.lookup("", "v1", reference.plural)
    try:
        return kind is not None and store.get(kind, reference.namespace, reference.name).uid == reference.uid
    except Refused:
        return False
