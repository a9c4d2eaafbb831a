"""Which of two pods is worth more: priority first, then who has run longer (pkg/scheduler/util/utils.go, 1.36)."""

import math
from datetime import UTC, datetime
from functools import lru_cache

from pointsman.policy.pod import PodInfo


def start_time(pod: PodInfo) -> float:
    """When the pod started, in seconds of the Unix epoch; one that has not started counts as starting last."""
    return _seconds(pod.pod.status.start_time)


def by_importance(pod: PodInfo) -> tuple[int, float]:
    """A sort key that puts the most important pod first. kube-scheduler leaves the order of equals open."""
    return (-pod.priority, start_time(pod))


@lru_cache(maxsize=8192)
def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.inf
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
