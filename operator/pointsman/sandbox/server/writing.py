"""POST, PUT, PATCH and DELETE of whole objects and of their status."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import yaml

from pointsman.sandbox.server import protobuf
from pointsman.sandbox.server.admission import admit
from pointsman.sandbox.server.answer import Answer, Form, success
from pointsman.sandbox.server.reading import shown
from pointsman.sandbox.server.request import Options, Route
from pointsman.sandbox.server.views import View, view
from pointsman.sandbox.store.deletion import Deletion
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.fieldcheck import FieldValidation, checked
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.patches import Patch, PatchType, patch
from pointsman.sandbox.store.store import Store

_POLICIES: Final = ("", "Background", "Foreground", "Orphan")
_MOST_BYTES: Final = 3 * 1024 * 1024  # of a body, as in a real API server


def create(store: Store, route: Route, options: Options, wanted: Form, door: Door, body: bytes) -> Answer:
    """POST to a collection."""
    seen = view(store, route.kind)
    obj, warnings = _object(seen, body, options)
    admit(store, seen.stored, route.namespace, obj)
    stored = store.create(seen.stored, obj, route.namespace, door)
    return shown(seen, stored, wanted, store.clock.now(), 201, warnings)


def replace(store: Store, route: Route, options: Options, wanted: Form, door: Door, body: bytes) -> Answer:
    """PUT of an object or its status."""
    seen = view(store, route.kind)
    obj, warnings = _object(seen, body, options)
    _same_name(obj, route)
    stored = store.replace(seen.stored, route.namespace, route.name, obj, door)
    return shown(seen, stored, wanted, store.clock.now(), 200, warnings)


def revise(
    store: Store, route: Route, options: Options, wanted: Form, door: Door, body: bytes, content_type: str
) -> Answer:
    """PATCH of an object or its status; an apply may create the object."""
    seen = view(store, route.kind)
    kind = patch_type(content_type)
    asked = Patch(
        kind, seen.take(decode(body, kind is PatchType.APPLY)), options.force, FieldValidation(options.validation)
    )
    if kind is PatchType.APPLY:
        if not options.manager:
            raise bad_request(
                "PatchOptions.meta.k8s.io is invalid: fieldManager: Required value: is required for apply patch"
            )
        if isinstance(asked.body, dict) and not route.subresource:
            _admit_new(store, seen.stored, route, asked.body)
    done = patch(store, seen.stored, route.namespace, route.name, asked, door)
    return shown(seen, done.stored, wanted, store.clock.now(), 201 if done.created else 200, done.warnings)


def delete(store: Store, route: Route, options: Options, wanted: Form, query: Deletion) -> Answer:
    """DELETE of one object. The answer is the object while something holds it back, else a Status."""
    seen = view(store, route.kind)
    deleted = store.delete(seen.stored, route.namespace, route.name, query, dry_run=options.dry_run)
    if not deleted.gone:
        return shown(seen, deleted.stored, wanted, store.clock.now())
    if seen.kind.kind == "Pod":
        return shown(seen, deleted.stored, wanted, store.clock.now())
    details = {"name": route.name, "group": route.kind.group, "kind": route.kind.plural, "uid": deleted.stored.uid}
    return success(200, {key: value for key, value in details.items() if value})


def delete_collection(store: Store, route: Route, options: Options, query: Deletion) -> Answer:
    """DELETE of everything that the selectors name."""
    seen = view(store, route.kind)
    listing = store.list(seen.stored, route.namespace, options.label_selector, seen.select(options.field_selector))
    for stored in listing.items:
        store.delete(seen.stored, stored.namespace, stored.name, query, dry_run=options.dry_run)
    return success(200)


def deletion(query: Mapping[str, str], body: bytes) -> Deletion:
    """DeleteOptions from a body, or from the query where there is none. Raises Refused (400, 422)."""
    given = decode(body, False) if body else {}
    if not isinstance(given, dict):
        raise bad_request("the object provided is unrecognized (must be of type DeleteOptions)")
    policy = given.get("propagationPolicy") or query.get("propagationPolicy") or ""
    if given.get("orphanDependents") or query.get("orphanDependents") == "true":
        policy = policy or "Orphan"
    if policy not in _POLICIES:
        known = ", ".join(f'"{one}"' for one in ("Background", "Foreground", "Orphan"))
        raise Refused(
            422,
            "Invalid",
            f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "{policy}": '
            f"supported values: {known}",
        )
    preconditions = given.get("preconditions") or {}
    grace = given.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
    return Deletion(
        uid=preconditions.get("uid") or "",
        resource_version=preconditions.get("resourceVersion") or "",
        propagation=policy,
        grace_seconds=None if grace is None else int(grace),
    )


def patch_type(content_type: str) -> PatchType:
    """The kind of a patch. Raises Refused (415)."""
    name = content_type.partition(";")[0].strip()
    try:
        return PatchType(name.removeprefix("application/"))
    except ValueError:
        known = ", ".join(f"application/{one}" for one in PatchType)
        message = f"the body of the request was in an unknown format - accepted media types include: {known}"
        raise Refused(415, "UnsupportedMediaType", message) from None


def decode(body: bytes, may_be_yaml: bool = False) -> Any:
    """Read a body. Raises Refused (400, 413)."""
    if len(body) > _MOST_BYTES:
        raise Refused(413, "RequestEntityTooLarge", f"Request entity too large: limit is {_MOST_BYTES}")
    if body.startswith(protobuf.MAGIC):
        return protobuf.decode(body)
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError) as error:
        if not may_be_yaml:
            raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None
    try:
        return yaml.safe_load(body)
    except yaml.YAMLError as error:
        raise bad_request(f"error decoding YAML: {error}") from None


def _object(seen: View, body: bytes, options: Options) -> tuple[Object, tuple[str, ...]]:
    """The object of a body, checked against its kind's fields."""
    obj = decode(body)
    kind = seen.kind
    if not isinstance(obj, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.kind})")
    given, version = obj.get("kind") or kind.kind, obj.get("apiVersion") or kind.api_version
    if given != kind.kind or version != kind.api_version:
        raise bad_request(
            f'{given} in version "{version.rpartition("/")[2]}" cannot be handled as a {kind.kind}: '
            f"the API version in the data ({version}) does not match the expected API version ({kind.api_version})"
            if given == kind.kind
            else f'{given} in version "{version.rpartition("/")[2]}" cannot be handled as a {kind.kind}'
        )
    return checked(
        seen.stored, seen.take({**obj, "kind": given, "apiVersion": version}), FieldValidation(options.validation)
    )


def _same_name(obj: Object, route: Route) -> None:
    name = (obj.get("metadata") or {}).get("name", "")
    if name != route.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({route.name})")


def _admit_new(store: Store, kind: Kind, route: Route, body: Object) -> None:
    """Admission of what an apply would create."""
    try:
        store.get(kind, route.namespace, route.name)
    except Refused:
        admit(store, kind, route.namespace, {**body, "metadata": {**(body.get("metadata") or {}), "name": route.name}})
