"""One way to ask the store and a real API server the same thing, and to compare what they say.

The sandbox's HTTP layer has tests of its own; here a few lines take its place, so that the store is judged alone.
"""

import json
import random
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.controlplane.plane import ControlPlane

from pointsman.sandbox.crd.definition import kinds_of
from pointsman.sandbox.crd.definitions import definition_kind
from pointsman.sandbox.store.builtin.kinds import builtin_kinds
from pointsman.sandbox.store.deletion import Deletion
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.duplicates import duplicate_fields
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.fieldcheck import FieldValidation, checked
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.patches import Patch, PatchType, patch
from pointsman.sandbox.store.store import Store
from pointsman.testing.clock import VirtualClock

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

CONTROLLER = "kube-controller-manager"

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP status and body."""

    code: int
    body: Body


class Server(Protocol):
    """Whom a case asks."""

    def call(self, method: str, path: str, body: Any = None, content_type: str = "", **query: str) -> Answer: ...


@dataclass(frozen=True, slots=True)
class RealServer:
    """A running API server, as its administrator."""

    plane: ControlPlane

    def call(self, method: str, path: str, body: Any = None, content_type: str = "", **query: str) -> Answer:
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        request = urllib.request.Request(
            f"{self.plane.url}{path}?{asked}",
            method=method,
            data=body if body is None or isinstance(body, bytes) else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.plane.token}",
                "Content-Type": content_type or "application/json",
            },
        )
        context = ssl.create_default_context(cafile=self.plane.ca)
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return Answer(answer.status, json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
                return Answer(error.code, json.loads(text) if text.startswith(b"{") else {})


class SandboxServer:
    """The store, asked by path."""

    def __init__(self) -> None:
        self.store = new_store()

    def call(self, method: str, path: str, body: Any = None, content_type: str = "", **query: str) -> Answer:
        kind, namespace, name, subresource = self._target(path)
        duplicates = duplicate_fields(body) if isinstance(body, bytes) else ()
        body = json.loads(body) if isinstance(body, bytes) else body
        manager = query.get("fieldManager", "test")
        door = Door(manager, subresource, dry_run=query.get("dryRun") == "All")
        validation = FieldValidation(query.get("fieldValidation", "Warn"))
        try:
            if method == "GET":
                return Answer(200, self.store.get(kind, namespace, name).complete)
            if method == "DELETE":
                wanted = Deletion(propagation=query.get("propagationPolicy", ""))
                return Answer(200, self.store.delete(kind, namespace, name, wanted).stored.complete)
            if method == "PATCH":
                force = query.get("force") == "true"
                wanted_patch = Patch(
                    PatchType(content_type.removeprefix("application/")), body, force, validation, duplicates
                )
                patched = patch(self.store, kind, namespace, name, wanted_patch, door)
                return Answer(201 if patched.created else 200, patched.stored.complete)
            obj, _ = checked(kind, body, validation, duplicates)
            if method == "PUT":
                return Answer(200, self.store.replace(kind, namespace, name, obj, door).complete)
            created = self.store.create(kind, obj, namespace, door)
        except Refused as refused:
            return Answer(refused.code, refused.status())
        if created.kind.kind == "CustomResourceDefinition" and not door.dry_run:
            for served in kinds_of(created.object):
                self.store.register(served)
        return Answer(201, created.complete)

    def _target(self, path: str) -> tuple[Kind, str, str, str]:
        parts = path.strip("/").split("/")
        group, version, *rest = ["", *parts[1:]] if parts[0] == "api" else parts[1:]
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
            namespace, rest = rest[1], rest[2:]
        kind = self.store.kinds.lookup(group, version, rest[0])
        assert kind is not None, path
        return kind, namespace, *(*rest[1:], "", "")[:2]  # type: ignore[return-value]


def new_store() -> Store:
    """A store with all kinds and one namespace."""
    store = Store(VirtualClock(), random.Random(7))
    for kind in (*builtin_kinds(), definition_kind()):
        store.register(kind)
    namespaces = store.kinds.lookup("", "v1", "namespaces")
    assert namespaces is not None
    store.create(namespaces, {"metadata": {"name": "default"}})
    return store


_GIVEN_BY_SERVER = frozenset(("uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime", "selfLink"))
_VARYING = (
    (re.compile(r"kube-api-access-[a-z0-9]{5}"), "kube-api-access-xxxxx"),
    (re.compile(r"(UID in object meta: |uid\W+)[-0-9a-f]{36}"), r"\1UID"),
    (re.compile(r"(resourceVersion\W+)\d+"), r"\1VERSION"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
)


def comparable(value: Any, namespace: str) -> Any:
    """A body without what differs between any two servers: uids, versions, times, the name of the test's namespace."""
    if isinstance(value, Mapping):
        entries = {key: comparable(entry, namespace) for key, entry in value.items() if key not in _GIVEN_BY_SERVER}
        if isinstance(entries.get("managedFields"), list):  # a real Deployment has a controller, ours here has none
            managed = [one for one in entries["managedFields"] if one.get("manager") != CONTROLLER]
            entries["managedFields"] = sorted(managed, key=lambda one: json.dumps(one, sort_keys=True))
        if value.get("kind") == "Deployment" and "metadata" in value:
            entries.pop("status", None)
            entries["metadata"].pop("annotations", None)
        if "causes" in entries:
            entries["causes"] = sorted(entries["causes"], key=lambda cause: json.dumps(cause, sort_keys=True))
        return entries
    if isinstance(value, list):
        return [comparable(item, namespace) for item in value]
    if isinstance(value, str):
        for pattern, word in _VARYING:
            value = pattern.sub(word, value)
        return value.replace(namespace, "NAMESPACE")
    return value
