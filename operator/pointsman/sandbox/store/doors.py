"""Through which door a write comes, and what that door lets in: the split between an object and its status."""

from dataclasses import dataclass
from typing import Final

from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.metadata import for_update

STATUS: Final = "status"
# Only the server itself writes through these: what comes in has been checked.
TRUSTED: Final = frozenset(("binding", "eviction", "finalize"))
_NOT_SPEC: Final = frozenset(("metadata", "status", "apiVersion", "kind"))


@dataclass(frozen=True, slots=True)
class Door:
    """Who writes, through which subresource (empty: the object itself), and whether it is only a trial."""

    manager: str = "unknown"
    subresource: str = ""
    dry_run: bool = False


def let_in(kind: Kind, new: Object, old: Object, door: Door) -> Object:
    """The object after the write, before defaults: what the door does not write stays as it was."""
    if door.subresource in TRUSTED:
        return new
    if door.subresource == STATUS:
        kept = {key: value for key, value in old.items() if key != STATUS}
        if not kind.custom:
            kept["metadata"] = for_update(new, old)
        return {**kept, STATUS: new[STATUS]} if STATUS in new else kept
    merged = {**new, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": for_update(new, old)}
    if STATUS in kind.subresources:
        merged.pop(STATUS, None)
        if STATUS in old:
            merged[STATUS] = old[STATUS]
    return merged


def generation(kind: Kind, new: Object, old: Object, door: Door) -> Object:
    """With `metadata.generation` raised if the write changes what is wanted."""
    if not kind.has_generation or door.subresource in TRUSTED or door.subresource == STATUS:
        return new
    ignored = _NOT_SPEC if STATUS in kind.subresources or not kind.custom else _NOT_SPEC - {STATUS}
    if all(new.get(key) == old.get(key) for key in (new.keys() | old.keys()) - ignored):
        return new
    return {**new, "metadata": {**new["metadata"], "generation": old["metadata"].get("generation", 0) + 1}}


def ignored_fields(kind: Kind, subresource: str) -> tuple[str, ...]:
    """Top-level fields that a write through this door never comes to own."""
    if STATUS not in kind.subresources:
        return ()
    if subresource == STATUS:
        return ("spec",) if not kind.custom else ("spec", "metadata")
    return (STATUS,) if not subresource else ()
