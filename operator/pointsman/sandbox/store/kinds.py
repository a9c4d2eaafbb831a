"""What the store knows of a kind, and the book of those that are served.

A `Kind` holds data (names, columns, subresources, schema) and its `Rules`: what is defaulted and validated. Built-in
kinds bring a table of such rules, custom ones what their CustomResourceDefinition says; the store treats both alike.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pointsman.sandbox.schema.schema import Schema

if TYPE_CHECKING:
    from pointsman.sandbox.store.errors import Cause

Object = dict[str, Any]  # never changed once it is stored: parts are shared between versions


class Rules(Protocol):
    """A kind's own behaviour. Given objects must not be changed; results may share parts with them."""

    def default(self, obj: Object, old: Object | None) -> Object:
        """The object with defaults filled in; `old` is the stored one on updates."""
        ...

    def admit(self, obj: Object) -> Object:
        """A new object with what admission and the registry add to it; nobody comes to own that."""
        ...

    def validate(self, obj: Object, old: Object | None, subresource: str) -> list["Cause"]:
        """Every fault, in the API server's words; transition rules compare with `old`."""
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """A printer column. `json_path` is empty where the server computes the cell."""

    name: str
    type: str
    json_path: str = ""
    format: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the scale subresource finds its numbers, as paths of keys."""

    spec_replicas: tuple[str, ...]
    status_replicas: tuple[str, ...]
    selector: tuple[str, ...] = ()  # of a string or, for built-in kinds, of a LabelSelector


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """One served version of a kind."""

    group: str  # empty for the core group
    version: str
    plural: str
    kind: str
    rules: Rules
    schema: Schema
    namespaced: bool = True
    singular: str = ""
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()  # status, scale, binding, eviction, token, finalize, log
    columns: tuple[Column, ...] = ()
    scale: Scale | None = None
    selectable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # field selector label -> path
    has_generation: bool = True
    keeps_status_on_create: bool = False  # nodes: whoever registers one says what it has
    grace: Callable[[Object, int | None], int] | None = None  # seconds that a deletion waits; None: none
    blank: Object = field(default_factory=dict)  # what a new object has before anybody writes: its typed, empty parts
    custom: bool = False
    openapi: Mapping[str, Any] = field(default_factory=dict)  # OpenAPI v3 schema as published; empty for built-in kinds

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """How messages name the resource: `pods`, `leases.coordination.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def key(self) -> tuple[str, str, str]:
        return self.group, self.version, self.plural


class Registry:
    """The kinds that are served, by (group, version, plural)."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, str], Kind] = {}

    def register(self, kind: Kind) -> None:
        """Serve this kind; one of the same key is replaced."""
        self._kinds[kind.key] = kind

    def unregister(self, group: str, version: str, plural: str) -> None:
        """Stop serving; unknown keys do no harm."""
        self._kinds.pop((group, version, plural), None)

    def lookup(self, group: str, version: str, plural: str) -> Kind | None:
        return self._kinds.get((group, version, plural))

    def __iter__(self) -> Iterator[Kind]:
        return iter(list(self._kinds.values()))
