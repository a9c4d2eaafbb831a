"""All Leases of the fleet, mirrored: who leads, when that was last seen to be renewed, and what it reported.

A renewal comes every two seconds and is not worth a reconcile. What is: another holder, another report, and silence,
which no event tells. So `tick` compares what a plan would see now with what it saw last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pointsman.api.names import REPORT_ANNOTATION, WANTED_POLICY_ANNOTATION, engine_name
from pointsman.api.report import Report, decode
from pointsman.controller.plan.world import HeldReport, Leadership
from pointsman.kube.clock import Clock
from pointsman.kube.objects import Lease
from pointsman.kube.reflector import EventType, WatchEvent

Wake = Callable[[str], None]

TICK_SECONDS = 2.0
_NEVER = float("-inf")


@dataclass(slots=True)
class _Entry:
    """One Lease as last seen; times are monotonic seconds of our own clock."""

    uid: str
    renewal: tuple[str, str] = ("", "")  # holder and renewTime
    renewed_at: float = _NEVER
    text: str = ""
    report: Report | None = None
    author_seen_at: float = _NEVER
    ours: tuple[object, ...] = ()  # what the operator wrote: it heals that
    told: tuple[object, ...] = ()


class LeaseBook:
    """Leadership and report by profile. `wake` is called with a profile's name when a plan would see another one."""

    def __init__(self, wake: Wake, clock: Clock) -> None:
        self._wake = wake
        self._clock = clock
        self._entries: dict[str, _Entry] = {}

    def on_events(self, events: Sequence[WatchEvent[Lease]]) -> None:
        """Take in what a reflector saw."""
        for event in events:
            name = event.object.metadata.name
            if event.type is EventType.DELETED:
                self._entries.pop(name, None)
                self._wake(_profile(name))
            else:
                self._see(event.object)
        self.tick()

    def tick(self) -> None:
        """Wake the profiles whose leadership or report is not what it was, be it by time alone."""
        for name, entry in self._entries.items():
            leadership, report = self._leadership(entry), self._report(entry, name)
            fresh = report is not None and report.fresh
            told = (leadership.holder, leadership.held, leadership.lapsed, entry.text, fresh, entry.ours)
            if told != entry.told:
                entry.told = told
                self._wake(_profile(name))

    def leadership(self, profile: str) -> Leadership:
        """Who leads a profile's engines."""
        entry = self._entries.get(engine_name(profile))
        return self._leadership(entry) if entry is not None else Leadership()

    def report(self, profile: str) -> HeldReport | None:
        """What the last leader that reported has said of a profile."""
        name = engine_name(profile)
        entry = self._entries.get(name)
        return self._report(entry, name) if entry is not None else None

    def _see(self, lease: Lease) -> None:
        metadata, spec, now = lease.metadata, lease.spec, self._clock.monotonic()
        entry = self._entries.get(metadata.name)
        if entry is None or entry.uid != metadata.uid:
            entry = self._entries[metadata.name] = _Entry(metadata.uid)
        wanted = metadata.annotations.get(WANTED_POLICY_ANNOTATION)
        entry.ours = (metadata.labels, metadata.owner_references, wanted)
        text = metadata.annotations.get(REPORT_ANNOTATION, "")
        if text != entry.text:
            entry.text, entry.report = text, decode(text) if text else None
        holder = (spec.holder_identity if spec is not None else None) or ""
        renewal = (holder, (spec.renew_time if spec is not None else None) or "")
        if holder and renewal != entry.renewal:
            entry.renewed_at = now
            if entry.report is not None and entry.report.pod == holder:
                entry.author_seen_at = now
        entry.renewal = renewal

    def _leadership(self, entry: _Entry) -> Leadership:
        return Leadership(entry.renewal[0], self._clock.monotonic() - entry.renewed_at)

    def _report(self, entry: _Entry, name: str) -> HeldReport | None:
        told = entry.report.profiles.get(_profile(name)) if entry.report is not None else None
        if entry.report is None or told is None:
            return None
        age = self._clock.monotonic() - entry.author_seen_at
        return HeldReport(entry.report.pod, entry.report.updated_at, told, age)


def _profile(lease: str) -> str:
    return lease.removeprefix(engine_name(""))
