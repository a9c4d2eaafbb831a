"""The objects that belong to a profile: which kinds, their names, labels and owner, and the order of writing them.

Everything here follows from the profile's name and uid alone, so that any replica of the operator, at any time, names
the same objects. An engine's rights come before the Deployment that needs them and go after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pointsman.api import names
from pointsman.kube.resources import (
    CLUSTER_ROLE_BINDINGS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    DISRUPTION_BUDGETS,
    LEASES,
    ROLE_BINDINGS,
    ROLES,
    SERVICE_ACCOUNTS,
    Resource,
)

ORDER: Final[tuple[Resource, ...]] = (
    SERVICE_ACCOUNTS,
    LEASES,
    ROLES,
    ROLE_BINDINGS,
    CLUSTER_ROLE_BINDINGS,
    CONFIG_MAPS,
    DISRUPTION_BUDGETS,
    DEPLOYMENTS,
)
"""The kinds of children, in the order in which they are written; deletion goes the other way."""

ENGINE_COMPONENT: Final = "engine"

CLUSTER_ROLES: Final = (
    names.ENGINE_CLUSTER_ROLE,
    names.ENGINE_VOLUMES_CLUSTER_ROLE,
    names.ENGINE_PREEMPTION_CLUSTER_ROLE,
)
"""What an engine may be given; every engine gets the first."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where engines run, and the image that they run when the profile names none: the operator's own."""

    namespace: str
    image: str


class Ownership(StrEnum):
    """Whose an object of a child's name is."""

    OURS = "Ours"  # our label, and this profile is its controller
    STALE = "Stale"  # of an earlier profile of this name: the garbage collector is about to remove it
    FOREIGN = "Foreign"  # anybody else's


@dataclass(frozen=True, slots=True)
class Identity:
    """Where an object is: kind and name. Namespaced ones are in the fleet namespace."""

    resource: Resource
    name: str

    def __str__(self) -> str:
        return f"{self.resource.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Child:
    """An object that a profile should have, exactly with the fields that are ours."""

    identity: Identity
    body: Mapping[str, Any]

    @property
    def namespace(self) -> str:
        return str(self.body["metadata"].get("namespace", ""))


@dataclass(frozen=True, slots=True)
class LiveChild:
    """An object that is there under a child's name or label, as the API server gave it."""

    identity: Identity
    body: Mapping[str, Any]
    ownership: Ownership

    @property
    def uid(self) -> str:
        return str(self.body["metadata"]["uid"])

    @property
    def going(self) -> bool:
        """Deleted, but not gone yet."""
        return bool(self.body["metadata"].get("deletionTimestamp"))

    def annotation(self, key: str) -> str:
        return str((self.body["metadata"].get("annotations") or {}).get(key, ""))


def labels(profile: str) -> dict[str, str]:
    """Labels of every child, and of the engine's pods."""
    return {
        names.PROFILE_LABEL: profile,
        names.NAME_LABEL: "pointsman",
        names.INSTANCE_LABEL: profile,
        names.COMPONENT_LABEL: ENGINE_COMPONENT,
        names.MANAGED_BY_LABEL: names.MANAGED_BY,
    }


def selector(profile: str) -> dict[str, str]:
    """Labels by which Deployment and PodDisruptionBudget find a profile's pods. Immutable: it never gets more keys."""
    return {names.COMPONENT_LABEL: ENGINE_COMPONENT, names.PROFILE_LABEL: profile}


def selector_text(profile: str) -> str:
    """The same as a string, for the scale subresource."""
    return ",".join(f"{key}={value}" for key, value in sorted(selector(profile).items()))


def owner_reference(profile: str, uid: str) -> dict[str, Any]:
    """The reference that makes the garbage collector remove a child with its profile.

    It does not block the owner's deletion: that would need rights on the profile's finalizers.
    """
    return {
        "apiVersion": names.API_VERSION,
        "kind": names.KIND,
        "name": profile,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": False,
    }


def fixed_identities(profile: str) -> tuple[Identity, ...]:
    """The children whose names do not depend on the policy; which of them are wanted is another question."""
    engine = names.engine_name(profile)
    named = (resource for resource in ORDER if resource not in (CLUSTER_ROLE_BINDINGS, CONFIG_MAPS))
    return (*(Identity(resource, engine) for resource in named), *cluster_role_bindings(profile))


def cluster_role_bindings(profile: str) -> dict[Identity, str]:
    """The bindings of ClusterRoles to the profile's engine, and the ClusterRole of each."""
    return {Identity(CLUSTER_ROLE_BINDINGS, names.engine_binding_name(profile, role)): role for role in CLUSTER_ROLES}


def config_map(profile: str, short_hash: str) -> Identity:
    """The ConfigMap of one policy."""
    return Identity(CONFIG_MAPS, names.config_map_name(profile, short_hash))


def ownership(body: Mapping[str, Any], profile: str, uid: str) -> Ownership:
    """Ours is what carries our label *and* names this very profile as its controller."""
    metadata = body["metadata"]
    if (metadata.get("labels") or {}).get(names.PROFILE_LABEL) != profile:
        return Ownership.FOREIGN
    for reference in metadata.get("ownerReferences") or ():
        group = str(reference.get("apiVersion", "")).partition("/")[0]
        if reference.get("controller") and group == names.GROUP and reference.get("name") == profile:
            return Ownership.OURS if reference.get("uid") == uid else Ownership.STALE
    return Ownership.FOREIGN
