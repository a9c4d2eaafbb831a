"""Metric names, labels and buckets that dashboards made for kube-scheduler rely on."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pointsman.engine.queue.queued_pod import Place
from pointsman.engine.report.metrics import Metrics, Reading


def _metrics() -> Metrics:
    metrics = Metrics("1.2.3")
    metrics.attempt("scheduled", "p", 0.003)
    metrics.placed(1, 0.02, flushed=True)
    metrics.placed(15, 0.02, flushed=False)
    metrics.algorithm_seconds.observe(0.0005)
    metrics.arrived(Place.ACTIVE, "UnschedulablePodAdd")
    return metrics


def _samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        ("scheduler_schedule_attempts_total", {"result": "scheduled", "profile": "p"}, 1),
        ("scheduler_scheduling_attempt_duration_seconds_count", {"result": "scheduled", "profile": "p"}, 1),
        ("scheduler_scheduling_algorithm_duration_seconds_count", {}, 1),
        ("scheduler_pod_scheduling_sli_duration_seconds_count", {"attempts": "1"}, 1),
        ("scheduler_pod_scheduling_sli_duration_seconds_count", {"attempts": "15+"}, 1),
        ("scheduler_pod_scheduling_attempts_count", {}, 2),
        ("scheduler_pod_scheduled_after_flush_total", {}, 1),
        ("scheduler_queue_incoming_pods_total", {"queue": "active", "event": "UnschedulablePodAdd"}, 1),
    ],
)
def test_kube_schedulers_names_and_labels(name: str, labels: dict[str, str], value: float) -> None:
    assert _samples(_metrics())[name, tuple(sorted(labels.items()))] == value


@pytest.mark.parametrize(
    ("name", "first", "last", "count"),
    [
        pytest.param("scheduler_scheduling_attempt_duration_seconds", 0.001, 0.001 * 2**14, 15, id="attempts"),
        pytest.param("scheduler_scheduling_algorithm_duration_seconds", 0.001, 0.001 * 2**14, 15, id="algorithm"),
        pytest.param("scheduler_pod_scheduling_attempts", 1, 16, 5, id="attempts of a pod"),
        pytest.param("scheduler_pod_scheduling_sli_duration_seconds", 0.01, 0.01 * 2**19, 20, id="sli"),
    ],
)
def test_kube_schedulers_buckets(name: str, first: float, last: float, count: int) -> None:
    bounds = {float(dict(labels)["le"]) for metric, labels in _samples(_metrics()) if metric == f"{name}_bucket"} - {
        float("inf")
    }
    assert (min(bounds), max(bounds), len(bounds)) == (first, last, count)


def test_gauges_are_read_when_asked_and_added_up_over_policies() -> None:
    metrics = Metrics("1.2.3")
    waiting = [2, 3]  # of two policies
    metrics.on_scrape(lambda: [Reading("scheduler_pending_pods", ("active",), waiting[0])])
    metrics.on_scrape(lambda: [Reading("scheduler_pending_pods", ("active",), waiting[1])])
    key = ("scheduler_pending_pods", (("queue", "active"),))
    assert _samples(metrics)[key] == 5
    waiting[1] = 0
    assert _samples(metrics)[key] == 2


def test_the_build_is_told() -> None:
    assert any(
        name == "pointsman_build_info" and dict(labels)["version"] == "1.2.3" for name, labels in _samples(_metrics())
    )
