"""What the operator mirrors: the engines' pods, their Leases, and the allow-list of images."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, Final

from pointsman.api import names
from pointsman.controller.gather.engine_book import EngineBook
from pointsman.controller.gather.image_book import ImageBook, ImagesConfigMap
from pointsman.controller.gather.lease_book import TICK_SECONDS, LeaseBook
from pointsman.controller.gather.roster import Roster
from pointsman.controller.plan.engines import EnginePod
from pointsman.controller.plan.images import AllowedImages
from pointsman.controller.render.children import Fleet
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.objects import Lease
from pointsman.kube.reflector import Reflector
from pointsman.kube.resources import CONFIG_MAPS, LEASES, PODS

_OURS: Final = f"{names.MANAGED_BY_LABEL}={names.MANAGED_BY}"
_SILENT_SECONDS: Final = 180.0  # a reflector gives a silent watch up after 70 s and says why


class Mirrors:
    """The books of one operator, and the reflectors that fill them (`gather.Books`).

    `namespace` is the operator's own; `wake` is called with a profile's name when a plan would see something new.
    """

    def __init__(
        self,
        client: Client,
        namespace: str,
        fleet: Fleet,
        wake: Callable[[str], None],
        *,
        allow_any_image: bool,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._clock = clock
        self.roster = Roster(wake)
        self.engines = EngineBook(wake)
        self.leases = LeaseBook(wake, clock)
        nothing = AllowedImages(fleet.image, f"{namespace}/{names.IMAGES_CONFIG_MAP}", anything=allow_any_image)
        self.images = ImageBook(nothing, lambda: _each(wake, self.roster.names()))
        common: dict[str, Any] = {"clock": clock, "rng": rng}
        fleets: dict[str, Any] = {"namespace": fleet.namespace, "label_selector": _OURS, **common}
        self._reflectors: dict[str, Reflector[Any]] = {
            "engines": Reflector(client, PODS, EnginePod, self.engines.on_events, **fleets),
            "Leases": Reflector(client, LEASES, Lease, self.leases.on_events, **fleets),
            "allowed images": Reflector(
                client,
                CONFIG_MAPS,
                ImagesConfigMap,
                self.images.on_events,
                namespace=namespace,
                field_selector=f"metadata.name={names.IMAGES_CONFIG_MAP}",
                **common,
            ),
        }

    async def run(self) -> None:
        """Mirror until cancelled."""
        async with asyncio.TaskGroup() as group:
            for reflector in self._reflectors.values():
                group.create_task(reflector.run())
            group.create_task(self._tick())

    async def synced(self) -> None:
        """Wait until every book is complete."""
        for reflector in self._reflectors.values():
            await reflector.synced.wait()

    def missing(self) -> list[str]:
        """Which books are not complete yet, and why."""
        return [
            f"no complete list of {what} yet" + (f": {reflector.last_error}" if reflector.last_error else "")
            for what, reflector in self._reflectors.items()
            if not reflector.synced.is_set()
        ]

    def silent(self) -> list[str]:
        """Which watches bring nothing and do not know why: only a restart mends that."""
        now = self._clock.monotonic()
        return [
            f"the watch of {what} has been silent for {now - reflector.last_contact:.0f} s"
            for what, reflector in self._reflectors.items()
            if now - reflector.last_contact > _SILENT_SECONDS and not reflector.last_error
        ]

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(TICK_SECONDS)
            self.leases.tick()


def _each(wake: Callable[[str], None], profiles: tuple[str, ...]) -> None:
    for profile in profiles:
        wake(profile)
