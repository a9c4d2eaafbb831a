"""From a CustomResourceDefinition to kinds: one per served version, with what its schema defaults and refuses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pointsman.sandbox.crd.jsonpath import first, keys
from pointsman.sandbox.crd.rules import RuleTree, check_rules, compile_rules
from pointsman.sandbox.crd.validation import NOTHING, check, check_lists
from pointsman.sandbox.patching.gotext import plain, type_name
from pointsman.sandbox.schema.defaulting import default
from pointsman.sandbox.schema.published import object_metadata
from pointsman.sandbox.schema.schema import UNTYPED, Schema, parse
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import invalid_value
from pointsman.sandbox.store.kinds import Column, Kind, Object, Scale

_AGE: Final = Column("Age", "date", ".metadata.creationTimestamp", description="")
_BLOCKING: Final = frozenset(
    f"FieldValue{reason}" for reason in ("NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid")
)
_UNCHECKED: Final = Cause(
    "FieldValueInvalid",
    "<nil>",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation",
)


@dataclass(frozen=True, slots=True)
class CustomRules:
    """What a version's schema says. `written` is the schema as it was applied, `schema` with the server's metadata."""

    schema: Schema
    written: Schema
    rules: RuleTree | None
    scale: Scale | None

    def default(self, obj: Object, _old: Object | None) -> Object:
        """With the schema's defaults, which do not reach into metadata."""
        filled: Object = default(obj, self.schema)
        return filled

    def admit(self, obj: Object) -> Object:
        """Nothing is added to custom objects."""
        return obj

    def validate(self, obj: Object, old: Object | None, _subresource: str) -> list[Cause]:
        """Faults by schema, by list types, and then by rules: those only of an object whose shape is right."""
        before = NOTHING if old is None else old
        faults = [*check(obj, self.written, "", before), *check_lists(obj, self.schema, ""), *self._check_scale(obj)]
        if self.rules is None:
            return faults
        if any(fault.reason in _BLOCKING for fault in faults):
            return [*faults, _UNCHECKED]
        return [*faults, *check_rules(obj, self.rules, "", before)]

    def _check_scale(self, obj: Object) -> Iterator[Cause]:
        if self.scale is None:
            return
        for path in (self.scale.spec_replicas, self.scale.status_replicas):
            replicas, name = first(obj, "." + ".".join(path)), "." + ".".join(path)
            if replicas is None:
                continue
            if not isinstance(replicas, int):
                what = f"{name} accessor error: {plain(replicas)} is of the type {type_name(replicas)}, expected int64"
                yield invalid_value(name, 0, what)
            elif replicas < 0:
                yield invalid_value(name, replicas, "should be a non-negative integer")


def kinds_of(definition: Mapping[str, Any]) -> tuple[Kind, ...]:
    """The kinds that a definition has served. Raises RuleError for a rule that does not compile."""
    return tuple(_kind(definition["spec"], version) for version in definition["spec"]["versions"] if version["served"])


def _kind(spec: Mapping[str, Any], version: Mapping[str, Any]) -> Kind:
    names, openapi = spec["names"], (version.get("schema") or {}).get("openAPIV3Schema") or {}
    written = parse(openapi)
    schema = _with_metadata(written, openapi)
    scale = _scale((version.get("subresources") or {}).get("scale"))
    subresources = version.get("subresources") or {}
    return Kind(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        rules=CustomRules(schema, written, compile_rules(written), scale),
        schema=schema,
        namespaced=spec["scope"] == "Namespaced",
        singular=names.get("singular") or names["kind"].lower(),
        list_kind=names.get("listKind") or f"{names['kind']}List",
        short_names=tuple(names.get("shortNames", ())),
        categories=tuple(names.get("categories", ())),
        subresources=frozenset(subresources),
        columns=tuple(_columns(version)),
        scale=scale,
        selectable={one["jsonPath"].lstrip("."): keys(one["jsonPath"]) for one in version.get("selectableFields", ())},
        custom=True,
        openapi=openapi,
    )


def _with_metadata(written: Schema, openapi: Mapping[str, Any]) -> Schema:
    """The schema by which objects are pruned, patched and owned: with type and metadata as every object has them."""
    text = parse({"type": "string"})
    common = {"apiVersion": text, "kind": text, "metadata": object_metadata()}
    return Schema(
        type="object",
        properties={**written.properties, **common},
        additional=written.additional,
        preserves_unknown=written.preserves_unknown or written is UNTYPED,
        keywords=openapi,
    )


def _columns(version: Mapping[str, Any]) -> Iterator[Column]:
    columns = version.get("additionalPrinterColumns")
    if not columns:
        yield _AGE
        return
    for column in columns:
        yield Column(
            name=column["name"],
            type=column["type"],
            json_path=column["jsonPath"],
            format=column.get("format", ""),
            description=column.get("description", ""),
            priority=column.get("priority", 0),
        )


def _scale(scale: Mapping[str, str] | None) -> Scale | None:
    if not scale:
        return None
    selector = scale.get("labelSelectorPath")
    return Scale(keys(scale["specReplicasPath"]), keys(scale["statusReplicasPath"]), keys(selector) if selector else ())
