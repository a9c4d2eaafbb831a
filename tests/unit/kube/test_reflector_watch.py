"""The mirror's watch against everything that servers and networks do to it."""

import asyncio
import gc
import logging
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, Watch, line, status, until
from tests.unit.kube.mirror import Mirror, a_list, bookmark, change, pod, too_old, watching

from pointsman.kube.client import Client
from pointsman.kube.objects import Pod
from pointsman.kube.reflector import Reflector, WatchEvent
from pointsman.kube.resources import PODS
from pointsman.testing.clock import VirtualClock

# --- the watch


async def test_each_piece_of_the_watch_is_one_batch(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    async with watching(api, client, clock, pod("a", 1)) as (mirror, watch):
        await watch.send(change("ADDED", pod("b", 101)), change("MODIFIED", pod("a", 102)))
        await until(lambda: len(mirror.batches) == 2)
        await watch.send(change("DELETED", pod("b", 103)))
        await until(lambda: len(mirror.batches) == 3)
    assert mirror.batches[1:] == [[("ADDED", "b", "101"), ("MODIFIED", "a", "102")], [("DELETED", "b", "103")]]


async def test_a_character_may_be_cut_in_two(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    """Case C107, over a real connection; the other cuts are tried without one."""
    event = '{"type":"ADDED","object":{"metadata":{"name":"駅","uid":"u","resourceVersion":"101"}}}\r\n'.encode()
    cut = event.index("駅".encode()) + 1
    async with watching(api, client, clock) as (mirror, watch):
        await clock.advance(1)
        await watch.write(b"\n" + event[:cut])
        await until(lambda: mirror.reflector._last_byte == clock.monotonic())
        assert mirror.batches == []
        await watch.write(event[cut:] + event)
        await until(lambda: mirror.batches != [])
    assert mirror.batches == [[("ADDED", "駅", "101")]]


async def test_an_object_made_anew_under_its_name_is_a_deletion_and_an_addition(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    async with watching(api, client, clock, pod("a", 1, "u1")) as (mirror, watch):
        await watch.send(change("ADDED", pod("a", 105, "u2")))
        await until(lambda: len(mirror.batches) == 2)
    assert mirror.batches[1] == [("DELETED", "a", "1"), ("ADDED", "a", "105")]


async def test_contact_is_a_list_an_event_or_a_bookmark(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    async with watching(api, client, clock) as (mirror, watch):
        await clock.advance(30)
        listed = mirror.reflector.last_contact
        assert clock.monotonic() - listed == 30
        await watch.send(bookmark(150))
        await until(lambda: mirror.reflector.last_contact > listed)
        assert mirror.reflector.last_contact == clock.monotonic()
        assert mirror.batches == []


# --- the ends of a watch: how the server or the network ends it, and whether the mirror lists or watches next


async def _resets(watch: Watch) -> None:
    await watch.write(line(change("ADDED", pod("half", 140)))[:30])
    await asyncio.sleep(0)
    watch.reset()


async def _ends(watch: Watch) -> None:
    watch.end()


def _sends(event: dict[str, Any]) -> Callable[[Watch], Any]:
    async def end(watch: Watch) -> None:
        await watch.send(event)

    return end


async def _babbles(watch: Watch) -> None:
    await watch.write(b"<html>\n")


@pytest.mark.parametrize(
    ("end", "lists_again"),
    [
        pytest.param(_ends, False, id="the server ends it in time"),
        pytest.param(_resets, False, id="reset in the middle of a line"),
        pytest.param(_sends(change("ERROR", status(500, "InternalError", "no leader"))), False, id="ERROR 500"),
        pytest.param(_babbles, False, id="not JSON"),
        pytest.param(_sends(change("ERROR", too_old())), True, id="ERROR 410"),
    ],
)
async def test_after_an_end_of_the_watch_nothing_is_missed(
    api: FakeApi, client: Client, clock: VirtualClock, end: Callable[[Watch], Any], lists_again: bool
) -> None:
    async with watching(api, client, clock, pod("a", 1), pod("b", 2)) as (mirror, watch):
        await watch.send(change("MODIFIED", pod("a", 130)))
        await until(lambda: mirror.pods["a"] == "130")
        if lists_again:
            api.lists.append(a_list(pod("a", 130), pod("new", 150), version=160))
        again = Watch()
        api.watches.append(again)
        await end(watch)
        await mirror.pass_until(lambda: len(api.watched) == 2)
        assert len(api.listed) == (2 if lists_again else 1)
        assert api.watched[1].query["resourceVersion"] == ("160" if lists_again else "130")
        if not lists_again:
            await again.send(change("DELETED", pod("b", 145)), change("ADDED", pod("new", 150)))
        await until(lambda: mirror.pods == {"a": "130", "new": "150"})
        await until(lambda: mirror.reflector.last_error == "")


@pytest.mark.parametrize(
    ("answer", "lists_again", "words"),
    [
        (Reply(410, too_old()), True, "cannot watch pods: too old"),
        (Reply(500, status(500, "InternalError", "no")), False, "cannot watch pods: no"),
        (Reply(403, status(403, "Forbidden", "no")), False, "forbidden: cannot watch pods: no"),
    ],
    ids=["410", "500", "403"],
)
async def test_a_watch_that_is_refused_is_told_in_words_and_tried_again(
    api: FakeApi, client: Client, clock: VirtualClock, answer: Reply, lists_again: bool, words: str
) -> None:
    api.lists.extend([a_list(pod("a", 1), version=100), a_list(pod("a", 1), version=200)])
    api.watches.append(answer)
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.last_error != "")
        assert mirror.reflector.last_error.startswith(words)
        assert mirror.reflector.synced.is_set()
        await mirror.pass_until(lambda: len(api.watched) == 2)
        assert api.watched[1].query["resourceVersion"] == ("200" if lists_again else "100")
        assert len(mirror.batches) == 1


async def test_events_before_an_error_in_the_same_piece_count(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    async with watching(api, client, clock) as (mirror, watch):
        await watch.send(
            change("ADDED", pod("a", 110)), change("ERROR", status(500, "X", "no")), change("ADDED", pod("b", 111))
        )
        await mirror.pass_until(lambda: len(api.watched) == 2)
        assert mirror.pods == {"a": "110"}
        assert api.watched[1].query["resourceVersion"] == "110"


async def test_a_silent_connection_is_given_up_after_70_seconds(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    async with watching(api, client, clock) as (mirror, watch):
        await clock.advance(60)
        await watch.send(bookmark(900))
        await until(lambda: mirror.reflector.last_contact == clock.monotonic())
        await clock.advance(69)
        assert len(api.watched) == 1
        await clock.advance(1)
        assert "nothing came for 70 s" in mirror.reflector.last_error
        await mirror.pass_until(lambda: len(api.watched) == 2)
        assert api.watched[1].query["resourceVersion"] == "900"  # the bookmark's, case C109


async def test_a_server_that_accepts_and_never_answers_is_given_up_too(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    never = asyncio.Event()
    api.lists.append(a_list(version=100))
    api.watches.append(Reply(hold=never))
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: len(api.watched) == 1)
        await clock.advance(70)
        await mirror.pass_until(lambda: len(api.watched) == 2)


async def test_three_watches_that_bring_nothing_lead_to_a_new_list(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    """A restored etcd counts from an older version: a watch from the future is silent for ever."""
    api.lists.extend([a_list(pod("a", 90), version=100), a_list(pod("b", 30), version=40)])
    async with Mirror(client, clock).running() as mirror:
        for number in (1, 2, 3):
            await mirror.pass_until(lambda count=number: len(api.watched) == count)  # type: ignore[misc]
            await clock.advance(70)
        await mirror.pass_until(lambda: len(api.watched) == 4)
        assert len(api.listed) == 2
        assert api.watched[3].query["resourceVersion"] == "40"
        assert mirror.pods == {"b": "30"}


async def test_a_deletion_that_was_missed_is_told_after_the_next_list(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    """Case C103."""
    api.lists.extend([a_list(pod("a", 1), pod("b", 2), version=100), a_list(pod("b", 2), version=200)])
    api.watches.append(Reply(410, too_old()))
    async with Mirror(client, clock).running() as mirror:
        await mirror.pass_until(lambda: len(api.watched) == 2)
        assert mirror.batches[1:] == [[("DELETED", "a", "1")]]


async def test_a_watch_that_the_server_keeps_ending_at_once_is_not_hammered(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.extend([a_list(version=100)] * 50)
    api.watches.extend(Reply(body=b"") for _ in range(500))
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.last_error != "")
        assert mirror.reflector.last_error == "cannot watch pods: the server ended the watch at once"
        assert len(api.watched) == 1
        await clock.advance(60)
        assert 5 < len(api.watched) < 40


async def test_the_wait_between_attempts_grows_and_starts_over_after_success(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    refused = Reply(500, status(500, "X", "no"))
    api.lists.append(a_list(version=100))
    watch = Watch()
    api.watches.extend([refused, refused, watch, refused])
    async with Mirror(client, clock).running() as mirror:
        await mirror.pass_until(lambda: len(api.watched) == 3)
        await watch.send(bookmark(101))
        await until(lambda: mirror.reflector._fruitless == 0)
        watch.end()
        await mirror.pass_until(lambda: len(api.watched) == 4)
        assert await mirror.pass_until(lambda: len(api.watched) == 5) <= 1.5 + 0.25  # 3 times the shortest wait


async def test_an_object_that_cannot_be_read_is_named_and_the_others_are_told(
    api: FakeApi, client: Client, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    odd = pod("odd", 3, spec={"priority": "high"})
    with caplog.at_level(logging.WARNING):
        async with watching(api, client, clock, pod("a", 1), odd) as (mirror, watch):
            await watch.send(change("MODIFIED", pod("a", 110, spec=5)), change("ADDED", pod("b", 111)))
            await until(lambda: mirror.pods == {"a": "1", "b": "111"})
    assert "skipped Pod n/odd" in caplog.text
    assert "skipped Pod n/a" in caplog.text


async def test_what_a_consumer_raises_ends_the_mirror(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    def lose(events: Sequence[WatchEvent[Pod]]) -> None:
        raise KeyError(len(events))

    api.lists.append(a_list(pod("a", 1), version=100))
    reflector = Reflector(client, PODS, Pod, lose, clock=clock, rng=random.Random(7))
    with pytest.raises(KeyError):
        await reflector.run()
    assert gc.isenabled()


async def test_cancelling_leaves_no_task_behind(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    before = asyncio.all_tasks()
    async with watching(api, client, clock):
        pass
    await until(lambda: {task for task in asyncio.all_tasks() - before if "Reflector" in repr(task)} == set())
