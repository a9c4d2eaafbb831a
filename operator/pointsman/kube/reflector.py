"""A local mirror of one collection, kept by list and watch."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Generic

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.known import EventType, T, WatchEvent
from pointsman.kube.resources import Resource

__all__ = ["EventType", "Reflector", "WatchEvent"]


class Reflector(Generic[T]):
    """Mirrors one collection and reports every change, in batches."""

    def __init__(
        self,
        client: Client,
        resource: Resource,
        type: type[T],  # noqa: A002 - the field's word
        on_events: Callable[[Sequence[WatchEvent[T]]], None],
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self.synced = asyncio.Event()
        self.last_contact = clock.monotonic()
        self.last_error = ""

    async def run(self) -> None:
        """Mirror for ever."""
