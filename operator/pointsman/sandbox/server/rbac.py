"""Role-based access control over the roles and bindings that are in the store, as a real API server does it.

Group `system:masters` may do everything. What every authenticated user may do (read discovery, ask about itself) is
written here, not in roles. Roles that aggregate others are not filled; nobody is kept from granting more than he has.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pointsman.sandbox.server.access import Access
from pointsman.sandbox.server.users import AUTHENTICATED, MASTERS, User

Object = Mapping[str, Any]

GROUP: Final = "rbac.authorization.k8s.io"
_OPEN_PATHS: Final = ("/healthz", "/livez", "/readyz", "/version")
_DISCOVERY: Final = ("/api", "/apis", "/openapi")
_ABOUT_ONESELF: Final = frozenset(("selfsubjectreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"))
_SUBJECT_OF_ACCOUNT: Final = "system:serviceaccount:{namespace}:{name}"


@dataclass(frozen=True, slots=True)
class Grants:
    """All roles and bindings at one moment, ordered for questions."""

    cluster_roles: Mapping[str, Object]
    roles: Mapping[tuple[str, str], Object]  # by namespace and name
    cluster_bindings: Mapping[str, tuple[Object, ...]] = field(default_factory=dict)  # by subject
    bindings: Mapping[tuple[str, str], tuple[Object, ...]] = field(default_factory=dict)  # by namespace and subject

    def rules(self, user: User, namespace: str) -> Iterator[Object]:
        """Every rule that holds for a user: those of all namespaces, and those of the one that is given."""
        for subject in _subjects(user):
            for binding in self.cluster_bindings.get(subject, ()):
                yield from _rules(self.cluster_roles.get(binding["roleRef"]["name"]))
            for binding in self.bindings.get((namespace, subject), ()) if namespace else ():
                reference = binding["roleRef"]
                if reference["kind"] == "ClusterRole":
                    yield from _rules(self.cluster_roles.get(reference["name"]))
                else:
                    yield from _rules(self.roles.get((namespace, reference["name"])))

    def allows(self, user: User, access: Access) -> bool:
        """Whether the user may do that."""
        if MASTERS in user.groups or _everybody_may(user, access):
            return True
        return any(_covers(rule, access) for rule in self.rules(user, access.namespace))


def grants(
    cluster_roles: Iterable[Object],
    roles: Iterable[Object],
    cluster_bindings: Iterable[Object],
    bindings: Iterable[Object],
) -> Grants:
    """Order what is in the store."""
    by_subject: dict[str, tuple[Object, ...]] = {}
    for binding in cluster_bindings:
        for subject in _named(binding, ""):
            by_subject[subject] = (*by_subject.get(subject, ()), binding)
    by_namespace: dict[tuple[str, str], tuple[Object, ...]] = {}
    for binding in bindings:
        namespace = binding["metadata"]["namespace"]
        for subject in _named(binding, namespace):
            by_namespace[namespace, subject] = (*by_namespace.get((namespace, subject), ()), binding)
    return Grants(
        {role["metadata"]["name"]: role for role in cluster_roles},
        {(role["metadata"]["namespace"], role["metadata"]["name"]): role for role in roles},
        by_subject,
        by_namespace,
    )


class Authorizer:
    """Answers from grants that are read anew only after a write to one of the four kinds."""

    def __init__(self, read: Callable[[], Grants]) -> None:
        self._read = read
        self._grants: Grants | None = None

    def grants(self) -> Grants:
        """What holds now."""
        if self._grants is None:
            self._grants = self._read()
        return self._grants

    def written(self, group: str) -> None:
        """Something of this API group was written."""
        if group == GROUP:
            self._grants = None

    def allows(self, user: User, access: Access) -> bool:
        """Whether the user may do that now."""
        return MASTERS in user.groups or self.grants().allows(user, access)


def _everybody_may(user: User, access: Access) -> bool:
    if access.path:
        if access.path in _OPEN_PATHS:
            return access.verb == "get"
        known = any(access.path == root or access.path.startswith(root + "/") for root in _DISCOVERY)
        return known and access.verb == "get" and AUTHENTICATED in user.groups
    return access.verb == "create" and access.resource in _ABOUT_ONESELF and AUTHENTICATED in user.groups


def _subjects(user: User) -> Iterator[str]:
    yield f"User:{user.name}"
    for group in user.groups:
        yield f"Group:{group}"


def _named(binding: Object, namespace: str) -> Iterator[str]:
    """Subjects as `_subjects` writes them; a ServiceAccount is the user that its token makes."""
    for subject in binding.get("subjects") or ():
        if subject["kind"] == "ServiceAccount":
            where = subject.get("namespace") or namespace
            yield "User:" + _SUBJECT_OF_ACCOUNT.format(namespace=where, name=subject["name"])
        else:
            yield f"{subject['kind']}:{subject['name']}"


def _rules(role: Object | None) -> Iterable[Object]:
    return (role.get("rules") or ()) if role is not None else ()


def _covers(rule: Object, access: Access) -> bool:
    if not _lists(rule.get("verbs"), access.verb):
        return False
    if access.path:
        return any(_path_matches(pattern, access.path) for pattern in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames") or ()
    return (
        _lists(rule.get("apiGroups"), access.group)
        and _resource_matches(rule.get("resources") or (), access)
        and (not names or access.name in names)
    )


def _lists(values: Iterable[str] | None, wanted: str) -> bool:
    values = values or ()
    return wanted in values or "*" in values


def _resource_matches(patterns: Iterable[str], access: Access) -> bool:
    wanted = {"*", access.full_resource}
    if access.subresource:
        wanted.add(f"*/{access.subresource}")
    return not wanted.isdisjoint(patterns)


def _path_matches(pattern: str, path: str) -> bool:
    return pattern == path or (pattern.endswith("*") and path.startswith(pattern[:-1]))
