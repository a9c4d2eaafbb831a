"""What follows from lists and watch events, in whatever order and however often they come."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.kube.known import EventType, Known, WatchEvent
from pointsman.kube.objects import Metadata, Namespace

ADDED, MODIFIED, DELETED = EventType.ADDED, EventType.MODIFIED, EventType.DELETED


def thing(name: str, version: int | str, uid: str = "") -> Namespace:
    return Namespace(metadata=Metadata(name=name, uid=uid or f"uid-{name}", resource_version=str(version)))


def short(events: Iterable[WatchEvent[Namespace]]) -> list[tuple[str, str, str]]:
    """Type, name and version of each event."""
    return [(str(one.type), one.object.metadata.name, one.object.metadata.resource_version) for one in events]


def knowing(*things: Namespace, position: str = "10") -> Known[Namespace]:
    known: Known[Namespace] = Known()
    known.replace(things, position)
    return known


def test_a_first_list_adds_everything() -> None:
    assert short(Known[Namespace]().replace([thing("a", 1), thing("b", 2)], "2")) == [
        ("ADDED", "a", "1"),
        ("ADDED", "b", "2"),
    ]


def test_a_list_again_says_only_what_changed_and_deletions_first() -> None:
    known = knowing(thing("same", 1), thing("changed", 2), thing("gone", 3), thing("anew", 4, "u1"))
    events = known.replace([thing("new", 20), thing("same", 1), thing("changed", 21), thing("anew", 22, "u2")], "22")
    assert short(events) == [
        ("DELETED", "anew", "4"),
        ("DELETED", "gone", "3"),
        ("ADDED", "new", "20"),
        ("MODIFIED", "changed", "21"),
        ("ADDED", "anew", "22"),
    ]
    assert known.position == "22"


def test_a_list_is_the_truth_also_when_it_is_older() -> None:
    known = knowing(thing("a", 50), position="60")
    assert short(known.replace([thing("a", 40)], "41")) == [("MODIFIED", "a", "40")]
    assert known.position == "41"


def test_an_object_that_a_list_has_but_that_cannot_be_read_is_not_deleted() -> None:
    known = knowing(thing("odd", 1), thing("gone", 2))
    assert short(known.replace([], "20", unreadable={("", "odd")})) == [("DELETED", "gone", "2")]
    assert len(known) == 1


# Each row: what is known (position 10), the events that come, the events that follow.
@pytest.mark.parametrize(
    ("before", "coming", "following"),
    [
        ([], [(ADDED, thing("x", 11))], [("ADDED", "x", "11")]),
        ([], [(MODIFIED, thing("x", 11))], [("ADDED", "x", "11")]),
        ([thing("x", 5)], [(ADDED, thing("x", 11))], [("MODIFIED", "x", "11")]),
        ([thing("x", 5)], [(DELETED, thing("x", 11))], [("DELETED", "x", "11")]),
        ([thing("x", 5)], [(DELETED, thing("x", 5))], [("DELETED", "x", "5")]),
        ([], [(ADDED, thing("x", 11)), (ADDED, thing("x", 11))], [("ADDED", "x", "11")]),
        ([thing("x", 9)], [(MODIFIED, thing("x", 8))], []),
        ([thing("x", 9)], [(MODIFIED, thing("x", 10)), (MODIFIED, thing("x", 9))], [("MODIFIED", "x", "10")]),
        ([thing("x", 9)], [(DELETED, thing("x", 11))] * 2, [("DELETED", "x", "11")]),
        ([thing("x", 9)], [(DELETED, thing("x", 11)), (MODIFIED, thing("x", 9))], [("DELETED", "x", "11")]),
        ([thing("x", 9)], [(DELETED, thing("x", 8))], []),
        (
            [thing("x", 9, "u1")],
            [(ADDED, thing("x", 12, "u2"))],
            [("DELETED", "x", "9"), ("ADDED", "x", "12")],
        ),
        ([thing("x", 9, "u2")], [(DELETED, thing("x", 8, "u1"))], []),
        ([thing("x", 9, "u1")], [(DELETED, thing("x", 12, "u2"))], [("DELETED", "x", "9")]),
    ],
    ids=[
        "an addition",
        "a change of something unknown",
        "an addition of something known",
        "a deletion",
        "a deletion that carries the last version",
        "an addition twice",
        "an older version",
        "a newer and then an older version",
        "a deletion twice",
        "a change of something that was deleted",
        "a deletion before the last addition",
        "another object under the name",
        "the deletion of the former object under the name",
        "the deletion of an object that replaced the known one",
    ],
)
def test_a_watch_event_leads_to_what_is_news(
    before: Sequence[Namespace], coming: Sequence[tuple[EventType, Namespace]], following: list[tuple[str, str, str]]
) -> None:
    known = knowing(*before)
    assert short(event for news in coming for event in known.apply(*news)) == following


def test_case_c109_leads_to_one_addition_and_one_deletion() -> None:
    known = knowing(position="800")
    coming: list[tuple[EventType, Namespace]] = [
        (ADDED, thing("x", 810)),
        (ADDED, thing("x", 810)),
        (MODIFIED, thing("x", 805)),
        (DELETED, thing("x", 820)),
        (DELETED, thing("x", 820)),
    ]
    events = [event for news in coming for event in known.apply(*news)]
    known.bookmark("900")
    assert short(events) == [("ADDED", "x", "810"), ("DELETED", "x", "820")]
    assert (known.position, len(known)) == ("900", 0)


def test_a_bookmark_never_goes_back() -> None:
    known = knowing(position="900")
    known.bookmark("850")
    assert known.position == "900"


def test_versions_that_are_no_numbers_still_work_without_replays() -> None:
    known = knowing(thing("x", "abc"), position="abc")
    events = [*known.apply(MODIFIED, thing("x", "abd")), *known.apply(ADDED, thing("y", "abe"))]
    assert short(events) == [("MODIFIED", "x", "abd"), ("ADDED", "y", "abe")]
    assert known.position == "abe"


# --- a world that moves on, seen through watches that replay and lists that come in between

_steps = st.lists(
    st.tuples(st.sampled_from(["put", "delete", "replay", "relist"]), st.integers(0, 3), st.integers(0, 6)), max_size=40
)


@given(_steps)
def test_what_is_told_always_adds_up_to_what_there_is(steps: list[tuple[str, int, int]]) -> None:
    known: Known[Namespace] = Known()
    version, born = 1, 0
    world: dict[str, Namespace] = {}
    history: list[tuple[EventType, Namespace]] = []
    told: dict[str, Namespace] = {}
    tell(told, known.replace([], "1"))
    for action, number, back in steps:
        name = f"thing-{number}"
        if action == "relist":
            tell(told, known.replace(world.values(), str(version)))
        elif action == "replay":
            for news in history[len(history) - back :]:
                tell(told, known.apply(*news))
        else:
            version += 1
            if action == "put":
                born += name not in world
                uid = world[name].metadata.uid if name in world else f"uid-{born}"
                kind = MODIFIED if name in world else ADDED
                world[name] = thing(name, version, uid)
                history.append((kind, world[name]))
            elif name in world:
                history.append((DELETED, thing(name, version, world.pop(name).metadata.uid)))
            else:
                continue
            tell(told, known.apply(*history[-1]))
        assert told == world


def tell(told: dict[str, Namespace], events: Sequence[WatchEvent[Any]]) -> None:
    """Follow the events as a consumer does, and hold them to what they claim."""
    for one in events:
        name = one.object.metadata.name
        assert (name in told) is (one.type is not ADDED)
        if one.type is MODIFIED:
            assert told[name].metadata.uid == one.object.metadata.uid
        if one.type is DELETED:
            assert told.pop(name).metadata.uid == one.object.metadata.uid
        else:
            told[name] = one.object
