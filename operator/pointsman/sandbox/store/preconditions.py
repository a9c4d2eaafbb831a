"""Optimistic locking: writes and deletions that name the version or the object that they mean."""

from collections.abc import Mapping
from typing import Any

from pointsman.sandbox.patching.owners import NOBODY, Owners, owners_from
from pointsman.sandbox.store.deletion import Deletion
from pointsman.sandbox.store.errors import conflict, stale
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.stored import Stored


def check_write(old: Stored, new: Object) -> None:
    """Refuse a write that is based on another version, or on another object of that name."""
    metadata = new.get("metadata") or {}
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if uid and uid != old.uid:
        key = "/".join(part for part in ("/registry", old.kind.plural, old.namespace, old.name) if part)
        why = (
            f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old.uid}"
        )
        raise conflict(old.kind, old.name, why)
    if version and version != old.object["metadata"]["resourceVersion"]:
        raise stale(old.kind, old.name)


def check_deletion(old: Stored, deletion: Deletion) -> None:
    """Refuse a deletion that means another version, or another object of that name."""
    if deletion.uid and deletion.uid != old.uid:
        why = (
            f"the UID in the precondition ({deletion.uid}) does not match the UID in record ({old.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(old.kind, old.name, why)
    version = old.object["metadata"]["resourceVersion"]
    if deletion.resource_version and deletion.resource_version != version:
        why = (
            f"the ResourceVersion in the precondition ({deletion.resource_version}) does not match the ResourceVersion "
            f"in record ({version}). The object might have been modified"
        )
        raise conflict(old.kind, old.name, why)


def owners_given(metadata: Mapping[str, Any]) -> Owners | None:
    """Ownership as a client rewrote it; None when it said nothing. `[{}]` resets it."""
    managed = metadata.get("managedFields")
    if not managed:
        return None
    return NOBODY if managed == [{}] else owners_from(managed)


def is_same(new: Object, old: Object) -> bool:
    """Whether a write changes nothing; versions are not compared."""
    if any(new.get(key) != old.get(key) for key in (new.keys() | old.keys()) - {"metadata"}):
        return False
    after, before = new["metadata"], old["metadata"]
    keys = (after.keys() | before.keys()) - {"resourceVersion"}
    return all(after.get(key) == before.get(key) for key in keys)
