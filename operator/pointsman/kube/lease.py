"""Who may write: leader election on a Lease, with a fence."""

import random
from collections.abc import Callable, Mapping

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.objects import Lease


def _ignore() -> None:
    return


def _ignore_holder(holder: str) -> None:
    del holder


def _no_annotations() -> Mapping[str, str]:
    return {}


def _no_patience(lease: Lease) -> float:
    del lease
    return 0.0


class Elector:
    """Takes, renews and releases one Lease."""

    def __init__(
        self,
        client: Client,
        namespace: str,
        name: str,
        identity: str,
        *,
        clock: Clock,
        rng: random.Random,
        create: bool,
        on_acquired: Callable[[], None] = _ignore,
        on_lost: Callable[[str], None] = _ignore_holder,
        annotations: Callable[[], Mapping[str, str]] = _no_annotations,
        patience: Callable[[Lease], float] = _no_patience,
    ) -> None:
        self.lease: Lease | None = None
        self.last_error = ""

    @property
    def holding(self) -> bool:
        """Acquired, and the deadline of the last successful write has not passed."""
        return False

    def may_write(self) -> bool:
        """Ask right before each write."""
        return self.holding

    async def run(self) -> None:
        """Take and renew until cancelled; then release."""
