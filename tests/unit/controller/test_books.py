"""What the mirrors tell, and when they wake a reconcile."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from pointsman.controller.gather.engine_book import EngineBook
from pointsman.controller.gather.image_book import ImageBook, ImagesConfigMap
from pointsman.controller.gather.lease_book import LeaseBook
from pointsman.controller.gather.roster import Roster
from pointsman.controller.plan.engines import EnginePod
from pointsman.controller.plan.images import AllowedImages
from pointsman.controller.wakes import Wakes
from pointsman.kube.objects import Lease
from pointsman.kube.reflector import EventType, WatchEvent
from pointsman.testing.clock import VirtualClock

REPORT = {"pod": "engine-a-1", "updatedAt": "2026-01-01T00:00:00Z", "version": 1}


class Woken(list[str]):
    """Names that were woken since the last look."""

    def look(self) -> list[str]:
        names = sorted(self)
        self.clear()
        return names


def report(scheduled: int) -> str:
    return json.dumps({**REPORT, "profiles": {"a": {"policyHash": "3f9c1a7be2", "attempts": {"scheduled": scheduled}}}})


class Leases:
    """A lease book with a hand on its clock."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.woken = Woken()
        self.book = LeaseBook(self.woken.append, self.clock)
        self.renewals = 0

    def renew(self, holder: str = "engine-a-1", text: str = "", **metadata: Any) -> list[str]:
        self.renewals += 1
        annotations = {"pointsman.dev/report": text} if text else {}
        lease = msgspec.convert(
            {
                "metadata": {"name": "engine-a", "uid": "u", "annotations": annotations, **metadata},
                "spec": {"holderIdentity": holder, "renewTime": str(self.renewals)},
            },
            Lease,
        )
        self.book.on_events([WatchEvent(EventType.MODIFIED, lease)])
        return self.woken.look()

    def wait(self, seconds: float) -> list[str]:
        self.clock.jump(seconds)
        self.book.tick()
        return self.woken.look()


def test_a_renewal_alone_wakes_nobody() -> None:
    leases = Leases()
    assert leases.renew() == ["a"]
    assert [leases.wait(2) + leases.renew() for _ in range(5)] == [[]] * 5


def test_another_holder_another_report_and_a_change_of_our_fields_wake() -> None:
    leases = Leases()
    leases.renew()
    assert leases.renew("engine-a-2") == ["a"]
    assert leases.renew("engine-a-2", report(1)) == ["a"]
    assert leases.renew("engine-a-2", report(1)) == []
    assert leases.renew("engine-a-2", report(2)) == ["a"]
    assert leases.renew("engine-a-2", report(2), labels={"x": "y"}) == ["a"]


def test_silence_wakes_once_when_the_lease_has_run_out() -> None:
    leases = Leases()
    leases.renew(text=report(1))
    assert leases.wait(14) == []
    assert leases.book.leadership("a").held
    assert leases.wait(2) == ["a"]
    assert not leases.book.leadership("a").held
    held = leases.book.report("a")
    assert held is not None
    assert not held.fresh
    assert leases.wait(60) == []


def test_a_release_is_seen_at_once_but_has_not_lapsed_yet() -> None:
    leases = Leases()
    leases.renew()
    assert leases.renew("") == ["a"]
    leadership = leases.book.leadership("a")
    assert (leadership.held, leadership.lapsed) == (False, False)
    assert leases.wait(16) == ["a"]
    assert leases.book.leadership("a").lapsed


def test_a_report_ages_from_its_authors_last_renewal() -> None:
    leases = Leases()
    leases.renew(text=report(1))
    leases.wait(10)
    leases.renew("engine-a-2", report(1))
    held = leases.book.report("a")
    assert held is not None
    assert held.age_seconds == 10
    leases.wait(6)
    leases.renew("engine-a-2", report(1))
    held = leases.book.report("a")
    assert held is not None
    assert not held.fresh
    assert leases.book.leadership("a").held


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', json.dumps({**REPORT, "profiles": {"b": {}}})])
def test_a_report_that_is_none_of_ours_is_no_report(text: str) -> None:
    leases = Leases()
    leases.renew(text=text)
    assert leases.book.report("a") is None


def test_a_lease_that_was_deleted_wakes_and_is_forgotten() -> None:
    leases = Leases()
    leases.renew(text=report(1))
    lease = msgspec.convert({"metadata": {"name": "engine-a", "uid": "u"}}, Lease)
    leases.book.on_events([WatchEvent(EventType.DELETED, lease)])
    assert leases.woken.look() == ["a"]
    assert leases.book.report("a") is None
    assert leases.book.leadership("a").lapsed


def engine_pod(name: str, *, ready: bool = False, **metadata: Any) -> EnginePod:
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}] if ready else []
    labels = {"pointsman.dev/profile": "a"}
    return msgspec.convert(
        {"metadata": {"name": name, "labels": labels, **metadata}, "status": {"conditions": conditions}}, EnginePod
    )


