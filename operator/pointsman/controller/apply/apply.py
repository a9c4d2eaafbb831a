"""Makes the cluster what a plan says, and nothing more: what is as it should be is not written.

Children are written in order, the rights before the Deployment that uses them, and the first refusal ends it, so an
engine that runs is never left without its rights. Each write carries the uid of the object that was looked at: one that
was replaced meanwhile is not ours to write. Whoever may not write any more (another operator leads) stops before the
next write.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeVar

from pointsman.api.reasons import Reason
from pointsman.controller.apply.drift import is_changed, is_drifted, sealed
from pointsman.controller.apply.template import Templates
from pointsman.controller.plan.contest import Patience
from pointsman.controller.plan.plan import Plan
from pointsman.controller.plan.world import World
from pointsman.controller.render.children import Child, Identity, LiveChild
from pointsman.kube.apply import apply
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Conflict, Forbidden, Invalid, NotFound
from pointsman.kube.resources import DEPLOYMENTS

T = TypeVar("T")

_ATTEMPTS: Final = 4
_IMMUTABLE_WORDS: Final = ("field is immutable", "cannot change roleRef")


class Outcome(StrEnum):
    """What happened to one child."""

    UNCHANGED = "Unchanged"
    CREATED = "Created"
    UPDATED = "Updated"  # we want something else than before
    HEALED = "Healed"  # somebody else had changed it
    RECREATED = "Recreated"  # what we want cannot be had by an update
    DELETED = "Deleted"  # it is not wanted any more


class Refused(Exception):
    """The API server refused a call. `final`: for what it says, so that trying again cannot mend it."""

    def __init__(self, reason: Reason, message: str, *, final: bool) -> None:
        super().__init__(message)
        self.reason = reason
        self.final = final


@dataclass(frozen=True, slots=True)
class Done:
    """A write to one child."""

    identity: Identity
    outcome: Outcome


class Applier:
    """Carries plans out. `may_write` is the fence: it is asked again right before each write is sent."""

    def __init__(self, client: Client, may_write: Callable[[], bool], clock: Clock) -> None:
        self._client = client
        self.may_write = may_write
        self._patience = Patience(clock)
        self._templates = Templates(client, may_write)

    async def carry_out(self, plan: Plan, world: World) -> AsyncIterator[Done]:
        """Write what differs and delete what is not wanted; yields each write when it is done.

        Raises Refused for 403 and 422, NotSent when writing is not allowed, otherwise as `Client.request` does.
        """
        for child in plan.objects:
            outcome = await self._settle(child, world.find(child.identity))
            if outcome is not Outcome.UNCHANGED:
                yield Done(child.identity, outcome)
        for unwanted in plan.deletions:
            if await self._delete(unwanted):
                yield Done(unwanted.identity, Outcome.DELETED)

    async def _settle(self, child: Child, live: LiveChild | None) -> Outcome:
        if live is None:
            await self._call("create", child.identity, partial(self._apply, child, ""))
            return Outcome.CREATED
        body, outcome = live.body, Outcome.UNCHANGED
        changed = is_changed(sealed(child), body)
        if changed or is_drifted(child, body):
            if not changed:
                self._patience.spend(child.identity)
            try:
                body = await self._call("patch", child.identity, partial(self._apply, child, live.uid))
            except Refused as refusal:
                if not any(words in str(refusal) for words in _IMMUTABLE_WORDS):
                    raise
                return await self._recreate(child, live)
            outcome = Outcome.UPDATED if changed else Outcome.HEALED
        if child.identity.resource is DEPLOYMENTS:
            return await self._correct(child, dict(body), outcome)
        return outcome

    async def _apply(self, child: Child, uid: str) -> dict[str, Any]:
        body = sealed(child)
        if uid:
            body = {**body, "metadata": {**body["metadata"], "uid": uid}}
        return await apply(self._client, child.identity.resource, body, may_send=self.may_write)

    async def _correct(self, child: Child, live: dict[str, Any], outcome: Outcome) -> Outcome:
        """Put the pod template right. Its status is written all the time, so the test on its version may fail."""
        for _ in range(_ATTEMPTS):
            patch = await self._call("create", child.identity, partial(self._templates.correction, child, live))
            if patch is None:
                return outcome
            self._patience.spend(child.identity)
            try:
                await self._call("patch", child.identity, partial(self._templates.correct, child, patch))
            except Refused as refusal:
                if not refusal.final:
                    raise
                live = await self._client.get_json(child.identity.resource.path(child.namespace, child.identity.name))
            else:
                return Outcome.UPDATED if outcome is Outcome.UPDATED else Outcome.HEALED
        raise Conflict(409, "Conflict", f"{child.identity} is being changed by somebody else")

    async def _recreate(self, child: Child, live: LiveChild) -> Outcome:
        await self._delete(live)
        await self._call("create", child.identity, partial(self._apply, child, ""))
        return Outcome.RECREATED

    async def _delete(self, child: LiveChild) -> bool:
        resource, metadata = child.identity.resource, child.body["metadata"]
        path = resource.path(metadata.get("namespace", ""), child.identity.name)

        delete = partial(self._client.delete, path, uid=child.uid, propagation="Background", may_send=self.may_write)
        try:
            await self._call("delete", child.identity, delete)
        except (NotFound, Conflict):
            return False  # gone, or another object by now
        return True

    async def _call(self, verb: str, identity: Identity, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call, and name verb and object if it is refused."""
        try:
            return await call()
        except Forbidden as error:
            message = f"cannot {verb} {identity.resource.plural} {identity.name}: {error}"
            raise Refused(Reason.FORBIDDEN, message, final=False) from error
        except Invalid as error:
            message = f"cannot {verb} {identity.resource.plural} {identity.name}: {error}"
            raise Refused(Reason.CHILD_REFUSED, message, final=True) from error
