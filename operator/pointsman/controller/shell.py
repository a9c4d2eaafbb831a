"""The only place where kopf appears: it watches profiles and their children, and hands every event on.

No logic is kept in kopf's handlers, and none of its storages, finalizers, timers or peering is used: whatever it may
know is lost when it restarts, and nothing depends on it. Pods, nodes and Leases do not go through it.

kopf runs on a loop and a thread of its own. In the main thread it would take over the process's signals, and at its
end it cancels every task of its loop that it did not see before, ours included. It ends by design on some faults (an
unexpected event of a watch, a right withdrawn for five minutes), so a supervisor starts it again. It asks the
discovery API once at its start for the kinds it is to watch: the CRD must be served by then.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import kopf

from pointsman.api.names import MANAGED_BY, MANAGED_BY_LABEL
from pointsman.controller.loop_thread import LoopThread
from pointsman.controller.render.children import ORDER
from pointsman.controller.sessions import Sessions
from pointsman.kube.backoff import Backoff
from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection
from pointsman.kube.resources import LEASES, SCHEDULER_PROFILES, Resource

WATCHED: Final[tuple[Resource, ...]] = tuple(resource for resource in ORDER if resource is not LEASES)
"""The kinds of children whose events come through kopf."""

_STOP_SECONDS: Final = 10.0
_STUCK_SECONDS: Final = 600.0
_LONGEST_PAUSE_SECONDS: Final = 5.0
_PAUSES: Final = 60
_STEADY_SECONDS: Final = 60.0  # a run that lasted longer did not fail at its start

_log: Final = logging.getLogger(__name__)

OnProfile = Callable[[Mapping[str, Any], bool], None]
OnChild = Callable[[Mapping[str, Any]], None]


class Shell:
    """Watches until cancelled.

    `on_profile(object, gone)` and `on_child(object)` are called on the caller's loop; `served` returns when the API
    server knows SchedulerProfiles.
    """

    def __init__(
        self,
        connection: Connection,
        fleet_namespace: str,
        on_profile: OnProfile,
        on_child: OnChild,
        served: Callable[[], Awaitable[None]],
        *,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._connection = connection
        self._fleet_namespace = fleet_namespace
        self._on_profile = on_profile
        self._on_child = on_child
        self._served = served
        self._clock = clock
        self._rng = rng
        self._backoff = Backoff(rng)
        self.watching = False  # kopf is up
        self._down_since = clock.monotonic()

    async def run(self) -> None:
        """Run kopf, again and again, until cancelled."""
        while True:
            start = self._clock.monotonic()
            fault = await self._run_once()
            if self._clock.monotonic() - start > _STEADY_SECONDS:
                self._backoff.reset()
            pause = self._backoff.next()
            _log.warning("the watch of profiles ended (%s); it starts again in %.1f s", fault or "no fault", pause)
            await self._clock.sleep(pause)
            await self._served()

    def stuck(self) -> list[str]:
        """Whether it has not been watching for so long that only a restart of the process can help."""
        down = self._clock.monotonic() - self._down_since
        return [] if self.watching or down < _STUCK_SECONDS else [f"profiles have not been watched for {down:.0f} s"]

    async def _run_once(self) -> str:
        """Run kopf in a thread until it ends; returns its fault in words. Cancelling this stops it politely."""
        thread: LoopThread
        sessions = Sessions(self._connection, lambda: thread.ask(self._connection.token))

        async def operate(stop_flag: asyncio.Event) -> None:
            registry = self._registry(thread, sessions)
            settings, namespaces = _settings(self._rng), [self._fleet_namespace]
            await kopf.operator(registry=registry, settings=settings, namespaces=namespaces, stop_flag=stop_flag)

        thread = LoopThread("kopf", operate, sessions.close)
        thread.start()
        try:
            return await asyncio.shield(thread.ended)
        finally:
            self._stopped()
            await thread.stop(_STOP_SECONDS)

    def _registry(self, thread: LoopThread, sessions: Sessions) -> kopf.OperatorRegistry:
        async def login(**_: Any) -> kopf.AiohttpSession:
            thread.tell(self._connection.forget_token)  # kopf asks again only when a request was answered 401
            return kopf.AiohttpSession(server=self._connection.server, aiohttp_session=sessions.new())

        async def started(**_: Any) -> None:
            thread.tell(self._started)

        async def profile(event: Mapping[str, Any], **_: Any) -> None:
            thread.tell(self._on_profile, event["object"], event["type"] == "DELETED")

        async def child(event: Mapping[str, Any], **_: Any) -> None:
            thread.tell(self._on_child, event["object"])

        registry = kopf.OperatorRegistry()
        kopf.on.login(registry=registry)(login)
        kopf.on.startup(registry=registry)(started)
        kopf.on.event(*_kopf_selector(SCHEDULER_PROFILES), registry=registry)(profile)
        for resource in WATCHED:
            kopf.on.event(*_kopf_selector(resource), registry=registry, id=resource.plural)(child)
        return registry

    def _started(self) -> None:
        self.watching = True

    def _stopped(self) -> None:
        if self.watching:
            self.watching = False
            self._down_since = self._clock.monotonic()


def _pauses(rng: random.Random) -> tuple[float, ...]:
    """Seconds between kopf's tries of one request.

    Each is short, so that an outage's end is noticed within seconds; there are enough for one of about five minutes.
    """
    return tuple(min(2.0**number, _LONGEST_PAUSE_SECONDS) * rng.uniform(0.75, 1.25) for number in range(_PAUSES))


def _kopf_selector(resource: Resource) -> tuple[str, str, str]:
    return resource.group, resource.version, resource.plural


def _settings(rng: random.Random) -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.peering.standalone = True
    settings.scanning.disabled = True
    settings.watching.server_timeout = 5 * 60
    settings.watching.client_timeout = 6 * 60
    settings.watching.connect_timeout = 10
    settings.watching.inactivity_timeout = 70
    settings.networking.request_timeout = 30
    settings.networking.connect_timeout = 5
    settings.networking.error_backoffs = _pauses(rng)
    settings.process.ultimate_exiting_timeout = None  # it would kill the whole process
    for resource in WATCHED:
        settings.watching.label_selectors[_kopf_selector(resource)] = f"{MANAGED_BY_LABEL}={MANAGED_BY}"
    return settings
