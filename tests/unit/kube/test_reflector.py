"""The mirror's lists: complete or not told at all, whatever the server does meanwhile."""

import asyncio

import pytest
from tests.unit.kube.fake_api import FakeApi, Reply, status, until
from tests.unit.kube.mirror import Mirror, a_list, pod, too_old, watching

from pointsman.kube.client import Client
from pointsman.testing.clock import VirtualClock

# --- lists


async def test_nothing_is_told_before_the_last_page(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    """Case C104: the pod that waits is on the first page, those that fill the node on the last."""
    last = asyncio.Event()
    api.lists.extend(
        [
            a_list(pod("waiting", 1), version=100, more="page-2"),
            a_list(pod("b", 2), version=100, more="page-3"),
            a_list(pod("full", 3), version=100, hold=last),
        ]
    )
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: len(api.listed) == 3)
        assert mirror.batches == []
        assert not mirror.reflector.synced.is_set()
        last.set()
        await until(mirror.reflector.synced.is_set)
        assert mirror.batches == [[("ADDED", "waiting", "1"), ("ADDED", "b", "2"), ("ADDED", "full", "3")]]
        assert [call.query.get("continue") for call in api.listed] == [None, "page-2", "page-3"]
        await until(lambda: len(api.watched) == 1)
        assert api.watched[0].query["resourceVersion"] == "100"


async def test_each_page_of_a_long_list_is_a_sign_of_life(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    first, last = asyncio.Event(), asyncio.Event()
    api.lists.extend([a_list(version=100, more="page-2", hold=first), a_list(version=100, hold=last)])
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: len(api.listed) == 1)
        clock.jump(40)
        first.set()
        await until(lambda: len(api.listed) == 2)
        assert mirror.reflector.last_contact == clock.monotonic()
        assert not mirror.reflector.synced.is_set()
        last.set()
        await until(mirror.reflector.synced.is_set)


async def test_the_list_asks_for_the_most_recent_state_in_pages(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.append(a_list(version=100))
    options = {"namespace": "team-a", "label_selector": "app=x", "field_selector": "status.phase!=Failed"}
    selectors = {"labelSelector": "app=x", "fieldSelector": "status.phase!=Failed"}
    async with Mirror(client, clock, **options).running() as mirror:
        await until(lambda: len(api.watched) == 1)
        assert mirror.reflector.synced.is_set()
    assert api.listed[0].path == api.watched[0].path == "/api/v1/namespaces/team-a/pods"
    assert api.listed[0].query == {**selectors, "limit": "1000"}
    watched = dict(api.watched[0].query)
    assert 300 <= int(watched.pop("timeoutSeconds")) < 600
    assert watched == {**selectors, "watch": "true", "allowWatchBookmarks": "true", "resourceVersion": "100"}


async def test_an_empty_list_is_complete_and_tells_nothing(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    async with watching(api, client, clock) as (mirror, _):
        assert mirror.reflector.synced.is_set()
        assert mirror.batches == []


async def test_pages_that_expire_make_it_ask_for_all_at_once(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    api.lists.extend(
        [
            a_list(pod("a", 1), version=100, more="page-2"),
            Reply(410, too_old()),
            a_list(pod("a", 1), pod("b", 2), version=120),
        ]
    )
    async with Mirror(client, clock).running() as mirror:
        await until(mirror.reflector.synced.is_set)
    assert mirror.batches == [[("ADDED", "a", "1"), ("ADDED", "b", "2")]]
    assert "limit" not in api.listed[2].query
    assert "continue" not in api.listed[2].query


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([Reply(410, too_old())] * 2, "cannot list pods: too old"),
        ([Reply(500, status(500, "InternalError", "etcdserver: no leader"))] * 3, "cannot list pods: etcdserver"),
        ([Reply(403, status(403, "Forbidden", 'User "x" is not allowed'))], 'forbidden: cannot list pods: User "x"'),
        ([Reply(401, status(401, "Unauthorized", "who?"))] * 2, "unauthorized: cannot list pods: who?"),
        ([Reply(200, b"<html>")], "cannot list pods: the answer is not what was asked for"),
    ],
    ids=["410", "500", "403", "401", "a proxy's page"],
)
async def test_a_list_that_fails_is_told_in_words_and_tried_again(
    api: FakeApi, client: Client, clock: VirtualClock, answers: list[Reply], words: str
) -> None:
    api.lists.extend([*answers, a_list(pod("a", 1), version=100)])
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.last_error != "")
        assert mirror.reflector.last_error.startswith(words)
        assert not mirror.reflector.synced.is_set()
        await mirror.pass_until(lambda: len(api.watched) == 1)
        await until(lambda: mirror.reflector.last_error == "")
        assert mirror.pods == {"a": "1"}