def test_engines_wake_their_profile_when_they_change_and_only_then() -> None:
    woken = Woken()
    book = EngineBook(woken.append)
    starting, ready = engine_pod("x"), engine_pod("x", ready=True)
    going = engine_pod("x", ready=True, deletionTimestamp="2026-01-01T00:00:00Z")
    seen = []
    for kind, pod in [
        (EventType.ADDED, starting),
        (EventType.MODIFIED, starting),
        (EventType.MODIFIED, ready),
        (EventType.MODIFIED, going),
        (EventType.DELETED, going),
    ]:
        book.on_events([WatchEvent(kind, pod)])
        seen.append((woken.look(), [engine.ready for engine in book.of("a")]))
    assert seen == [(["a"], [False]), ([], [False]), (["a"], [True]), (["a"], []), ([], [])]


def test_a_change_of_the_allow_list_wakes_everybody() -> None:
    woken = Woken()
    nothing = AllowedImages("own", "pointsman-system/pointsman-images")
    book = ImageBook(nothing, lambda: woken.append("all"))

    def told(kind: EventType, text: str) -> list[str]:
        config_map = msgspec.convert(
            {"metadata": {"name": "pointsman-images"}, "data": {"images": text, "other": "x"}}, ImagesConfigMap
        )
        book.on_events([WatchEvent(kind, config_map)])
        return woken.look()

    assert told(EventType.ADDED, "example.com/engine") == ["all"]
    assert book.images.allows("example.com/engine:1")
    assert told(EventType.MODIFIED, "# the same\nexample.com/engine") == []
    assert told(EventType.DELETED, "") == ["all"]
    assert book.images == nothing


def profile(name: str, scheduler: str = "s", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            **metadata,
        },
        "spec": {"schedulerName": scheduler},
    }


@pytest.fixture
def wakes() -> tuple[Wakes, Woken, Roster]:
    woken = Woken()
    roster = Roster(woken.append)
    return Wakes(woken.append, roster), woken, roster


def test_our_own_status_write_does_not_wake(wakes: tuple[Wakes, Woken, Roster]) -> None:
    events, woken, _ = wakes
    events.on_profile(profile("a"), False)
    assert woken.look() == ["a"]
    events.on_profile({**profile("a", resourceVersion="2", managedFields=[1]), "status": {"x": 1}}, False)
    assert woken.look() == []


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 2},
        {"labels": {"a": "b"}},
        {"annotations": {"pointsman.dev/retry": "1"}},
        {"deletionTimestamp": "2026-01-01T00:00:00Z"},
        {"uid": "another"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_user_changes_wakes(wakes: tuple[Wakes, Woken, Roster], change: Mapping[str, Any]) -> None:
    events, woken, _ = wakes
    events.on_profile(profile("a"), False)
    woken.look()
    events.on_profile(profile("a", **change), False)
    assert woken.look() == ["a"]


def test_a_profile_that_goes_wakes_itself_and_who_waits_for_its_name(wakes: tuple[Wakes, Woken, Roster]) -> None:
    events, woken, roster = wakes
    for name, scheduler in (("a", "s"), ("b", "s"), ("c", "other")):
        events.on_profile(profile(name, scheduler), False)
    assert [other.name for other in roster.others("b", "s")] == ["a"]
    woken.look()
    events.on_profile(profile("a"), True)
    assert woken.look() == ["a", "b"]
    assert roster.others("b", "s") == ()


def test_a_new_list_of_profiles_names_those_that_are_gone_too(wakes: tuple[Wakes, Woken, Roster]) -> None:
    _, _, roster = wakes
    roster.fill([profile("a"), profile("b")])
    assert sorted(roster.fill([profile("b"), profile("c")])) == ["a", "b", "c"]
    assert sorted(roster.names()) == ["b", "c"]


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"labels": {"pointsman.dev/profile": "a"}}, ["a"]),
        (
            {"ownerReferences": [{"apiVersion": "pointsman.dev/v1alpha1", "kind": "SchedulerProfile", "name": "a"}]},
            ["a"],
        ),
        (
            {
                "labels": {"pointsman.dev/profile": "b"},
                "ownerReferences": [{"apiVersion": "pointsman.dev/v1", "kind": "SchedulerProfile", "name": "a"}],
            },
            ["a", "b"],
        ),
        ({"ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a"}]}, []),
        ({}, []),
    ],
)
def test_a_child_wakes_whom_it_names_and_who_owns_it(
    wakes: tuple[Wakes, Woken, Roster], metadata: Mapping[str, Any], names: list[str]
) -> None:
    events, woken, _ = wakes
    events.on_child({"metadata": metadata})
    assert woken.look() == names
