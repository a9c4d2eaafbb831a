"""Events on pods: kube-scheduler's words, and no flood of equal ones."""

from typing import Any, cast

from pointsman.engine.announce.announce import REPEAT_SECONDS, Announcer
from pointsman.engine.announce.conditions import ConditionWriter
from pointsman.engine.announce.pod_condition import Failure, FailureReason
from pointsman.kube.events import EventWriter
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import pod
from pointsman.testing.clock import VirtualClock

CPU = Failure(FailureReason.UNSCHEDULABLE, "0/1 nodes are available: 1 Insufficient cpu.")
TAINT = Failure(FailureReason.UNSCHEDULABLE, "0/1 nodes are available: 1 node(s) were unschedulable.")
P = pod("p").metadata(resource_version="7").info()


class Heard:
    """Takes what an announcer says."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.told: list[Failure] = []
        self.clock = VirtualClock()
        self.announcer = Announcer(cast("EventWriter", self), cast("ConditionWriter", self), self.clock)

    def post(self, **event: Any) -> None:
        self.events.append(event)

    def tell(self, _pod: PodInfo, failure: Failure, _nomination: str | None) -> None:
        self.told.append(failure)

    def forget(self, uid: str) -> None:
        assert uid == P.uid

    @property
    def notes(self) -> list[str]:
        return [event["note"] for event in self.events]


def test_a_failure_is_an_event_on_the_pod_and_a_condition() -> None:
    heard = Heard()
    heard.announcer.failed(P, CPU)
    assert heard.told == [CPU]
    assert heard.events == [
        {
            "regarding": {
                "apiVersion": "v1",
                "kind": "Pod",
                "namespace": "default",
                "name": "p",
                "uid": "pod-default-p",
                "resourceVersion": "7",
            },
            "type": "Warning",
            "reason": "FailedScheduling",
            "action": "Scheduling",
            "note": "0/1 nodes are available: 1 Insufficient cpu.",
        }
    ]


def test_a_hopeless_pod_does_not_repeat_itself_until_the_series_would_end() -> None:
    heard = Heard()
    for _ in range(5):
        heard.announcer.failed(P, CPU)
        heard.clock.jump(10)
    assert heard.notes == [CPU.message]
    heard.clock.jump(REPEAT_SECONDS)
    heard.announcer.failed(P, CPU)
    assert heard.notes == [CPU.message] * 2
    assert heard.told == [CPU] * 6  # the condition knows by itself what is news


def test_another_reason_is_news_and_so_is_another_pod() -> None:
    heard = Heard()
    heard.announcer.failed(P, CPU)
    heard.announcer.failed(P, TAINT)
    heard.announcer.failed(P, CPU)
    heard.announcer.failed(pod("q").info(), CPU)
    assert heard.notes == [CPU.message, TAINT.message, CPU.message, CPU.message]


def test_other_counts_of_nodes_are_no_news_but_for_the_condition() -> None:
    """Else every pod that waits in a busy cluster would make an event at each attempt."""
    heard = Heard()
    failures = [
        Failure(
            FailureReason.UNSCHEDULABLE, f"0/{100 + n} nodes are available: {n} Insufficient cpu, 100 Too many pods."
        )
        for n in (9, 10, 42)
    ]
    for failure in failures:
        heard.announcer.failed(P, failure)
    assert heard.notes == [failures[0].message]
    assert heard.told == failures


def test_nothing_is_remembered_of_a_pod_that_is_gone() -> None:
    heard = Heard()
    heard.announcer.failed(P, CPU)
    heard.announcer.gone(P.uid)
    heard.announcer.failed(P, CPU)
    assert len(heard.events) == 2


def test_a_success_names_the_pod_and_its_node() -> None:
    heard = Heard()
    heard.announcer.bound(P, "n1")
    (event,) = heard.events
    assert (event["type"], event["reason"], event["action"]) == ("Normal", "Scheduled", "Binding")
    assert event["note"] == "Successfully assigned default/p to n1"


def test_a_preempted_pod_is_told_by_whom() -> None:
    heard = Heard()
    heard.announcer.preempted(pod("victim").info(), P, "n1")
    (event,) = heard.events
    assert (event["regarding"]["name"], event["related"]["name"]) == ("victim", "p")
    assert (event["type"], event["reason"], event["action"]) == ("Normal", "Preempted", "Preempting")
    assert event["note"] == "Preempted by pod pod-default-p on node n1"
