"""The doors of an object that are not the object itself, each with the methods that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pointsman.sandbox.server.answer import Answer, answer, success
from pointsman.sandbox.server.binding import bind
from pointsman.sandbox.server.request import Call, Options, Route, not_allowed
from pointsman.sandbox.server.scale import read_scale, write_scale
from pointsman.sandbox.server.token import token
from pointsman.sandbox.server.users import Authenticator
from pointsman.sandbox.server.writing import decode
from pointsman.sandbox.store.deletion import Deletion
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import bad_request
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.store import Store


@dataclass(frozen=True, slots=True)
class Visit:
    """A call of one door."""

    store: Store
    tokens: Authenticator
    call: Call
    route: Route
    options: Options
    door: Door


def through(visit: Visit) -> Answer:
    """Make the call. Raises Refused (405) for a method that the door does not take."""
    step = _DOORS.get((visit.route.subresource, visit.call.method))
    if step is None:
        raise not_allowed()
    return step(visit)


def evict(store: Store, route: Route, options: Options, body: bytes) -> Answer:
    """POST pods/eviction: a deletion; PodDisruptionBudgets are not asked."""
    asked = (decode(body) or {}).get("deleteOptions") or {} if body else {}
    deletion = Deletion(grace_seconds=asked.get("gracePeriodSeconds"))
    store.delete(route.kind, route.namespace, route.name, deletion, dry_run=options.dry_run)
    return success(201)


def log(store: Store, route: Route) -> Answer:
    """GET pods/log: nothing for a pod that never ran. Raises Refused (400) for others: there is no kubelet to ask."""
    pod = store.get(route.kind, route.namespace, route.name).object
    if not pod["spec"].get("nodeName"):
        return Answer(b"", content_type="text/plain")
    raise bad_request(
        f"the sandbox serves no logs: the node agent that runs pod {route.name} keeps them in its work directory"
    )


def finalize(store: Store, route: Route, door: Door, body: bytes) -> Answer:
    """PUT namespaces/finalize: what still holds a deletion back."""
    left = ((decode(body) or {}).get("spec") or {}).get("finalizers") or []

    def finalized(namespace: Object) -> Object:
        spec = {key: value for key, value in namespace["spec"].items() if key != "finalizers"}
        return {**namespace, "spec": {**spec, "finalizers": left} if left else spec}

    return answer(store.update(route.kind, "", route.name, finalized, door).complete)


def _patch_scale(visit: Visit) -> Answer:
    content_type = visit.call.headers.get("Content-Type", "")
    return write_scale(visit.store, visit.route, visit.door, visit.call.body, content_type)


_DOORS: Final[Mapping[tuple[str, str], Callable[[Visit], Answer]]] = {
    ("binding", "POST"): lambda visit: bind(visit.store, visit.route, visit.door, visit.call.body),
    ("eviction", "POST"): lambda visit: evict(visit.store, visit.route, visit.options, visit.call.body),
    ("token", "POST"): lambda visit: token(visit.store, visit.route, visit.tokens, visit.call.body),
    ("log", "GET"): lambda visit: log(visit.store, visit.route),
    ("scale", "GET"): lambda visit: read_scale(visit.store, visit.route),
    ("scale", "PUT"): lambda visit: write_scale(visit.store, visit.route, visit.door, visit.call.body),
    ("scale", "PATCH"): _patch_scale,
    ("finalize", "PUT"): lambda visit: finalize(visit.store, visit.route, visit.door, visit.call.body),
}
