"""CustomResourceDefinitions as objects: their kind, with defaults, checks and the conditions that clients wait for."""

from collections.abc import Mapping
from typing import Any, Final

from pointsman.sandbox.crd.definition import kinds_of
from pointsman.sandbox.crd.jsonpath import JsonPathError
from pointsman.sandbox.crd.rules import RuleError
from pointsman.sandbox.schema.published import schema_of
from pointsman.sandbox.store.builtin.fill import fill, within
from pointsman.sandbox.store.builtin.rules import BuiltinRules
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import invalid_value, required
from pointsman.sandbox.store.kinds import Kind, Object

GROUP: Final = "apiextensions.k8s.io"


def _default(definition: Object) -> Object:
    def spec(given: Object) -> Object:
        given = fill(given, {"conversion": {"strategy": "None"}})
        return within(given, "names", _names)

    return within(definition, "spec", spec)


def _names(names: Object) -> Object:
    kind = names.get("kind", "")
    return fill(names, {"singular": kind.lower(), "listKind": f"{kind}List"})


def _established(definition: Object) -> Object:
    """A new definition's status: here its kinds are served as soon as it is stored."""
    moment = definition["metadata"]["creationTimestamp"]
    names = (definition.get("spec") or {}).get("names") or {}
    versions = (definition.get("spec") or {}).get("versions") or ()

    def condition(kind: str, reason: str, message: str) -> Object:
        return {"type": kind, "status": "True", "lastTransitionTime": moment, "reason": reason, "message": message}

    status = {
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        "acceptedNames": _names(names),
        "storedVersions": [version["name"] for version in versions if version.get("storage")],
    }
    return {**definition, "status": status}


def _check(definition: Object, _old: Object | None) -> list[Cause]:
    spec: Mapping[str, Any] = definition.get("spec") or {}
    names = spec.get("names") or {}
    found = [required(f"spec.{key}") for key in ("group", "scope") if not spec.get(key)]
    found += [required(f"spec.names.{key}") for key in ("plural", "kind") if not names.get(key)]
    if not spec.get("versions"):
        found.append(required("spec.versions", "must have at least one version"))
    if found:
        return found
    name, wanted = definition["metadata"]["name"], f"{names['plural']}.{spec['group']}"
    if name != wanted:
        found.append(invalid_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group'))
    try:
        kinds_of(definition)
    except (RuleError, JsonPathError) as error:
        found.append(invalid_value("spec.versions", "", str(error)))
    return found


def definition_kind() -> Kind:
    """The kind CustomResourceDefinition, ready to be registered."""
    return Kind(
        group=GROUP,
        version="v1",
        plural="customresourcedefinitions",
        kind="CustomResourceDefinition",
        rules=BuiltinRules(defaults=_default, admission=_established, checks=(_check,)),
        schema=schema_of(f"{GROUP}/v1", "CustomResourceDefinition"),
        namespaced=False,
        singular="customresourcedefinition",
        list_kind="CustomResourceDefinitionList",
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        subresources=frozenset(("status",)),
    )
