"""Reads what there is around a profile: children from the API server, everything busy from mirrors.

Children are read anew each time: that is what tells ours from foreign, and a plan on a stale copy would write. Each
kind is listed by the profile's label, and what is missing there is asked for by name, because an object without our
label may have a name that we need. Engines, Leases, allow-list and other profiles come from the books.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Final, Protocol

import msgspec

from pointsman.api import names
from pointsman.api.report import Pending
from pointsman.controller.gather.engine_book import EngineBook
from pointsman.controller.gather.image_book import ImageBook
from pointsman.controller.gather.lease_book import LeaseBook
from pointsman.controller.gather.roster import Roster
from pointsman.controller.plan.profile import Profile, read_profile
from pointsman.controller.plan.world import World
from pointsman.controller.render import children
from pointsman.controller.render.children import Fleet, Identity, LiveChild
from pointsman.kube.client import Client, decode
from pointsman.kube.errors import NotFound
from pointsman.kube.objects import Pod
from pointsman.kube.resources import PODS, REPLICA_SETS, SCHEDULER_PROFILES, Resource

_FROM_CACHE: Final = {"resourceVersion": "0"}
_UNSCHEDULABLE: Final = "Unschedulable"


class Books(Protocol):
    """What is mirrored."""

    @property
    def engines(self) -> EngineBook: ...
    @property
    def leases(self) -> LeaseBook: ...
    @property
    def images(self) -> ImageBook: ...
    @property
    def roster(self) -> Roster: ...


class _PodList(msgspec.Struct):
    items: list[Pod] = []


class Gatherer:
    """Reads profiles and their worlds. Everything raises as `Client.request` does."""

    def __init__(self, client: Client, fleet: Fleet, books: Books) -> None:
        self._client = client
        self._fleet = fleet
        self._books = books

    async def profiles(self) -> list[dict[str, Any]]:
        """All profiles, as the API server has them."""
        answer = await self._client.get_json(SCHEDULER_PROFILES.path())
        items: list[dict[str, Any]] = answer.get("items") or []
        return items

    async def profile(self, name: str) -> Profile | None:
        """One profile; None when it is gone."""
        try:
            return read_profile(await self._client.get_json(SCHEDULER_PROFILES.path(name=name)))
        except NotFound:
            return None

    async def world(self, profile: Profile) -> World:
        """What there is around a profile."""
        books = self._books
        report = books.leases.report(profile.name)
        children_, mounted, waiting = await asyncio.gather(
            self._children(profile),
            self._mounted(profile.name),
            self._waiting(profile) if report is None or not report.fresh else _nothing(),
        )
        return World(
            fleet=self._fleet,
            images=books.images.images,
            siblings=books.roster.others(profile.name, profile.scheduler_name),
            children=children_,
            mounted=mounted,
            engines=books.engines.of(profile.name),
            leadership=books.leases.leadership(profile.name),
            report=report,
            waiting=waiting,
        )

    async def _children(self, profile: Profile) -> tuple[LiveChild, ...]:
        listed = await asyncio.gather(*(self._list(resource, profile.name) for resource in children.ORDER))
        found = {
            Identity(resource, body["metadata"]["name"]): body
            for resource, bodies in zip(children.ORDER, listed, strict=True)
            for body in bodies
        }
        missing = [identity for identity in _names(profile) if identity not in found]
        bodies = await asyncio.gather(*(self._find(identity) for identity in missing))
        found |= {identity: body for identity, body in zip(missing, bodies, strict=True) if body is not None}
        return tuple(
            LiveChild(identity, body, children.ownership(body, profile.name, profile.uid))
            for identity, body in found.items()
        )

    async def _list(self, resource: Resource, profile: str) -> list[dict[str, Any]]:
        selector = f"{names.PROFILE_LABEL}={profile}"
        answer = await self._client.get_json(resource.path(self._namespace(resource)), labelSelector=selector)
        items: list[dict[str, Any]] = answer.get("items") or []
        return items

    async def _find(self, identity: Identity) -> dict[str, Any] | None:
        resource = identity.resource
        try:
            return await self._client.get_json(resource.path(self._namespace(resource), identity.name))
        except NotFound:
            return None

    async def _mounted(self, profile: str) -> frozenset[str]:
        templates = (body["spec"]["template"]["metadata"] for body in await self._list(REPLICA_SETS, profile))
        hashes = ((template.get("annotations") or {}).get(names.POLICY_ANNOTATION, "") for template in templates)
        return frozenset(filter(None, hashes))

    async def _waiting(self, profile: Profile) -> Pending:
        """Count the pods that name the profile's scheduler and have no node, since no engine does."""
        if not profile.scheduler_name:
            return Pending()
        selector = f"spec.schedulerName={profile.scheduler_name},spec.nodeName=,status.phase=Pending"
        query = {**_FROM_CACHE, "fieldSelector": selector}
        content = await self._client.request("GET", PODS.path(), query=query)
        return count_waiting(decode(content, _PodList).items)

    def _namespace(self, resource: Resource) -> str:
        return self._fleet.namespace if resource.namespaced else ""


def count_waiting(pods: Iterable[Pod]) -> Pending:
    """Sort pods without a node by where they would be in an engine's queue, as far as their status tells."""
    gated = unschedulable = active = 0
    for pod in pods:
        if pod.metadata.deletion_timestamp is not None:
            continue
        if pod.spec.scheduling_gates:
            gated += 1
        elif any(one.type == "PodScheduled" and one.reason == _UNSCHEDULABLE for one in pod.status.conditions):
            unschedulable += 1
        else:
            active += 1
    return Pending(total=active + unschedulable, active=active, unschedulable=unschedulable, gated=gated)


def _names(profile: Profile) -> Iterable[Identity]:
    """The names that the profile may need."""
    yield from children.fixed_identities(profile.name)
    if profile.candidate is not None:
        yield children.config_map(profile.name, profile.candidate.short_hash)


async def _nothing() -> None:
    return None
