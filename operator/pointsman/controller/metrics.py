"""The operator's own metrics, all of them, under the names that dashboards and alerts use.

No label has unbounded values: profiles, the kinds of children, condition types and a few results.
"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pointsman.api.reasons import ConditionType
from pointsman.api.status import ProfileStatus

_STATUSES: Final = ("True", "False", "Unknown")
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Counts and gauges of one operator process, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.reconciles = Counter(
            "schedulerprofile_reconcile", "Reconciles, by result.", ["result"], registry=self._registry
        )
        self.seconds = Histogram(
            "schedulerprofile_reconcile_duration_seconds",
            "Time of one reconcile.",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.drift = Counter(
            "schedulerprofile_drift_corrected",
            "Children that somebody had changed and that were put right, by kind.",
            ["kind"],
            registry=self._registry,
        )
        self.leader = Gauge("schedulerprofile_leader", "1 if this operator leads.", registry=self._registry)
        self._conditions = Gauge(
            "schedulerprofile_condition",
            "1 for the status that a condition of a profile has; none for a condition that is absent.",
            ["profile", "type", "status"],
            registry=self._registry,
        )

    def show(self, profile: str, status: ProfileStatus) -> None:
        """Set the gauges of a profile's conditions."""
        there = {condition.type: condition.status for condition in status.conditions}
        for kind in ConditionType:
            for value in _STATUSES:
                if kind in there:
                    self._conditions.labels(profile, kind, value).set(there[kind] == value)
                else:
                    self._conditions.remove(profile, kind, value)

    def forget(self, profile: str) -> None:
        """A profile is gone."""
        self._conditions.remove_by_labels({"profile": profile})

    def page(self) -> bytes:
        """The metrics in Prometheus' text format."""
        return generate_latest(self._registry)
