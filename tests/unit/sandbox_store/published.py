"""Makes `schema/published.json` of what an API server publishes: fields, types and how they merge, no prose.

    python -m tests.unit.sandbox_store.published FOLDER > operator/pointsman/sandbox/schema/published.json

FOLDER is `api/openapi-spec/v3` of the Kubernetes sources. A test compares the file with a running API server.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

KINDS: dict[str, tuple[str, ...]] = {
    "v1": (
        *("ConfigMap", "Event", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod"),
        *("ReplicationController", "Secret", "Service", "ServiceAccount"),
    ),
    "apps/v1": ("Deployment", "ReplicaSet", "StatefulSet"),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "coordination.k8s.io/v1": ("Lease",),
    "events.k8s.io/v1": ("Event",),
    "policy/v1": ("PodDisruptionBudget",),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "storage.k8s.io/v1": ("CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"),
}
KEPT = ("type", "format", "required", "nullable", "default")
UNTYPED = ("JSONSchemaProps", "FieldsV1", "RawExtension")  # recursive or free: anything may stand there

Document = Mapping[str, Any]


def extract(document_of: Callable[[str], Document]) -> str:
    """The file's text; `document_of` gives the OpenAPI v3 document of an apiVersion."""
    wanted: dict[str, Any] = {}
    for api_version, kinds in KINDS.items():
        schemas = document_of(api_version)["components"]["schemas"]
        for name, schema in schemas.items():
            for gvk in schema.get("x-kubernetes-group-version-kind", ()):
                if gvk["kind"] in kinds and _api_version(gvk) == api_version:
                    wanted[f"{api_version}/{gvk['kind']}"] = {"$ref": _short(name)}
                    _collect(name, schemas, wanted)
    lines = (f"{json.dumps(name)}: {json.dumps(wanted[name], sort_keys=True)}" for name in sorted(wanted))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _collect(name: str, schemas: Document, wanted: dict[str, Any]) -> None:
    short = _short(name)
    if short in wanted:
        return
    if short.rpartition(".")[2] in UNTYPED:
        wanted[short] = {"x-kubernetes-preserve-unknown-fields": True}
        return
    wanted[short] = {}
    wanted[short] = _slim(schemas[name])
    for reference in _references(schemas[name]):
        _collect(reference, schemas, wanted)


def _slim(node: Document) -> dict[str, Any]:
    slim: dict[str, Any] = {key: node[key] for key in KEPT if key in node and node[key] not in ("", 0)}
    slim |= {
        key: value for key, value in node.items() if key.startswith("x-kubernetes-") and "group-version" not in key
    }
    for reference in (node, *node.get("allOf", ())):
        if "$ref" in reference:
            slim["$ref"] = _short(reference["$ref"])
    if "properties" in node:
        slim["properties"] = {name: _slim(child) for name, child in node["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            slim[key] = {name: value for name, value in _slim(node[key]).items() if name != "default"}
    return slim


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[-1]
        for child in node.values():
            yield from _references(child)
    elif isinstance(node, list):
        for child in node:
            yield from _references(child)


def _short(name: str) -> str:
    """`io.k8s.api.core.v1.Pod` as `core.v1.Pod`."""
    return ".".join(name.rsplit("/", 1)[-1].split(".")[-3:])


def _api_version(gvk: Mapping[str, str]) -> str:
    return f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]


def file_of(folder: Path) -> Callable[[str], Document]:
    """Documents as they lie in the Kubernetes sources."""

    def document_of(api_version: str) -> Document:
        kind = "apis__" if "/" in api_version else "api__"
        path = folder / f"{kind}{api_version.replace('/', '__')}_openapi.json"
        document: Document = json.loads(path.read_text())
        return document

    return document_of


if __name__ == "__main__":
    sys.stdout.write(extract(file_of(Path(sys.argv[1]))))
