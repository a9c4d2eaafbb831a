"""Prometheus metrics under kube-scheduler's names, so that its dashboards and alerts work unchanged.

Names, help texts' meaning, labels and buckets are those of pkg/scheduler/metrics/metrics.go, 1.36, for what this engine
does. What Pointsman alone has begins with `pointsman_`. Counters and histograms are fed as things happen; gauges are
read from their owners at each scrape (`on_scrape`).
"""

import platform
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from pointsman.engine.queue.queued_pod import Place

MAX_ATTEMPTS_LABEL = 15


class GaugeKind(NamedTuple):
    """What a gauge tells and which labels it has."""

    help: str
    labels: tuple[str, ...]


class Reading(NamedTuple):
    """One value of one of the GAUGES."""

    gauge: str
    labels: tuple[str, ...]
    value: float


GAUGES: Mapping[str, GaugeKind] = {
    "scheduler_pending_pods": GaugeKind("Waiting pods, by queue.", ("queue",)),
    "scheduler_unschedulable_pods": GaugeKind(
        "Pods that wait because of this plugin; one pod can count under several.", ("plugin", "profile")
    ),
    "scheduler_cache_size": GaugeKind("What the cache holds: nodes, pods, assumed_pods.", ("type",)),
    "leader_election_master_status": GaugeKind("1 while this process holds the Lease.", ("name",)),
    "pointsman_watch_age_seconds": GaugeKind("Seconds since a watch last brought anything, or began.", ("resource",)),
}


def _exponential(start: float, factor: float, count: int) -> tuple[float, ...]:
    return tuple(start * factor**power for power in range(count))


class Metrics:
    """All metrics of one process, in a registry of their own."""

    def __init__(self, version: str) -> None:
        self._registry = registry = CollectorRegistry()
        self._gauges = _Gauges()
        registry.register(self._gauges)
        self.attempts = Counter(
            "scheduler_schedule_attempts",
            "Attempts to schedule pods, by result: scheduled, unschedulable (no node fits), error (our own trouble).",
            ("result", "profile"),
            registry=registry,
        )
        self.attempt_seconds = Histogram(
            "scheduler_scheduling_attempt_duration_seconds",
            "Duration of an attempt: decision and binding.",
            ("result", "profile"),
            buckets=_exponential(0.001, 2, 15),
            registry=registry,
        )
        self.algorithm_seconds = Histogram(
            "scheduler_scheduling_algorithm_duration_seconds",
            "Duration of a decision.",
            buckets=_exponential(0.001, 2, 15),
            registry=registry,
        )
        self.sli_seconds = Histogram(
            "scheduler_pod_scheduling_sli_duration_seconds",
            "Time from a pod's first way into the active queue to its binding, by the number of attempts.",
            ("attempts",),
            buckets=_exponential(0.01, 2, 20),
            registry=registry,
        )
        self.pod_attempts = Histogram(
            "scheduler_pod_scheduling_attempts",
            "Attempts that it took to place a pod.",
            buckets=_exponential(1, 2, 5),
            registry=registry,
        )
        self.after_flush = Counter(
            "scheduler_pod_scheduled_after_flush",
            "Pods that were placed after the five-minute flush, not a change, had woken them.",
            registry=registry,
        )
        self.preemption_attempts = Counter(
            "scheduler_preemption_attempts",
            "Times that preemption was considered for a pod that fits nowhere.",
            registry=registry,
        )
        self.preemption_victims = Histogram(
            "scheduler_preemption_victims",
            "Pods that had to go for one pod.",
            buckets=_exponential(1, 2, 7),
            registry=registry,
        )
        self.incoming = Counter(
            "scheduler_queue_incoming_pods",
            "Pods that entered a queue, by queue and by what brought them there.",
            ("queue", "event"),
            registry=registry,
        )
        self.bind_conflicts = Counter(
            "pointsman_bind_conflicts", "Pods that somebody else had bound.", ("profile",), registry=registry
        )
        self.stranded = Counter(
            "pointsman_pods_bound_to_removed_node",
            "Pods whose node was removed while they were being bound to it.",
            ("profile",),
            registry=registry,
        )
        build = Gauge("pointsman_build_info", "Always 1.", ("version", "python_version"), registry=registry)
        build.labels(version, platform.python_version()).set(1)

    def arrived(self, place: Place, event: str) -> None:
        """A pod entered a queue."""
        self.incoming.labels(place.value, event).inc()

    def attempt(self, result: str, profile: str, seconds: float) -> None:
        """An attempt ended: scheduled, unschedulable or error."""
        self.attempts.labels(result, profile).inc()
        self.attempt_seconds.labels(result, profile).observe(seconds)

    def placed(self, attempts: int, waited: float, *, flushed: bool) -> None:
        """A pod was bound after so many attempts and seconds."""
        self.pod_attempts.observe(attempts)
        label = str(attempts) if attempts < MAX_ATTEMPTS_LABEL else f"{MAX_ATTEMPTS_LABEL}+"
        self.sli_seconds.labels(label).observe(waited)
        if flushed:
            self.after_flush.inc()

    def on_scrape(self, read: Callable[[], Iterable[Reading]]) -> None:
        """Ask `read` for the gauges of this moment at each scrape."""
        self._gauges.readers.append(read)

    def text(self) -> bytes:
        """The answer to a scrape, in the text format."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    """Asks the owners. Readings of one gauge and one set of labels are added up: several policies, one process."""

    def __init__(self) -> None:
        self.readers: list[Callable[[], Iterable[Reading]]] = []

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return []  # nothing is known before the first scrape

    def collect(self) -> Iterable[GaugeMetricFamily]:
        sums: dict[str, dict[tuple[str, ...], float]] = {name: {} for name in GAUGES}
        for reading in (one for read in self.readers for one in read()):
            values = sums[reading.gauge]
            values[reading.labels] = values.get(reading.labels, 0.0) + reading.value
        for name, values in sums.items():
            gauge = GAUGES[name]
            family = GaugeMetricFamily(name, gauge.help, labels=gauge.labels)
            for labels, value in values.items():
                family.add_metric(labels, value)
            yield family
