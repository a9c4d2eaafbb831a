"""Watches miss nothing: not what happened before they began, not what enters or leaves their view."""

import asyncio
import json
from typing import Any

import pytest
from tests.unit.sandbox_store.conftest import kind
from tests.unit.sandbox_store.objects import config_map

from pointsman.sandbox.store import watch as hub
from pointsman.sandbox.store.changes import Event
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store
from pointsman.sandbox.store.watch import Watch
from pointsman.testing.clock import VirtualClock


async def read(watch: Watch) -> list[tuple[str, str]]:
    """Type and name of what there is to read."""
    return [told(event) for event in await watch.next(0)]


def told(event: Event) -> tuple[str, str]:
    line = json.loads(event.line)
    assert line["object"]["metadata"].get("name", "") == event.object["metadata"].get("name", "")
    return line["type"], line["object"]["metadata"].get("name", "")


def labelled(**labels: str) -> Any:
    return lambda obj: {**obj, "metadata": {**obj["metadata"], "labels": labels}}


async def test_a_watch_tells_every_write_in_order(store: Store, maps: Kind) -> None:
    watch = store.watch(maps, since=store.resource_version)
    store.create(maps, config_map("a"), "default")
    store.update(maps, "default", "a", labelled(x="y"))
    store.delete(maps, "default", "a")
    assert await read(watch) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


async def test_a_watch_from_a_version_replays_what_came_after_it(store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    version = store.resource_version
    store.create(maps, config_map("b"), "default")
    assert await read(store.watch(maps, since=version)) == [("ADDED", "b")]


async def test_a_watch_without_a_version_begins_with_what_there_is(store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    watch = store.watch(maps)
    store.create(maps, config_map("b"), "default")
    assert await read(watch) == [("ADDED", "a"), ("ADDED", "b")]


async def test_initial_events_end_with_a_bookmark_that_says_so(store: Store, maps: Kind) -> None:
    store.create(maps, config_map("a"), "default")
    first, last = await store.watch(maps, initial_events=True, bookmarks=True).next(0)
    assert told(first) == ("ADDED", "a")
    assert last.type == "BOOKMARK"
    assert last.object["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert last.object["metadata"]["resourceVersion"] == str(store.resource_version)


async def test_objects_enter_and_leave_a_selectors_view(store: Store, maps: Kind) -> None:
    watch = store.watch(maps, labels="team=a", since=store.resource_version)
    store.create(maps, config_map("m"), "default")
    store.update(maps, "default", "m", labelled(team="a"))
    store.update(maps, "default", "m", labelled(team="a", more="x"))
    store.update(maps, "default", "m", labelled(team="b"))
    store.delete(maps, "default", "m")
    events = await watch.next(0)
    assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    left = events[-1].object["metadata"]
    assert left["labels"] == {"team": "a", "more": "x"}  # the last state in view, at the version that ended it
    assert int(left["resourceVersion"]) == int(events[1].object["metadata"]["resourceVersion"]) + 1


async def test_a_watch_of_a_namespace_hears_of_no_other(store: Store, maps: Kind) -> None:
    store.create(kind(store, "", "namespaces"), {"metadata": {"name": "other"}})
    watch = store.watch(maps, "other", since=store.resource_version)
    store.create(maps, config_map("a"), "default")
    store.create(maps, config_map("b"), "other")
    assert await read(watch) == [("ADDED", "b")]


async def test_a_version_that_is_no_longer_in_the_history_is_gone(
    store: Store, maps: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "HISTORY", 3)
    store.unregister(maps)
    store.register(maps)
    version = store.resource_version
    for number in range(4):
        store.create(maps, config_map(f"m{number}"), "default")
    with pytest.raises(Refused, match="too old resource version") as refused:
        store.watch(maps, since=version)
    assert (refused.value.code, refused.value.reason) == (410, "Expired")
    assert len(await store.watch(maps, since=version + 1).next(0)) == 3


async def test_a_version_from_the_future_is_gone_too(store: Store, maps: Kind) -> None:
    with pytest.raises(Refused) as refused:
        store.watch(maps, since=store.resource_version + 1)
    assert refused.value.code == 410


async def test_a_reader_that_does_not_read_is_dropped(
    store: Store, maps: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "BACKLOG", 2)
    slow, fast = store.watch(maps, since=store.resource_version), store.watch(maps, since=store.resource_version)
    for number in range(3):
        store.create(maps, config_map(f"m{number}"), "default")
        assert len(await fast.next(0)) == 1
    with pytest.raises(Refused) as refused:
        await slow.next(0)
    assert refused.value.code == 410


async def test_bookmarks_come_every_minute_to_those_who_want_them(
    store: Store, maps: Kind, clock: VirtualClock
) -> None:
    wanting, other = (store.watch(maps, since=store.resource_version, bookmarks=wants) for wants in (True, False))
    store.create(kind(store, "", "secrets"), {"metadata": {"name": "s"}}, "default")
    await clock.advance(60)
    (event,) = await wanting.next(0)
    assert event.type == "BOOKMARK"
    assert event.object["kind"] == "ConfigMap"
    assert event.object["metadata"]["resourceVersion"] == str(store.resource_version)
    assert await other.next(0) == []


async def test_a_waiting_reader_is_woken_by_a_write(store: Store, maps: Kind, clock: VirtualClock) -> None:
    watch = store.watch(maps, since=store.resource_version)
    reading = asyncio.create_task(watch.next(600))
    await clock.settle()
    assert not reading.done()
    store.create(maps, config_map("a"), "default")
    assert [told(event) for event in await reading] == [("ADDED", "a")]


async def test_a_waiting_reader_returns_empty_handed_when_its_time_is_over(
    store: Store, maps: Kind, clock: VirtualClock
) -> None:
    reading = asyncio.create_task(store.watch(maps, since=store.resource_version).next(30))
    await clock.advance(30)
    assert await reading == []


async def test_watches_of_a_kind_that_is_withdrawn_end(store: Store, maps: Kind) -> None:
    watch = store.watch(maps, since=store.resource_version)
    store.create(maps, config_map("a"), "default")
    store.unregister(maps)
    assert await read(watch) == [("ADDED", "a")]
    assert watch.ended


async def test_equal_events_are_encoded_once(store: Store, maps: Kind) -> None:
    one, two = store.watch(maps, since=store.resource_version), store.watch(maps, since=store.resource_version)
    store.create(maps, config_map("a"), "default")
    assert (await one.next(0))[0].line is (await two.next(0))[0].line
