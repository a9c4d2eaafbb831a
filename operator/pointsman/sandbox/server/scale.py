"""The scale subresource: how many of something there shall be, and are."""

from typing import Any

from pointsman.sandbox.patching import PatchError, json_patch, merge_patch
from pointsman.sandbox.server.answer import Answer, answer
from pointsman.sandbox.server.request import Route, no_such_path
from pointsman.sandbox.server.writing import decode, patch_type
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused, bad_request, invalid
from pointsman.sandbox.store.faults import invalid_value
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.patches import PatchType
from pointsman.sandbox.store.store import Store
from pointsman.sandbox.tables.builtin import format_selector


def read_scale(store: Store, route: Route) -> Answer:
    """GET scale."""
    return answer(_scale(store.get(route.kind, route.namespace, route.name).object, route))


def write_scale(store: Store, route: Route, door: Door, body: bytes, content_type: str = "") -> Answer:
    """PUT or PATCH scale; `content_type` is that of a patch."""
    sent = decode(body)

    def scaled(obj: Object) -> Object:
        before = _scale(obj, route)
        after = _patched(before, sent, content_type) if content_type else sent
        version = (after.get("metadata") or {}).get("resourceVersion")
        replicas = (after.get("spec") or {}).get("replicas", 0)
        if not isinstance(replicas, int) or replicas < 0:
            raise invalid(
                route.kind, route.name, [invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")]
            )
        path = route.kind.scale.spec_replicas if route.kind.scale else ()
        changed = _with(obj, path, replicas)
        return {**changed, "metadata": {**obj["metadata"], "resourceVersion": version}} if version else changed

    inner = Door(door.manager, "", door.dry_run)
    return answer(_scale(store.update(route.kind, route.namespace, route.name, scaled, inner).object, route))


def _scale(obj: Object, route: Route) -> Object:
    paths = route.kind.scale
    if paths is None:
        raise no_such_path()
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = {key: obj["metadata"][key] for key in kept if key in obj["metadata"]}
    status: dict[str, Any] = {"replicas": _at(obj, paths.status_replicas) or 0}
    selector = _at(obj, paths.selector) if paths.selector else None
    if selector:
        status["selector"] = selector if isinstance(selector, str) else format_selector(selector)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": _at(obj, paths.spec_replicas) or 0},
        "status": status,
    }


def _patched(before: Object, sent: Any, content_type: str) -> Object:
    try:
        patched = json_patch(before, sent) if patch_type(content_type) is PatchType.JSON else merge_patch(before, sent)
    except PatchError as error:
        raise Refused(error.code, error.reason, error.message) from error
    if not isinstance(patched, dict):
        raise bad_request("the object provided is unrecognized (must be of type Scale)")
    return patched


def _at(obj: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        obj = obj.get(key) if isinstance(obj, dict) else None
    return obj


def _with(obj: Object, path: tuple[str, ...], value: Any) -> Object:
    key, *rest = path
    return {**obj, key: _with(obj.get(key) or {}, tuple(rest), value) if rest else value}
