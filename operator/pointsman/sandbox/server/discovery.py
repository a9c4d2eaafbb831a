"""What the server serves, told in the forms that clients ask for: aggregated (kubectl) and group by group (the others).

Groups stand in the order of a real API server's, so that a short name means the same kind in both.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pointsman.sandbox.store.kinds import Kind, Registry

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

_ORDER: Final = (
    *("", "apps", "events.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "policy"),
    *("rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io"),
    *("scheduling.k8s.io", "coordination.k8s.io"),
)
_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_READ_WRITE: Final = ("get", "patch", "update")


@dataclass(frozen=True, slots=True)
class Served:
    """A resource or subresource as discovery lists it. `answers` is the group, version and kind of its answers."""

    name: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    answers: tuple[str, str] | None = None  # group and version, where they are not the resource's own


# Questions that are answered and never stored.
REVIEWS: Final[dict[tuple[str, str], tuple[Served, ...]]] = {
    ("authentication.k8s.io", "v1"): (
        Served("selfsubjectreviews", "SelfSubjectReview", False, ("create",), "selfsubjectreview"),
    ),
    ("authorization.k8s.io", "v1"): (
        Served("selfsubjectaccessreviews", "SelfSubjectAccessReview", False, ("create",), "selfsubjectaccessreview"),
        Served("selfsubjectrulesreviews", "SelfSubjectRulesReview", False, ("create",), "selfsubjectrulesreview"),
    ),
}
_SUBRESOURCES: Final[dict[str, tuple[str, tuple[str, ...], tuple[str, str] | None]]] = {
    "binding": ("Binding", ("create",), None),
    "eviction": ("Eviction", ("create",), ("policy", "v1")),
    "log": ("Pod", ("get",), None),
    "scale": ("Scale", _READ_WRITE, ("autoscaling", "v1")),
    "token": ("TokenRequest", ("create",), ("authentication.k8s.io", "v1")),
    "finalize": ("Namespace", ("update",), None),
}


def aggregated(kinds: Registry, *, core: bool) -> dict[str, Any]:
    """All groups but the core one, or the core one alone, with everything in them (apidiscovery.k8s.io/v2)."""
    items = []
    for group, versions in _groups(kinds).items():
        if (group == "") is not core:
            continue
        told = [
            {
                "version": version,
                "resources": [_aggregated(one, below, group, version) for one, below in resources],
                "freshness": "Current",
            }
            for version, resources in versions.items()
        ]
        items.append({"metadata": {"name": group} if group else {}, "versions": told})
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def core_versions(address: str) -> dict[str, Any]:
    """/api for old clients."""
    where = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": where}


def group_list(kinds: Registry) -> dict[str, Any]:
    """/apis for old clients."""
    groups = [_group(name, versions) for name, versions in _groups(kinds).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def one_group(kinds: Registry, group: str) -> dict[str, Any] | None:
    """/apis/GROUP; None when nothing is served there."""
    versions = _groups(kinds).get(group)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)} if versions else None


def resource_list(kinds: Registry, group: str, version: str) -> dict[str, Any] | None:
    """/apis/GROUP/VERSION and /api/v1; None when nothing is served there."""
    resources = _groups(kinds).get(group, {}).get(version)
    if resources is None:
        return None
    told: list[dict[str, Any]] = []
    for one, below in resources:
        told.append(_listed(one, one.name))
        told += [_listed(sub, f"{one.name}/{sub.name}") for sub in below]
    name = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": told}


_Resources = list[tuple[Served, tuple[Served, ...]]]


def _groups(kinds: Iterable[Kind]) -> dict[str, dict[str, _Resources]]:
    """By group and version: resources with their subresources, both in order of name."""
    found: dict[str, dict[str, _Resources]] = {}
    for kind in kinds:
        found.setdefault(kind.group, {}).setdefault(kind.version, []).append((_served(kind), _below(kind)))
    for (group, version), reviews in REVIEWS.items():
        found.setdefault(group, {}).setdefault(version, []).extend((review, ()) for review in reviews)
    for versions in found.values():
        for resources in versions.values():
            resources.sort(key=lambda pair: pair[0].name)
    return {group: found[group] for group in sorted(found, key=_place)}


def _place(group: str) -> tuple[int, str]:
    return (_ORDER.index(group) if group in _ORDER else len(_ORDER), group)


def _served(kind: Kind) -> Served:
    verbs = tuple(verb for verb in _VERBS if verb != "deletecollection" or kind.kind != "Namespace" or kind.group)
    singular = kind.singular or kind.kind.lower()
    return Served(kind.plural, kind.kind, kind.namespaced, verbs, singular, kind.short_names, kind.categories)


def _below(kind: Kind) -> tuple[Served, ...]:
    found = []
    for name in sorted(kind.subresources):
        answer, verbs, group_version = _SUBRESOURCES.get(name, (kind.kind, _READ_WRITE, None))
        found.append(Served(name, answer, kind.namespaced, verbs, answers=group_version))
    return tuple(found)


def _aggregated(one: Served, below: Iterable[Served], group: str, version: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "resource": one.name,
        "responseKind": {"group": group, "version": version, "kind": one.kind},
        "scope": "Namespaced" if one.namespaced else "Cluster",
        "singularResource": one.singular,
        "verbs": one.verbs,
    }
    if one.short_names:
        told["shortNames"] = one.short_names
    if one.categories:
        told["categories"] = one.categories
    subresources = []
    for sub in below:
        answers = dict(zip(("group", "version"), sub.answers or (group, version), strict=True))
        subresources.append(
            {"subresource": sub.name, "responseKind": {**answers, "kind": sub.kind}, "verbs": sub.verbs}
        )
    return {**told, "subresources": subresources} if subresources else told


def _group(name: str, versions: Iterable[str]) -> dict[str, Any]:
    told = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": told, "preferredVersion": told[0]}


def _listed(one: Served, name: str) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name, "singularName": one.singular, "namespaced": one.namespaced}
    if one.answers:
        told |= zip(("group", "version"), one.answers, strict=True)
    told |= {"kind": one.kind, "verbs": one.verbs}
    if one.short_names:
        told["shortNames"] = one.short_names
    if one.categories:
        told["categories"] = one.categories
    return told
