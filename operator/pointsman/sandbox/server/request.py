"""A URL and its query, understood: which kind, which object, which door, which options."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pointsman.sandbox.server.access import Access
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.kinds import Kind, Registry

_TRUE: Final = frozenset(("true", "1", ""))
_DIRECTIVES: Final = ("Ignore", "Warn", "Strict")


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request, body included."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Route:
    """A resource path. `name` is empty for a collection, `namespace` for all of them and for cluster-scoped kinds."""

    kind: Kind
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    def access(self, verb: str, field_selector: str) -> Access:
        """The same, for authorization. A collection of which one object is selected by name is that object."""
        name = self.name or _selected_name(field_selector)
        return Access(verb, self.kind.group, self.kind.plural, self.subresource, self.namespace, name)


@dataclass(frozen=True, slots=True)
class Options:
    """What the query of a call asks for beside the path."""

    label_selector: str = ""
    field_selector: str = ""
    limit: int = 0
    continue_token: str = ""
    watch: bool = False
    resource_version: str = ""
    resource_version_match: str = ""
    timeout_seconds: int | None = None
    bookmarks: bool = False
    initial_events: bool | None = None
    dry_run: bool = False
    manager: str = ""
    force: bool = False
    validation: str = "Warn"


def route(path: str, kinds: Registry) -> Route:
    """Read a path below /api or /apis. Raises Refused (404) for what is not served."""
    parts = [part for part in path.split("/") if part]
    if parts[0] == "api":
        group, version, rest = "", parts[1] if len(parts) > 1 else "", parts[2:]
    else:
        group, version, rest = (*parts[1:3], "", "")[0], (*parts[1:3], "", "")[1], parts[3:]
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    kind = kinds.lookup(group, version, rest[0]) if rest else None
    name, subresource = (*rest[1:3], "", "")[0], (*rest[1:3], "", "")[1]
    if kind is None and not any((one.group, one.version) == (group, version) for one in kinds):
        raise Refused(404, "", "404 page not found")
    if kind is None or len(rest) > 3 or (namespace and not kind.namespaced):
        raise no_such_path()
    if kind.namespaced and name and not namespace:
        raise no_such_path()
    if subresource and subresource not in kind.subresources:
        raise no_such_path()
    return Route(kind, namespace, name, subresource)


def options(query: Mapping[str, str]) -> Options:
    """Read a query. Raises Refused (400, 422) for values that mean nothing."""
    dry_run = query.get("dryRun", "")
    if dry_run not in ("", "All"):
        raise bad_request(f'Invalid value: ["{dry_run}"]: dryRun: Unsupported value: supported values: "All"')
    validation = query.get("fieldValidation") or "Warn"
    if validation not in _DIRECTIVES:
        raise bad_request(
            f'fieldValidation: Unsupported value: "{validation}": supported values: "Ignore", "Strict", "Warn"'
        )
    initial = query.get("sendInitialEvents")
    return Options(
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        limit=_number(query, "limit") or 0,
        continue_token=query.get("continue", ""),
        watch=_true(query, "watch"),
        resource_version=query.get("resourceVersion", ""),
        resource_version_match=query.get("resourceVersionMatch", ""),
        timeout_seconds=_number(query, "timeoutSeconds"),
        bookmarks=_true(query, "allowWatchBookmarks"),
        initial_events=None if initial is None else initial in _TRUE,
        dry_run=dry_run == "All",
        manager=query.get("fieldManager", ""),
        force=_true(query, "force"),
        validation=validation,
    )


def no_such_path() -> Refused:
    """404 of a path that nobody serves."""
    return Refused(404, "NotFound", "the server could not find the requested resource")


def not_allowed() -> Refused:
    """405 of a method that a path does not take."""
    return Refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def _selected_name(field_selector: str) -> str:
    """apiserver 1.36, pkg/endpoints/request/requestinfo.go."""
    for part in field_selector.split(","):
        label, _, value = part.partition("=")
        if label == "metadata.name":
            return value.removeprefix("=")
    return ""


def _true(query: Mapping[str, str], name: str) -> bool:
    return name in query and query[name].lower() in _TRUE


def _number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name)
    if not text:
        return None
    if not text.isdecimal():
        raise bad_request(f'{name}: Invalid value: "{text}": must be a number that is not negative')
    return int(text)
