"""The API's objects as controllers see them: metadata typed, the rest as it came."""

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.kube.objects import Metadata, Node, OwnerReference, Pod, PodCondition, PodStatus
from pointsman.kube.resources import Resource

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"


class Owner(OwnerReference, frozen=True, kw_only=True):
    """An owner reference with the mark that foreground deletion heeds."""

    block_owner_deletion: bool = False


class ItemMetadata(Metadata, frozen=True, kw_only=True):
    """Metadata with what holds a deletion back."""

    owner_references: tuple[Owner, ...] = ()
    finalizers: tuple[str, ...] = ()


class Item(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Any object. Shared by whoever reads the mirror: its dicts are never changed."""

    metadata: ItemMetadata
    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}

    @property
    def deleting(self) -> bool:
        """Whether its deletion has begun."""
        return self.metadata.deletion_timestamp is not None


class ItemCondition(PodCondition, frozen=True, kw_only=True):
    """A pod's condition with the moment of its last change."""

    last_transition_time: str | None = None


class ItemPodStatus(PodStatus, frozen=True, kw_only=True):
    """A pod's status with dated conditions."""

    conditions: tuple[ItemCondition, ...] = ()


class PodItem(Pod, frozen=True, kw_only=True):
    """A pod as a scheduler reads it, with what its owners need beside that."""

    metadata: ItemMetadata
    status: ItemPodStatus = ItemPodStatus()

    @property
    def deleting(self) -> bool:
        """Whether its deletion has begun."""
        return self.metadata.deletion_timestamp is not None


class NodeItem(Node, frozen=True, kw_only=True):
    """A node as a scheduler reads it."""

    metadata: ItemMetadata

    @property
    def deleting(self) -> bool:
        """Whether its deletion has begun."""
        return self.metadata.deletion_timestamp is not None


def controller_of(metadata: ItemMetadata) -> Owner | None:
    """The one owner that looks after an object."""
    return next((owner for owner in metadata.owner_references if owner.controller), None)


def owner_reference(resource: Resource, metadata: Metadata) -> dict[str, Any]:
    """A reference for an object that is looked after by this one."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": metadata.name,
        "uid": metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def condition(conditions: list[dict[str, Any]], kind: str) -> Mapping[str, Any]:
    """One condition; empty when it is absent."""
    return next((one for one in conditions if one["type"] == kind), {})


def status_patch(item: Item, status: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON merge patch that makes an object's status this one, if it is still that object."""
    return {"metadata": {"uid": item.metadata.uid}, "status": {**dict.fromkeys(item.status), **status}}


class Named(msgspec.Struct):
    """Any object, of which only the metadata matters."""

    metadata: ItemMetadata


def metadata_of(answer: bytes) -> ItemMetadata:
    """The metadata of an object that a server answered with."""
    return msgspec.json.decode(answer, type=Named).metadata