async def test_a_collection_that_is_not_served_is_an_answer_and_forgotten_when_it_is_served(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.extend([Reply(404, status(404, "NotFound", "no")), a_list(pod("a", 1), version=100)])
    async with Mirror(client, clock).running() as mirror:
        await mirror.reflector.answered.wait()
        refusal = mirror.reflector.refusal
        assert refusal is not None
        assert (refusal.verb, refusal.error.status) == ("list", 404)
        assert not mirror.reflector.synced.is_set()
        await mirror.pass_until(mirror.reflector.synced.is_set)
        await until(lambda: mirror.reflector.refusal is None)
        assert mirror.pods == {"a": "1"}


async def test_a_collection_that_stays_forbidden_for_five_seconds_is_an_answer(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.extend([Reply(403, status(403, "Forbidden", "no"))] * 40)
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.refusal is not None)
        await clock.advance(4.9)
        assert not mirror.reflector.answered.is_set()
        await mirror.pass_until(mirror.reflector.answered.is_set)
        assert mirror.reflector.refusal is not None
        assert mirror.reflector.refusal.error.status == 403
        assert not mirror.reflector.synced.is_set()


async def test_rights_that_come_a_moment_later_are_waited_for(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.extend([Reply(403, status(403, "Forbidden", "no")), a_list(pod("a", 1), version=100)])
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.refusal is not None)
        assert not mirror.reflector.answered.is_set()
        await mirror.pass_until(mirror.reflector.answered.is_set)
        assert mirror.reflector.synced.is_set()
        assert mirror.pods == {"a": "1"}


async def test_no_answer_is_no_refusal(api: FakeApi, client: Client, clock: VirtualClock) -> None:
    api.lists.append(Reply(500, status(500, "InternalError", "etcdserver: no leader")))
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.last_error != "")
        assert mirror.reflector.refusal is None
        assert not mirror.reflector.answered.is_set()


async def test_a_watch_that_is_refused_is_told_and_what_was_listed_stays(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    api.lists.append(a_list(pod("a", 1), version=100))
    api.watches.append(Reply(403, status(403, "Forbidden", "no")))
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.refusal is not None)
        refusal = mirror.reflector.refusal
        assert refusal is not None
        assert refusal.verb == "watch"
        assert mirror.reflector.synced.is_set()
        assert mirror.pods == {"a": "1"}


async def test_a_server_that_is_busy_is_left_alone_as_long_as_it_asks(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    busy = Reply(429, status(429, "TooManyRequests", "slow down"), {"Retry-After": "120"})
    api.lists.extend([busy, a_list(version=100)])
    async with Mirror(client, clock).running() as mirror:
        await until(lambda: mirror.reflector.last_error != "")
        assert await mirror.pass_until(mirror.reflector.synced.is_set, limit=121) >= 120


async def test_an_outage_of_three_minutes_is_over_soon_after_it_is_over(
    api: FakeApi, client: Client, clock: VirtualClock
) -> None:
    """Case C110: connections are reset, then refused; what was made meanwhile is seen without a restart."""
    async with watching(api, client, clock, pod("a", 1)) as (mirror, _):
        await api.stop()
        await mirror.pass_until(lambda: mirror.reflector.last_error != "")
        await clock.advance(180)
        after = FakeApi(port=api.port)
        after.lists.append(a_list(pod("a", 1), pod("meanwhile", 150), version=200))
        await after.start()
        await mirror.pass_until(lambda: "meanwhile" in mirror.pods, limit=60)
        await until(lambda: mirror.reflector.last_error == "")
        await after.stop()
