"""What is there around a profile at one moment: the input of the plan, gathered once and never changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pointsman.api.names import LEASE_DURATION_SECONDS
from pointsman.api.report import Pending, ProfileReport
from pointsman.controller.plan.engines import Engine
from pointsman.controller.plan.images import AllowedImages
from pointsman.controller.plan.profile import Sibling
from pointsman.controller.render.children import Fleet, Identity, LiveChild, Ownership


@dataclass(frozen=True, slots=True)
class Leadership:
    """Who holds a profile's Lease, as seen from here.

    `silent_seconds` is the time since any holder was last seen to renew, by our own monotonic clock: the clocks of
    other machines are not trusted. It is infinite when nobody ever did.
    """

    holder: str = ""
    silent_seconds: float = float("inf")

    @property
    def held(self) -> bool:
        return bool(self.holder) and not self.lapsed

    @property
    def lapsed(self) -> bool:
        """Nobody leads, and for longer than a hand-over takes."""
        return self.silent_seconds >= LEASE_DURATION_SECONDS


@dataclass(frozen=True, slots=True)
class HeldReport:
    """The last report on a Lease, and the seconds since its author was last seen to renew that Lease."""

    author: str
    updated_at: str
    profile: ProfileReport
    age_seconds: float

    @property
    def fresh(self) -> bool:
        return self.age_seconds < LEASE_DURATION_SECONDS


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a plan may look at beside the profile itself.

    `children` are all objects under the names or with the label of the profile's children, `mounted` the short hashes
    of policies that a ReplicaSet still mounts, `waiting` our own count of pending pods where the report is not fresh.
    """

    fleet: Fleet
    images: AllowedImages
    siblings: tuple[Sibling, ...] = ()
    children: tuple[LiveChild, ...] = ()
    mounted: frozenset[str] = frozenset()
    engines: tuple[Engine, ...] = ()
    leadership: Leadership = field(default_factory=Leadership)
    report: HeldReport | None = None
    waiting: Pending | None = None

    def find(self, identity: Identity) -> LiveChild | None:
        """The object under a child's name, whoever owns it."""
        return next((child for child in self.children if child.identity == identity), None)

    def ours(self) -> Iterator[LiveChild]:
        """The objects that belong to this very profile."""
        return (child for child in self.children if child.ownership is Ownership.OURS)

    @property
    def leader(self) -> Engine | None:
        """The engine that holds the Lease, if its pod is known."""
        holder = self.leadership.holder if self.leadership.held else ""
        return next((engine for engine in self.engines if engine.pod == holder), None)
