"""One profile, once: gather, plan, apply, status.

What a plan led to changes the world it was made from, so after a write the world is gathered and judged again, and
the status tells of that one. A refused call ends up in the status too: whoever reads only the object must see it.
"""

import logging
from typing import Any, Final

from pointsman.api import names
from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.status import ProfileStatus, encode_status
from pointsman.controller.apply.apply import Applier, Done, Outcome, Refused
from pointsman.controller.gather.gather import Gatherer
from pointsman.controller.metrics import Metrics
from pointsman.controller.plan.plan import Notice, Plan, notices, plan
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.status import refused, same_status
from pointsman.controller.plan.verdict import FALSE, Verdict
from pointsman.kube.apply import apply
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import Forbidden, NotFound
from pointsman.kube.events import EventWriter
from pointsman.kube.resources import SCHEDULER_PROFILES

_log: Final = logging.getLogger(__name__)


class Reconciler:
    """Reconciles profiles by name. Raises as `Client.request` does; NotSent when it may not write."""

    def __init__(
        self,
        client: Client,
        gatherer: Gatherer,
        applier: Applier,
        events: EventWriter,
        metrics: Metrics,
        clock: Clock,
    ) -> None:
        self._client = client
        self._gatherer = gatherer
        self._applier = applier
        self._events = events
        self._metrics = metrics
        self._clock = clock

    async def reconcile(self, name: str) -> float | None:
        """Bring one profile's children and status up to date; returns the seconds until it is due again."""
        profile = await self._gatherer.profile(name)
        if profile is None or profile.going:
            self._metrics.forget(name)
            return None
        try:
            made = await self._carry_out(profile)
        except Refused as refusal:
            await self._tell_refusal(profile, refusal)
            raise
        except Forbidden as error:
            await self._tell_refusal(profile, Refused(Reason.FORBIDDEN, str(error), final=False))
            raise
        await self._write_status(profile, made.status, made.events)
        return made.requeue_after

    async def _carry_out(self, profile: Profile) -> Plan:
        world = await self._gatherer.world(profile)
        made = plan(profile, world, self._clock.now())
        written = False
        async for done in self._applier.carry_out(made, world):
            written = True
            self._tell(profile, done)
        if written:
            made = plan(profile, await self._gatherer.world(profile), self._clock.now())
        return made

    def _tell(self, profile: Profile, done: Done) -> None:
        _log.info("%s %s", done.outcome.lower(), done.identity, extra={"profile": profile.name})
        if done.outcome is Outcome.HEALED:
            self._metrics.drift.labels(done.identity.resource.kind).inc()
        if done.outcome is Outcome.RECREATED:
            note = f"{done.identity} was deleted and made anew: what is wanted cannot be had by an update"
            self._post(profile, Notice("Recreated", note, warning=False))

    async def _tell_refusal(self, profile: Profile, refusal: Refused) -> None:
        """Put a refusal into the status, as far as that is not refused as well."""
        abnormal = ConditionType.STALLED if refusal.final else ConditionType.RECONCILING
        verdict = Verdict(FALSE, refusal.reason, str(refusal), abnormal)
        status = refused(profile, profile.status, verdict, self._clock.now())
        try:
            await self._write_status(profile, status, notices(profile, status))
        except Forbidden as error:
            _log.warning("cannot write the status: %s", error, extra={"profile": profile.name})

    async def _write_status(self, profile: Profile, status: ProfileStatus, events: tuple[Notice, ...]) -> None:
        self._metrics.show(profile.name, status)
        if same_status(profile.status, status):
            return
        body = {
            "apiVersion": names.API_VERSION,
            "kind": names.KIND,
            "metadata": {"name": profile.name, "uid": profile.uid},
            "status": encode_status(status),
        }
        try:
            await apply(self._client, SCHEDULER_PROFILES, body, subresource="status", may_send=self._applier.may_write)
        except NotFound:
            return  # deleted meanwhile
        for notice in events:
            self._post(profile, notice)

    def _post(self, profile: Profile, notice: Notice) -> None:
        self._events.post(
            regarding=_reference(profile),
            reason=notice.reason,
            note=notice.note,
            type="Warning" if notice.warning else "Normal",
            action="Reconcile",
        )


def _reference(profile: Profile) -> dict[str, Any]:
    return {"apiVersion": names.API_VERSION, "kind": names.KIND, "name": profile.name, "uid": profile.uid}
