"""OpenAPI v3: an index, and per group and version a document of what kubectl looks up in it.

Version 2 is an empty document: kubectl asks for it before it takes `kind: List`, and checks what it finds there itself.

Each kind's PATCH lists `fieldValidation`, which tells kubectl that the server checks fields; without it kubectl wants
whole schemas and checks by itself. Custom kinds have theirs, which `kubectl explain` prints; built-in ones have none.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from pointsman.sandbox.store.kinds import Kind

EMPTY_V2: Final = b"\n\x032.0"  # message openapi.v2.Document with field 1, swagger
V2_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

_GVK: Final = "x-kubernetes-group-version-kind"
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_ANY_OBJECT: Final = {"description": "What every object has.", "type": "object"}
_CONVENTIONS: Final = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_STANDARD: Final[Mapping[str, Any]] = {
    "apiVersion": {"description": f"The version of the object's form. More info: {_CONVENTIONS}", "type": "string"},
    "kind": {"description": f"The object's type. More info: {_CONVENTIONS}", "type": "string"},
    "metadata": {
        "description": f"Standard object's metadata. More info: {_CONVENTIONS}#metadata",
        "allOf": [{"$ref": f"#/components/schemas/{_META}"}],
    },
}
_PARAMETERS: Final = tuple(
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation", "force")
)


def index(kinds: Iterable[Kind]) -> dict[str, Any]:
    """/openapi/v3: where the documents lie. An address changes with its document, because clients keep both."""
    paths = {}
    for path, members in _documents(kinds).items():
        digest = hashlib.sha256(msgspec.json.encode(_document(members))).hexdigest()
        paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": paths}


def document(kinds: Iterable[Kind], path: str) -> dict[str, Any] | None:
    """/openapi/v3/PATH, such as `apis/apps/v1`; None when nothing is served there."""
    members = _documents(kinds).get(path)
    return _document(members) if members else None


def _documents(kinds: Iterable[Kind]) -> dict[str, list[Kind]]:
    found: dict[str, list[Kind]] = {}
    for kind in kinds:
        found.setdefault(f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}", []).append(kind)
    return found


def _document(kinds: Iterable[Kind]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {_META: _ANY_OBJECT}
    for kind in kinds:
        root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
        collection = f"{root}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
        gvk = {"group": kind.group, "version": kind.version, "kind": kind.kind}
        paths[collection] = {
            "get": {"x-kubernetes-action": "list", _GVK: gvk},
            "post": {"x-kubernetes-action": "post", _GVK: gvk, "parameters": _PARAMETERS[:3]},
        }
        paths[f"{collection}/{{name}}"] = {
            "get": {"x-kubernetes-action": "get", _GVK: gvk},
            "put": {"x-kubernetes-action": "put", _GVK: gvk, "parameters": _PARAMETERS[:3]},
            "patch": {"x-kubernetes-action": "patch", _GVK: gvk, "parameters": _PARAMETERS},
        }
        if kind.openapi:
            schemas[_name(kind)] = _schema(kind, gvk)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Pointsman sandbox", "version": "v1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _name(kind: Kind) -> str:
    reversed_group = ".".join(reversed(kind.group.split(".")))
    return f"{reversed_group}.{kind.version}.{kind.kind}"


def _schema(kind: Kind, gvk: Mapping[str, str]) -> dict[str, Any]:
    properties = {**kind.openapi.get("properties", {}), **_STANDARD}
    return {**kind.openapi, "properties": properties, _GVK: [gvk]}
