"""Events on objects, told in the background."""

from typing import Any

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock


class EventWriter:
    """Writes events.k8s.io/v1 Events without ever holding anybody up."""

    def __init__(
        self,
        client: Client,
        *,
        reporting_controller: str,
        reporting_instance: str,
        clock: Clock,
        capacity: int = 1000,
        workers: int = 4,
    ) -> None:
        self.written = 0
        self.dropped = 0
        self.failed = 0
        self.last_error = ""

    def post(
        self,
        *,
        regarding: dict[str, Any],
        reason: str,
        note: str,
        type: str,  # noqa: A002 - the field's word
        action: str,
        related: dict[str, Any] | None = None,
    ) -> None:
        """Queue one event and return at once."""

    async def run(self) -> None:
        """Write queued events until cancelled."""
