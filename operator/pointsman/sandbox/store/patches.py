"""PATCH in its four content types: what the pure functions of `patching` do, on stored objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.patching import (
    FieldConflict,
    PatchError,
    apply,
    json_patch,
    last_applied,
    merge_patch,
    strategic_merge_patch,
)
from pointsman.sandbox.patching.apply import Applied
from pointsman.sandbox.patching.fields import compact
from pointsman.sandbox.patching.gotext import plain
from pointsman.sandbox.patching.owners import APPLY, NOBODY, Manager
from pointsman.sandbox.store.doors import Door, ignored_fields
from pointsman.sandbox.store.errors import Refused, bad_request, not_found
from pointsman.sandbox.store.fieldcheck import FieldValidation, checked, strict_error
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.preconditions import owners_given
from pointsman.sandbox.store.store import Proposal, Store
from pointsman.sandbox.store.stored import Stored


class PatchType(StrEnum):
    """By content type, without `application/`."""

    JSON = "json-patch+json"
    MERGE = "merge-patch+json"
    STRATEGIC = "strategic-merge-patch+json"
    APPLY = "apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Patch:
    """A decoded body. `force` is for applies; `duplicates` are the field errors that decoding it found."""

    type: PatchType
    body: Any
    force: bool = False
    validation: FieldValidation = FieldValidation.WARN
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patched:
    """The object after a patch, whether an apply made it, and what the client is to be warned of."""

    stored: Stored
    created: bool = False
    warnings: tuple[str, ...] = ()


def patch(store: Store, kind: Kind, namespace: str, name: str, wanted: Patch, door: Door) -> Patched:
    """Patch one object. Raises Refused: 409 for conflicts, 422 for what does not fit, 415 for a wrong type."""
    try:
        if wanted.type is PatchType.APPLY:
            return _apply(store, kind, namespace, name, wanted, door)
        return _patch(store, kind, namespace, name, wanted, door)
    except PatchError as error:
        raise Refused(error.code, error.reason, error.message, {} if error.code == 422 else None) from error
    except FieldConflict as error:
        causes = [{"reason": _FIELD_CONFLICT, "message": message, "field": field} for field, message in error.causes]
        raise Refused(409, "Conflict", str(error), {"causes": causes}) from error


_FIELD_CONFLICT: Final = "FieldManagerConflict"


def _patch(store: Store, kind: Kind, namespace: str, name: str, wanted: Patch, door: Door) -> Patched:
    if wanted.type is PatchType.STRATEGIC and kind.custom:
        message = "the body of the request was in an unknown format - accepted media types include: "
        accepted = ", ".join(f"application/{one}" for one in (PatchType.JSON, PatchType.MERGE, PatchType.APPLY))
        raise Refused(415, "UnsupportedMediaType", message + accepted)
    warnings: tuple[str, ...] = ()

    def change(stored: Stored) -> Proposal:
        nonlocal warnings
        before = stored.complete if _touches_managers(wanted) else stored.object
        after = _patched(kind, before, wanted)
        try:
            after, warnings = checked(kind, after, wanted.validation, wanted.duplicates)
        except Refused as refused:
            if "strict decoding error" not in refused.message:
                raise
            shown = plain(wanted.body) if wanted.type is PatchType.STRATEGIC else _whole(stored, after)
            raise _unfit(shown, refused) from None
        managed = after.get("metadata", {}).get("managedFields")
        given = managed is not before["metadata"].get("managedFields") and not door.subresource
        return Proposal(after, owners_given(after["metadata"]) if given else None)

    return Patched(store.revise(kind, namespace, name, change, door), warnings=warnings)


def _whole(stored: Stored, after: Object) -> str:
    metadata = {**stored.complete["metadata"], **after.get("metadata", {})}
    return compact({**after, "metadata": metadata})


def _unfit(shown: str, refused: Refused) -> Refused:
    """How the API server refuses unknown fields of a patch: with all of the patched object, or of the patch."""
    _, marker, what = refused.message.partition("strict decoding error")
    message = f"Invalid value: {compact(shown)}: {marker}{what}"
    cause = {"reason": "FieldValueInvalid", "message": message, "field": "patch"}
    return Refused(422, "Invalid", f' "" is invalid: patch: {message}', {"causes": [cause]})


def _patched(kind: Kind, before: Object, wanted: Patch) -> Any:
    if wanted.type is PatchType.JSON:
        return json_patch(before, wanted.body)
    if wanted.type is PatchType.STRATEGIC:
        return strategic_merge_patch(before, wanted.body, kind.schema)
    if not isinstance(wanted.body, Mapping):
        raise PatchError("json: cannot unmarshal array into Go value of type map[string]interface {}")
    return merge_patch(before, wanted.body)


def _touches_managers(wanted: Patch) -> bool:
    """Whether ownership has to be worked out for the patch: kubectl rewrites it when it migrates to apply."""
    if isinstance(wanted.body, Mapping):
        return "managedFields" in (wanted.body.get("metadata") or {})
    paths = (str(operation.get("path")) for operation in wanted.body if isinstance(operation, Mapping))
    return any(path.startswith("/metadata/managedFields") for path in paths)


def _apply(store: Store, kind: Kind, namespace: str, name: str, wanted: Patch, door: Door) -> Patched:
    body = _checked_body(kind, wanted, name)
    who = Manager(door.manager, APPLY, kind.api_version, door.subresource)
    now = rfc3339(store.clock.now())

    def applied(stored: Stored, *, force: bool) -> Applied:
        ignored = ignored_fields(kind, door.subresource)
        return apply(stored.object, body, kind.schema, stored.owners, who, time=now, force=force, ignored=ignored)

    def change(stored: Stored) -> Proposal:
        if not last_applied.is_kubectl(door.manager, door.subresource):
            done = applied(stored, force=wanted.force)
            return Proposal(done.object, done.owners, applied=True)
        try:
            done = applied(stored, force=wanted.force)
        except FieldConflict as conflict:
            left = conflict.outside(last_applied.fields_kept(stored.object, kind.schema))
            if left is not None:
                raise left from None
            done = applied(stored, force=True)
        return Proposal(dict(last_applied.renewed(done.object, body)), done.owners, applied=True)

    try:
        return Patched(store.revise(kind, namespace, name, change, door), warnings=wanted.duplicates)
    except Refused as refused:
        if refused.code != 404 or door.subresource:
            raise
    if body["metadata"].get("uid"):
        raise not_found(kind, name)
    ignored = ignored_fields(kind, "")
    new = apply({}, body, kind.schema, NOBODY, who, time=now, force=wanted.force, ignored=ignored)
    kubectl = last_applied.is_kubectl(door.manager, door.subresource)
    made = dict(last_applied.renewed(new.object, body)) if kubectl else new.object
    return Patched(store.create(kind, made, namespace, door, new.owners), created=True, warnings=wanted.duplicates)


def _checked_body(kind: Kind, wanted: Patch, name: str) -> Object:
    """An applied configuration has no unknown fields: `apply` refuses them itself, whatever `fieldValidation` says."""
    body = wanted.body
    if not isinstance(body, dict) or not isinstance(body.get("metadata", {}), dict):
        raise bad_request("the object provided is unrecognized (must be of type Object)")
    if wanted.duplicates and wanted.validation is FieldValidation.STRICT:
        raise strict_error(kind, wanted.duplicates)
    if body.get("apiVersion") != kind.api_version or body.get("kind") != kind.kind:
        said = f"{body.get('apiVersion')}, Kind={body.get('kind')}"
        raise bad_request(f"invalid object type: {said}")
    given = (body.get("metadata") or {}).get("name")
    if given not in (None, name):
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
    return {**body, "metadata": {**(body.get("metadata") or {}), "name": name}}
