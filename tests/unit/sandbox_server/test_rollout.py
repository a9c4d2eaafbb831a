"""How a Deployment moves from one ReplicaSet to the next: the arithmetic, and what its status says meanwhile."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.controllers.objects import Item, ItemMetadata
from pointsman.sandbox.controllers.rollout import (
    Counts,
    Strategy,
    strategy_of,
    template_hash,
    wanted_replicas,
    without_hash,
)
from pointsman.sandbox.controllers.rollout_status import Rollout, seconds_to_deadline, status_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"replicas": 10}, Strategy(10, 3, 2)),  # 25 % of 10: 2.5, rounded up and down
        ({"replicas": 1}, Strategy(1, 1, 0)),
        ({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}}, Strategy(4, 0, 1)),
        ({"replicas": 4, "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}, Strategy(4, 1, 0)),
        ({"replicas": 2, "strategy": {"type": "Recreate"}}, Strategy(2, None, 2)),
    ],
    ids=["quarters", "one", "never both zero", "absolute", "recreate"],
)
def test_a_strategy_is_read_as_numbers(spec: dict[str, Any], expected: Strategy) -> None:
    assert strategy_of(spec) == expected


SURGE = Strategy(3, 1, 0)


@pytest.mark.parametrize(
    ("strategy", "new", "old", "expected"),
    [
        (SURGE, (0, 0, 0), [], {"new": 3}),
        (SURGE, (0, 0, 0), [(3, 3, 3)], {"new": 1}),
        (SURGE, (1, 1, 0), [(3, 3, 3)], {}),
        (SURGE, (1, 1, 1), [(3, 3, 3)], {"old0": 2}),
        (SURGE, (1, 1, 1), [(2, 2, 2)], {"new": 2}),
        (SURGE, (3, 3, 3), [], {}),
        (SURGE, (4, 4, 4), [], {"new": 3}),
        (SURGE, (1, 1, 0), [(3, 3, 1)], {}),
        (SURGE, (0, 0, 0), [(1, 1, 0), (3, 3, 3)], {"old0": 0}),
        (Strategy(3, 0, 1), (0, 0, 0), [(3, 3, 3)], {"old0": 2}),
        (Strategy(2, None, 2), (0, 0, 0), [(2, 2, 2)], {"old0": 0}),
        (Strategy(2, None, 2), (0, 0, 0), [(0, 1, 0)], {}),
        (Strategy(2, None, 2), (0, 0, 0), [(0, 0, 0)], {"new": 2}),
    ],
    ids=["first", "surge", "waits for the surge", "an old one goes", "the next comes", "done", "scaled down",
         "nothing to spare", "a sick old one goes first", "unavailability first", "recreate: all go", "recreate: waits",
         "recreate: all come"],
)  # fmt: skip
def test_one_step_of_a_rollout(
    strategy: Strategy, new: tuple[int, int, int], old: list[tuple[int, int, int]], expected: dict[str, int]
) -> None:
    olds = [Counts(f"old{place}", *counts) for place, counts in enumerate(old)]
    assert wanted_replicas(strategy, Counts("new", *new), olds) == expected


@given(
    replicas=st.integers(0, 12),
    surge=st.integers(0, 4),
    unavailable=st.integers(0, 4),
    old=st.lists(st.integers(0, 8), max_size=3),
)
def test_a_rollout_ends_and_keeps_its_promises(replicas: int, surge: int, unavailable: int, old: list[int]) -> None:
    """With pods that are available at once: at most `surge` too many and `unavailable` too few, until all are new."""
    spec = {"replicas": replicas, "strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}
    strategy = strategy_of(spec)
    counts = {"new": 0, **{f"old{place}": count for place, count in enumerate(old)}}
    most = max(replicas + (strategy.surge or 0), sum(counts.values()))
    least = min(replicas - strategy.unavailable, sum(counts.values()))
    for _ in range(60):
        states = {name: Counts(name, count, count, count) for name, count in counts.items()}
        changes = wanted_replicas(strategy, states["new"], [states[name] for name in counts if name != "new"])
        if not changes:
            break
        counts |= changes
        assert least <= sum(counts.values()) <= most
    assert counts == {"new": replicas, **{f"old{place}": 0 for place in range(len(old))}}


def test_equal_templates_have_one_hash_and_others_another() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}}
    labelled = {"metadata": {"labels": {"a": "b", "pod-template-hash": "zzz"}}, "spec": {"x": 1}}
    assert without_hash(labelled) == template
    assert template_hash(template) == template_hash({"spec": {"x": 1}, "metadata": {"labels": {"a": "b"}}})
    assert template_hash(template) != template_hash({**template, "spec": {"x": 2}})


def item(name: str, spec: dict[str, Any], status: dict[str, Any]) -> Item:
    return Item(metadata=ItemMetadata(name=name, namespace="room", uid=name, generation=2), spec=spec, status=status)


def rollout(new: dict[str, Any], last: dict[str, Any] | None = None) -> Rollout:
    """A Deployment of two pods, its status so far, and the counts of its new ReplicaSet."""
    deployment = item("web", {"replicas": 2, "progressDeadlineSeconds": 60}, last or {})
    return Rollout(deployment, item("web-x", {"replicas": 2}, new), (), Strategy(2, 1, 0))


def told(status: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}


def test_a_rollout_is_told_from_its_start_to_its_end() -> None:
    first = status_of(rollout({"replicas": 2}), NOW)
    assert told(first) == {
        "Available": ("False", "MinimumReplicasUnavailable"),
        "Progressing": ("True", "ReplicaSetUpdated"),
    }
    assert first["unavailableReplicas"] == 2
    up = {"replicas": 2, "readyReplicas": 2, "availableReplicas": 2}
    last = status_of(rollout(up, first), NOW + timedelta(seconds=5))
    assert told(last) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }
    assert "unavailableReplicas" not in last
    assert status_of(rollout(up, last), NOW + timedelta(hours=1)) == last


def test_a_rollout_that_stands_still_is_told_after_its_deadline() -> None:
    stuck = rollout({"replicas": 2})
    first = status_of(stuck, NOW)
    again = rollout({"replicas": 2}, first)
    assert seconds_to_deadline(again, first, NOW) == 61
    assert told(status_of(again, NOW + timedelta(seconds=59)))["Progressing"] == ("True", "ReplicaSetUpdated")
    late = status_of(again, NOW + timedelta(seconds=60))
    assert told(late)["Progressing"] == ("False", "ProgressDeadlineExceeded")
    assert seconds_to_deadline(again, late, NOW) is None
    progress = next(one for one in late["conditions"] if one["type"] == "Progressing")
    assert progress["lastTransitionTime"] == rfc3339(NOW + timedelta(seconds=60))
