"""One collection under two names: events are kept as `v1` and also served as `events.k8s.io/v1`.

The two forms differ in the names of a few top-level fields (kubernetes 1.36, pkg/apis/events/v1/conversion.go), so
renaming keys turns objects, and patches of them, into each other. Every other kind has one form, the stored one.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from pointsman.sandbox.schema.schema import UNTYPED
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.store import Store

_RENAMED: Final = {
    "note": "message",
    "regarding": "involvedObject",
    "reportingController": "reportingComponent",
    "deprecatedCount": "count",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
}
_BACK: Final = {old: new for new, old in _RENAMED.items()}
_GROUP: Final = "events.k8s.io"
_NUMEROUS: Final = frozenset(("pods", "nodes", "events"))


def register_events(store: Store) -> None:
    """Serve the stored events under their second name too."""
    core = store.kinds.lookup("", "v1", "events")
    if core is not None:
        store.kinds.register(replace(core, group=_GROUP, schema=UNTYPED))


@dataclass(frozen=True, slots=True)
class View:
    """A kind as it is asked for, and the one that is stored."""

    kind: Kind
    stored: Kind

    @property
    def is_plain(self) -> bool:
        """Whether the stored form is the one that is asked for."""
        return self.kind is self.stored

    @property
    def is_listed_encoded(self) -> bool:
        """Whether lists and watches send the stored bytes, without managers: for kinds of which there are thousands."""
        return self.is_plain and self.kind.plural in _NUMEROUS and not self.kind.group

    def take(self, body: Any) -> Any:
        """An object or patch of the asked form in the stored one."""
        return body if self.is_plain else _inward(body)

    def select(self, fields: str) -> str:
        """A field selector of the asked form in the stored one."""
        return fields if self.is_plain else ",".join(map(_field, fields.split(",")))

    def show(self, obj: Object) -> Object:
        """A stored object in the asked form."""
        return obj if self.is_plain else _outward(obj)


def view(store: Store, kind: Kind) -> View:
    """How a served kind is stored."""
    if kind.group == _GROUP:
        core = store.kinds.lookup("", "v1", kind.plural)
        return View(kind, core or kind)
    return View(kind, kind)


def _inward(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    renamed = {_RENAMED.get(key, key): value for key, value in body.items()}
    return {**renamed, "apiVersion": "v1"} if "apiVersion" in renamed else renamed


def _outward(obj: Object) -> Object:
    return {**{_BACK.get(key, key): value for key, value in obj.items()}, "apiVersion": f"{_GROUP}/v1"}


def _field(requirement: str) -> str:
    """One requirement of a field selector, under the stored name."""
    head, dot, tail = requirement.partition(".")
    return f"{_RENAMED.get(head, head)}{dot}{tail}"
