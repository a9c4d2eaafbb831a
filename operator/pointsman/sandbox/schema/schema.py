"""One node of an OpenAPI schema, as pruning, defaulting, patching and ownership read it.

Built-in kinds and CustomResourceDefinitions end in the same type, so that one walk serves both. How a list or map
merges is written in the schema's extensions (`x-kubernetes-list-type` and its kin, and the older
`x-kubernetes-patch-*` that strategic merge patches follow). The original keywords stay in `keywords` for validation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

Json = Any  # what a JSON document decodes to

LIST_ATOMIC: Final = "atomic"
LIST_SET: Final = "set"
LIST_MAP: Final = "map"


class _Missing:
    """No default, which is not the default null."""


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A field's type. Objects have `properties` (a struct), `additional` (a map) or neither (anything goes in)."""

    type: str = ""
    properties: Mapping[str, "Schema"] = field(default_factory=dict)
    additional: "Schema | None" = None  # of a map's values
    items: "Schema | None" = None
    list_type: str = LIST_ATOMIC
    keys: tuple[str, ...] = ()  # of a list of type map
    atomic_map: bool = False
    merge_key: str = ""  # strategic merge patch: key of a list's items; with strategy merge and no key, a set
    strategies: frozenset[str] = frozenset()  # strategic merge patch: merge, replace, retainKeys
    preserves_unknown: bool = False
    embedded: bool = False  # x-kubernetes-embedded-resource
    int_or_string: bool = False
    nullable: bool = False
    default: Json = MISSING
    keywords: Mapping[str, Json] = field(default_factory=dict)
    combined: Mapping[str, tuple["Schema", ...]] = field(default_factory=dict)  # allOf, anyOf, oneOf, not

    def child(self, name: str) -> "Schema | None":
        """Type of a field or map key; None when an object of this type has no such field."""
        known = self.properties.get(name)
        if known is not None:
            return known
        if self.additional is not None:
            return self.additional
        return UNTYPED if self.preserves_unknown else None


UNTYPED: Final = Schema(preserves_unknown=True)


def parse(node: Mapping[str, Json], resolve: Callable[[str], "Schema"] | None = None) -> Schema:
    """Read an OpenAPI v3 schema; `resolve` answers `$ref`s by their last part. Unknown keywords do no harm."""
    node = _unwrapped(node)
    if "$ref" in node:
        if resolve is None:
            return UNTYPED
        return _with_own(resolve(node["$ref"].rsplit("/", 1)[-1]), node)
    additional = node.get("additionalProperties")
    int_or_string = bool(node.get("x-kubernetes-int-or-string")) or node.get("format") == "int-or-string"
    return Schema(
        type="" if int_or_string else node.get("type", ""),
        properties={name: parse(child, resolve) for name, child in node.get("properties", {}).items()},
        additional=parse(additional, resolve) if isinstance(additional, Mapping) else UNTYPED if additional else None,
        items=parse(node["items"], resolve) if "items" in node else None,
        list_type=node.get("x-kubernetes-list-type", LIST_ATOMIC),
        keys=tuple(node.get("x-kubernetes-list-map-keys", ())),
        atomic_map=node.get("x-kubernetes-map-type") == "atomic",
        merge_key=node.get("x-kubernetes-patch-merge-key", ""),
        strategies=_strategies(node),
        preserves_unknown=bool(node.get("x-kubernetes-preserve-unknown-fields")),
        embedded=bool(node.get("x-kubernetes-embedded-resource")),
        int_or_string=int_or_string,
        nullable=bool(node.get("nullable")),
        default=node.get("default", MISSING),
        keywords=node,
        combined=_combined(node, resolve),
    )


def _combined(node: Mapping[str, Json], resolve: Callable[[str], "Schema"] | None) -> dict[str, tuple["Schema", ...]]:
    parts = {key: node[key] for key in ("allOf", "anyOf", "oneOf") if key in node}
    if "not" in node:
        parts["not"] = [node["not"]]
    return {key: tuple(parse(part, resolve) for part in schemas) for key, schemas in parts.items()}


def _unwrapped(node: Mapping[str, Json]) -> Mapping[str, Json]:
    """Published schemas wrap a reference that has a default or a patch strategy into `allOf`."""
    parts = node.get("allOf")
    if "type" not in node and isinstance(parts, list) and len(parts) == 1 and "$ref" in parts[0]:
        return {**node, **parts[0]}
    return node


def _strategies(node: Mapping[str, Json]) -> frozenset[str]:
    return frozenset(part for part in node.get("x-kubernetes-patch-strategy", "").split(",") if part)


def _with_own(schema: Schema, node: Mapping[str, Json]) -> Schema:
    own: dict[str, Any] = {"strategies": _strategies(node)} if "x-kubernetes-patch-strategy" in node else {}
    if "default" in node:
        own["default"] = node["default"]
    return replace(schema, **own) if own else schema
