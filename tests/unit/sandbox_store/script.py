"""The words in which cases are written: calls, the custom kind they are made on, and small objects."""

from dataclasses import dataclass, field
from typing import Any

from tests.unit.sandbox_store.servers import APPLY

NAMESPACED = "/NAMESPACE"
PODS = "/api/v1/namespaces/NAMESPACE/pods"
MAPS = "/api/v1/namespaces/NAMESPACE/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/NAMESPACE/deployments"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PROFILES = "/apis/pointsman.dev/v1alpha1/schedulerprofiles"
WIDGETS = "/apis/sandbox.test/v1/namespaces/NAMESPACE/widgets"


@dataclass(frozen=True, slots=True)
class Step:
    method: str
    path: str
    body: Any = None
    content_type: str = ""
    query: dict[str, str] = field(default_factory=dict)
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.name


def post(path: str, body: Any, *, quiet: bool = False, **query: str) -> Step:
    return Step("POST", path, body, query={"fieldManager": "test", **query}, quiet=quiet)


def put(path: str, body: Any, *, quiet: bool = False, **query: str) -> Step:
    return Step("PUT", path, body, query={"fieldManager": "test", **query}, quiet=quiet)


def patched(path: str, body: Any, kind: str, *, quiet: bool = False, **query: str) -> Step:
    return Step("PATCH", path, body, kind, query={"fieldManager": "test", **query}, quiet=quiet)


def applied(path: str, body: Any, manager: str = "applier", *, quiet: bool = False, **query: str) -> Step:
    return Step("PATCH", path, body, APPLY, query={"fieldManager": manager, **query}, quiet=quiet)


def get(path: str) -> Step:
    return Step("GET", path)


def delete(path: str, **query: str) -> Step:
    return Step("DELETE", path, query=query, quiet=True)


DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.sandbox.test"},
    "spec": {
        "group": "sandbox.test",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "x-kubernetes-validations": [
                                    {"rule": "self.size != 7", "message": "seven is taken"},
                                    {
                                        "rule": "!has(self.color) || self.size < 5 || self.color != 'red'",
                                        "messageExpression": "'no red' + ' of that size'",
                                        "fieldPath": ".color",
                                    },
                                ],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 0, "maximum": 9},
                                    "big": {"type": "integer", "maximum": 1000000},
                                    "ratio": {"type": "number", "minimum": 0.5, "multipleOf": 0.5},
                                    "color": {"type": "string", "enum": ["red", "green"], "default": "green"},
                                    "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
                                    "fixed": {
                                        "type": "string",
                                        "maxLength": 9,
                                        "x-kubernetes-validations": [
                                            {"rule": "self == oldSelf", "message": "fixed is immutable"}
                                        ],
                                    },
                                    "once": {
                                        "type": "string",
                                        "maxLength": 9,
                                        "x-kubernetes-validations": [
                                            {"rule": "!oldSelf.hasValue() || self == 'x'", "optionalOldSelf": True}
                                        ],
                                    },
                                    "port": {"x-kubernetes-int-or-string": True},
                                    "on": {"type": "boolean"},
                                    "maybe": {"type": "string", "nullable": True},
                                    "tags": {
                                        "type": "array",
                                        "maxItems": 3,
                                        "minItems": 1,
                                        "x-kubernetes-list-type": "set",
                                        "items": {"type": "string", "maxLength": 9},
                                    },
                                    "parts": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {
                                                "name": {"type": "string"},
                                                "count": {"type": "integer", "default": 1},
                                            },
                                        },
                                    },
                                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                    "labels": {
                                        "type": "object",
                                        "maxProperties": 2,
                                        "additionalProperties": {"type": "string", "maxLength": 3},
                                    },
                                    "either": {
                                        "type": "object",
                                        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                                        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                                    },
                                },
                            },
                            "status": {
                                "type": "object",
                                "default": {"observedGeneration": -1},
                                "properties": {
                                    "observedGeneration": {"type": "integer"},
                                    "phase": {"type": "string"},
                                },
                            },
                        },
                    }
                },
            }
        ],
    },
}


def widget(name: str, /, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "sandbox.test/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


def profile(spec: Any) -> dict[str, Any]:
    metadata = {"name": "judged"}
    return {"apiVersion": "pointsman.dev/v1alpha1", "kind": "SchedulerProfile", "metadata": metadata, "spec": spec}


def config_map(name: str, data: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}
    return body if data is None else {**body, "data": data}


def pod(name: str, /, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "none"}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
    return {**body, "spec": {"containers": [container], **spec}}


def deployment(name: str, /, **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "main", "image": "none:1", "ports": [{"containerPort": 80}]}]},
    }
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}}
    return {**body, "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template, **spec}}


def container(**more: Any) -> dict[str, Any]:
    return {"name": "c", "image": "i", **more}
