"""One policy's scheduler between watch and binder: no pod decided twice, no room held for nothing."""

import random
from collections.abc import Callable
from typing import Any, cast

import pytest
from tests.unit.engine_process.harness import ours
from tests.unit.engine_process.policies import policy

from pointsman.api.report import Attempts, Pending
from pointsman.engine.announce.announce import Announcer
from pointsman.engine.announce.pod_condition import Failure
from pointsman.engine.binding.assumption import Assumption
from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.engine.policy_state import Surroundings
from pointsman.engine.preemption.eviction import Eviction
from pointsman.engine.report.metrics import Metrics
from pointsman.engine.scheduler import PolicyScheduler
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import PodBuilder, node
from pointsman.testing.clock import VirtualClock


class Bench:
    """A scheduler on one node of 4 cpu, its announcements and the bindings that it asks for."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.cluster = Cluster()
        self.cluster.upsert_node(node("n1").cpu("4").build())
        self.submitted: list[Assumption] = []
        self.said: list[str] = []
        self.evictions: list[Eviction] = []
        around = Surroundings(
            self.cluster,
            self.clock,
            random.Random(1),
            Metrics("0"),
            self._broadcast,
            self._submit,
            lambda _: (),
            self.evictions.append,
            lambda: True,
        )
        self.scheduler = PolicyScheduler(policy(), cast("Announcer", self), around)

    def _submit(self, assumption: Assumption, settle: Callable[[Assumption, Outcome], None]) -> None:
        self.submitted.append(assumption)
        self.settle = settle

    def _broadcast(self, changes: Changes) -> None:
        self.scheduler.changed(changes)

    # the announcer

    def failed(self, pod: PodInfo, failure: Failure, nomination: str | None) -> None:  # noqa: ARG002 - not asked here
        self.said.append(f"{pod.name}: {failure.reason}: {failure.message}")

    def bound(self, pod: PodInfo, node_name: str) -> None:
        self.said.append(f"{pod.name}: bound to {node_name}")

    def stranded(self, pod: PodInfo, node_name: str) -> None:
        self.said.append(f"{pod.name}: stranded on {node_name}")

    def assumed(self, pod: PodInfo) -> None: ...
    def seen(self, pod: PodInfo) -> None: ...
    def gone(self, uid: str) -> None: ...

    # the watch

    def pending(self, builder: PodBuilder) -> None:
        self.scheduler.pod_pending(builder.info())

    def assigned(self, builder: PodBuilder, node_name: str = "n1") -> None:
        info = builder.on(node_name).info()
        self.scheduler.pod_assigned(info)
        self._broadcast(self.cluster.upsert_pod(info))

    def deleted(self, builder: PodBuilder) -> None:
        uid = builder.build().metadata.uid
        self.scheduler.pod_gone(uid)
        self._broadcast(self.cluster.remove_pod(uid))

    def decide(self) -> list[str]:
        """Try every pod that can be tried; names of those for which a binding was asked."""
        before = len(self.submitted)
        while self.scheduler.has_next():
            self.scheduler.schedule_next()
        return [assumption.pod.name for assumption in self.submitted[before:]]

    def ended(self, verdict: Verdict, message: str = "") -> None:
        """The last binding that was asked for has ended."""
        self.settle(self.submitted[-1], Outcome(verdict, message))


def test_events_of_a_pod_on_its_way_do_not_make_a_second_decision() -> None:
    bench = Bench()
    bench.pending(ours("p"))
    assert bench.decide() == ["p"]
    bench.pending(ours("p").label("seen", "while binding"))
    assert bench.decide() == []
    bench.ended(Verdict.BOUND)
    bench.pending(ours("p").label("seen", "late"))  # an event from before the binding
    assert bench.decide() == []
    bench.assigned(ours("p"))
    assert bench.scheduler.report().pending == Pending()
    assert bench.said == ["p: bound to n1"]


@pytest.mark.parametrize("seen_first", [True, False], ids=["the watch shows it first", "the answer comes first"])
def test_a_binding_is_counted_once_whatever_comes_first(seen_first: bool) -> None:
    bench = Bench()
    bench.pending(ours("p").container(cpu="3"))
    bench.decide()
    if seen_first:
        bench.assigned(ours("p").container(cpu="3"))
    bench.ended(Verdict.BOUND)
    if not seen_first:
        bench.assigned(ours("p").container(cpu="3"))
    assert bench.scheduler.report().attempts == Attempts(scheduled=1)
    assert bench.cluster.requested("cpu")[0] == 3000


def test_a_failure_that_the_watch_contradicts_is_none() -> None:
    bench = Bench()
    bench.pending(ours("p"))
    bench.decide()
    bench.assigned(ours("p"))
    bench.ended(Verdict.FAILED, "timed out")
    assert bench.said == ["p: bound to n1"]
    assert bench.scheduler.report().attempts == Attempts(scheduled=1)


def test_the_room_of_a_failed_binding_is_free_for_others_at_once() -> None:
    bench = Bench()
    bench.pending(ours("p").container(cpu="3"))
    bench.pending(ours("q").container(cpu="3"))
    assert bench.decide() == ["p"]
    bench.ended(Verdict.FAILED, "broken")
    assert bench.decide() == ["q"]
    assert bench.cluster.requested("cpu")[0] == 3000
    assert bench.said == [
        "q: Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
        "p: SchedulerError: broken",
    ]


def test_a_failed_pod_is_tried_again_in_its_newest_version() -> None:
    bench = Bench()
    bench.pending(ours("p").container(cpu="3"))
    bench.decide()
    bench.pending(ours("p").container(cpu="3").label("version", "new"))
    bench.ended(Verdict.FAILED, "broken")
    bench.clock.jump(3)
    bench.scheduler.flush()
    assert bench.decide() == ["p"]
    assert bench.submitted[-1].pod.pod.metadata.labels == {"version": "new"}


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(lambda bench, pod: bench.deleted(pod), id="deleted"),
        pytest.param(lambda bench, pod: bench.pending(pod.terminating()), id="being deleted"),
    ],
)
def test_a_pod_that_is_deleted_while_it_is_bound_frees_its_room_and_does_not_come_back(leave: Any) -> None:
    bench = Bench()
    bench.pending(ours("p").container(cpu="3"))
    bench.pending(ours("q").container(cpu="3"))
    bench.decide()
    leave(bench, ours("p").container(cpu="3"))
    assert bench.decide() == ["q"]
    bench.settle(bench.submitted[0], Outcome(Verdict.FAILED, "409"))
    bench.clock.jump(30)
    bench.scheduler.flush()
    assert bench.decide() == []
    assert [line for line in bench.said if line.startswith("p:")] == []


def test_a_binding_that_was_withheld_is_repeated_without_a_word() -> None:
    bench = Bench()
    bench.pending(ours("p"))
    bench.decide()
    bench.ended(Verdict.WITHHELD)
    assert bench.cluster.pod_count()[0] == 0
    bench.clock.jump(3)
    bench.scheduler.flush()
    assert bench.decide() == ["p"]
    assert bench.said == []
    assert bench.scheduler.report().attempts == Attempts()


def test_a_pod_that_somebody_else_bound_leaves_the_queue() -> None:
    bench = Bench()
    bench.pending(ours("p"))
    bench.assigned(ours("p"), "n2")
    assert bench.decide() == []
    assert bench.scheduler.report().pending == Pending()


def test_a_pod_being_deleted_is_not_tried() -> None:
    bench = Bench()
    bench.pending(ours("new").terminating())
    bench.pending(ours("p"))
    bench.pending(ours("p").terminating())
    assert bench.decide() == []
    assert bench.scheduler.report().pending == Pending()


def test_a_pod_that_cannot_be_read_waits_until_it_is_changed() -> None:
    bench = Bench()
    bench.pending(ours("p").container(cpu="lots"))
    assert bench.decide() == []
    assert len(bench.said) == 1
    assert bench.said[0].startswith("p: Unschedulable: ")
    assert "lots" in bench.said[0]
    bench.pending(ours("p").container(cpu="1"))
    assert bench.decide() == ["p"]


@pytest.mark.parametrize(("seconds", "stranded"), [(1, True), (60, False)], ids=["at once", "much later"])
def test_a_node_that_goes_right_after_a_binding_leaves_a_pod_stranded(seconds: float, stranded: bool) -> None:
    bench = Bench()
    bench.pending(ours("p"))
    bench.decide()
    bench.ended(Verdict.BOUND)
    bench.clock.jump(seconds)
    bench.scheduler.node_removed("n1")
    assert ("p: stranded on n1" in bench.said) is stranded


def test_pods_of_lower_priority_are_woken_when_a_nominated_pod_goes() -> None:
    bench = Bench()
    bench.pending(ours("vip").container(cpu="4").priority(9).gate("later").status(nominated_node_name="n1"))
    bench.pending(ours("p").container(cpu="4"))
    assert bench.decide() == []
    bench.deleted(ours("vip"))
    assert bench.decide() == ["p"]


def test_latency_counts_from_the_moment_without_gates() -> None:
    bench = Bench()
    bench.pending(ours("p").gate("hold"))
    bench.clock.jump(60)
    bench.pending(ours("p"))
    bench.decide()
    bench.clock.jump(0.25)
    bench.ended(Verdict.BOUND)
    assert bench.scheduler.report().p99_milliseconds == 250


def test_a_pod_that_goes_elsewhere_than_it_was_nominated_gives_way_to_those_that_yielded() -> None:
    bench = Bench()
    bench.cluster.upsert_node(node("n1").cpu("4").taint("x").build())
    bench.cluster.upsert_node(node("n2").cpu("2").build())
    bench.pending(ours("yields").container(cpu="4").tolerate("x"))
    bench.pending(ours("nominated").container(cpu="2").status(nominated_node_name="n1"))
    assert bench.decide() == ["nominated", "yields"]
    assert [assumption.node for assumption in bench.submitted] == ["n2", "n1"]
