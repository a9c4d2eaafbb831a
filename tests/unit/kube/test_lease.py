"""The elector: who holds, from when, until when, and what the others do meanwhile."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kube.lease_server import FrozenClock, LeaseServer, Line

from pointsman.kube.client import Client
from pointsman.kube.lease import Elector
from pointsman.kube.objects import Lease
from pointsman.testing.clock import VirtualClock

DURATION, DEADLINE, RENEW = 15, 10, 2
POLL = RENEW * 1.2  # a candidate looks at most this late


class Candidate:
    """One process that wants the Lease."""

    def __init__(self, server: LeaseServer, clock: VirtualClock, identity: str, **options: Any) -> None:
        self.identity = identity
        self.clock = clock
        self.line = Line(server, clock)
        self.told: list[str] = []
        self.acquired_at: list[float] = []
        options.setdefault("create", False)
        self.elector = Elector(
            cast("Client", self.line),  # as far as an elector uses one
            "fleet",
            "engine-a",
            identity,
            clock=FrozenClock(clock, self.line),
            rng=random.Random(identity),
            on_acquired=self._acquired,
            on_lost=lambda holder: self.told.append(f"lost to {holder}" if holder else "lost"),
            **options,
        )
        self._task: asyncio.Task[None] | None = None

    def _acquired(self) -> None:
        self.told.append("acquired")
        self.acquired_at.append(self.clock.monotonic())

    def start(self) -> "Candidate":
        self._task = asyncio.create_task(self.elector.run())
        return self

    async def stop(self) -> None:
        """End as on SIGTERM."""
        assert self._task is not None
        self._task.cancel()
        await self.clock.settle()
        while not self._task.done():
            await self.clock.advance(0.5)

    async def crash(self) -> None:
        """End without a word."""
        self.line.down = True
        await self.stop()


@asynccontextmanager
async def electing(*candidates: Candidate) -> AsyncIterator[None]:
    for candidate in candidates:
        candidate.start()
    await candidates[0].clock.settle()
    try:
        yield
    finally:
        for candidate in candidates:
            _heal(candidate.line)
            await candidate.stop()


@pytest.fixture
def server() -> LeaseServer:
    server = LeaseServer()
    server.make()
    return server


# --- taking


async def test_a_lease_that_nobody_held_is_taken_at_once(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        assert a.told == ["acquired"]
        assert a.elector.holding
        assert a.elector.may_write()
        assert server.spec == {
            "holderIdentity": "a",
            "leaseDurationSeconds": 15,
            "acquireTime": "2026-01-01T00:00:00.000000Z",
            "renewTime": "2026-01-01T00:00:00.000000Z",
            "leaseTransitions": 0,
        }


async def test_a_lease_that_is_not_there_is_waited_for(clock: VirtualClock) -> None:
    server = LeaseServer()
    a = Candidate(server, clock, "a")
    async with electing(a):
        await clock.advance(60)
        assert a.told == []
        assert "not found" in a.elector.last_error
        server.make()
        await clock.advance(POLL)
        assert a.told == ["acquired"]
        assert a.elector.last_error == ""


async def test_the_operator_makes_its_own(clock: VirtualClock) -> None:
    server = LeaseServer()
    a = Candidate(server, clock, "a", create=True)
    async with electing(a):
        assert a.told == ["acquired"]
        assert server.holder == "a"
        assert server.spec["leaseTransitions"] == 0


async def test_of_two_that_make_it_at_once_one_holds(clock: VirtualClock) -> None:
    server = LeaseServer()
    a, b = Candidate(server, clock, "a", create=True), Candidate(server, clock, "b", create=True)
    a.line.there = b.line.there = 1
    async with electing(a, b):
        await clock.advance(10)
        assert sorted([a.told, b.told]) == [[], ["acquired"]]
        assert [a.elector.may_write(), b.elector.may_write()].count(True) == 1


async def test_a_restarted_process_of_the_same_name_goes_on_at_once(server: LeaseServer, clock: VirtualClock) -> None:
    async with electing(first := Candidate(server, clock, "a")):
        await first.crash()
        await clock.advance(3)
        again = Candidate(server, clock, "a")
        async with electing(again):
            assert again.told == ["acquired"]
            assert server.spec["acquireTime"] == "2026-01-01T00:00:00.000000Z"
            assert server.spec["renewTime"] == "2026-01-01T00:00:03.000000Z"
            assert server.spec["leaseTransitions"] == 0


async def test_a_candidate_that_may_not_read_the_lease_says_so(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    a.line.forbidden = True
    async with electing(a):
        assert a.elector.last_error == "Lease fleet/engine-a: leases is not for you"
        a.line.forbidden = False
        await clock.advance(POLL)
        assert (a.told, a.elector.last_error) == (["acquired"], "")


# --- renewing


async def test_a_renewal_is_one_request_every_two_seconds(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        a.line.calls.clear()
        await clock.advance(10)
        assert a.line.calls == ["patch"] * 5
        assert server.spec["renewTime"] == "2026-01-01T00:00:10.000000Z"
        assert server.spec["acquireTime"] == "2026-01-01T00:00:00.000000Z"
        assert a.told == ["acquired"]


async def test_our_annotations_ride_along_and_those_of_others_stay(server: LeaseServer, clock: VirtualClock) -> None:
    report = {"pointsman.dev/report": "1"}
    a = Candidate(server, clock, "a", annotations=lambda: report)
    async with electing(a):
        server.annotate("pointsman.dev/wanted-policy", "abc")
        report["pointsman.dev/report"] = "2"
        await clock.advance(RENEW)
        wanted = {"pointsman.dev/report": "2", "pointsman.dev/wanted-policy": "abc"}
        assert server.read()["metadata"]["annotations"] == wanted
        assert a.elector.lease is not None
        assert a.elector.lease.metadata.annotations == wanted
        assert a.line.calls[-3:] == ["patch", "get", "patch"]  # the other write is noticed within the same round
        assert a.told == ["acquired"]


async def test_a_renewal_whose_answer_is_lost_counts_when_it_is_seen(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        a.line.deaf = True
        await clock.advance(RENEW + 4)
        a.line.deaf = False
        await clock.advance(4)
        assert a.told == ["acquired"]
        assert a.elector.holding


async def test_short_outages_are_survived(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        for _ in range(5):
            a.line.down = True
            await clock.advance(7)
            a.line.down = False
            await clock.advance(3)
        assert a.told == ["acquired"]


# --- losing


async def test_past_the_deadline_it_may_not_write_and_tries_again(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        a.line.down = True
        await clock.advance(9.9)
        assert a.elector.may_write()
        await clock.advance(0.1)
        assert not a.elector.may_write()
        assert a.told == ["acquired", "lost"]
        await clock.advance(60)
        assert a.told == ["acquired", "lost"]
        a.line.down = False
        await clock.advance(POLL)
        assert a.told == ["acquired", "lost", "acquired"]


async def test_the_deadline_counts_from_before_the_renewal_was_sent(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        a.line.there, a.line.back = 1, 3
        await clock.advance(RENEW + 4)  # sent at 2, answered at 6
        a.line.down = True
        await clock.advance(5.9)
        assert a.elector.may_write()
        await clock.advance(0.1)
        assert not a.elector.may_write()


async def test_a_request_that_hangs_does_not_hide_the_deadline(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        a.line.deaf = True
        server.delete()
        await clock.advance(10)
        assert a.told == ["acquired", "lost"]


async def test_a_frozen_holder_is_replaced_and_knows_when_it_wakes(server: LeaseServer, clock: VirtualClock) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        a.line.thawed.clear()
        while not b.told:
            await clock.advance(0.5)
            assert not (a.elector.may_write() and b.elector.may_write())
        assert server.spec["leaseTransitions"] == 1
        a.line.thawed.set()
        await clock.advance(1)
        assert a.told == ["acquired", "lost", "lost to b"]
        assert not a.elector.may_write()


async def test_a_holder_that_sees_another_in_time_is_told_who_it_is(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        assert server.lease is not None
        server.merge(server.read() | {"spec": {"holderIdentity": "thief"}})
        await clock.advance(RENEW)
        assert a.told == ["acquired", "lost to thief"]
        await clock.advance(5)
        assert a.told == ["acquired", "lost to thief"]


async def test_it_tells_of_another_holder_also_after_the_deadline(server: LeaseServer, clock: VirtualClock) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        a.line.down = True
        await clock.advance(20)
        assert a.told == ["acquired", "lost"]
        a.line.down = False
        await clock.advance(POLL)
        assert a.told == ["acquired", "lost", "lost to b"]


# --- taking over


async def test_a_crashed_holder_is_replaced_after_the_duration_and_not_before(
    server: LeaseServer, clock: VirtualClock
) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        await clock.advance(30)
        await a.crash()
        crashed = clock.monotonic()  # the last renewal was at 30, and b saw it at most one poll later
        await clock.advance(DURATION + POLL)
        assert b.told == ["acquired"]
        assert DURATION <= b.acquired_at[0] - crashed <= DURATION + POLL
        assert server.spec["leaseTransitions"] == 1
        assert server.spec["acquireTime"] == server.spec["renewTime"]


async def test_a_candidate_that_has_just_come_waits_the_whole_duration(
    server: LeaseServer, clock: VirtualClock
) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        await a.crash()
        await clock.advance(1000)  # long dead by anybody's wall clock
        b = Candidate(server, clock, "b")
        async with electing(b):
            await clock.advance(DURATION - 0.1)
            assert b.told == []
            await clock.advance(POLL)
            assert b.told == ["acquired"]


async def test_a_holder_that_states_a_longer_duration_is_waited_for(server: LeaseServer, clock: VirtualClock) -> None:
    server.merge(server.read() | {"spec": {"holderIdentity": "other", "leaseDurationSeconds": 40}})
    b = Candidate(server, clock, "b")
    async with electing(b):
        await clock.advance(39.9)
        assert b.told == []
        await clock.advance(POLL)
        assert b.told == ["acquired"]


async def test_an_annotation_does_not_prolong_a_dead_holders_lease(server: LeaseServer, clock: VirtualClock) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        await a.crash()
        for number in range(DURATION):
            server.annotate("pointsman.dev/wanted-policy", str(number))
            await clock.advance(1)
        await clock.advance(POLL)
        assert b.told == ["acquired"]


async def test_a_released_lease_is_taken_at_the_next_look(server: LeaseServer, clock: VirtualClock) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        await clock.advance(5)
        await a.stop()
        assert server.holder == ""
        assert server.spec["leaseDurationSeconds"] == 1
        assert not a.elector.may_write()
        assert a.told == ["acquired"]  # who asked for the end need not be told
        await clock.advance(POLL)
        assert b.told == ["acquired"]
        assert server.spec["leaseTransitions"] == 1
        assert server.spec["leaseDurationSeconds"] == 15


@pytest.mark.parametrize("graceful", [True, False], ids=["released", "crashed"])
async def test_a_candidate_with_patience_lets_others_go_first(
    server: LeaseServer, clock: VirtualClock, graceful: bool
) -> None:
    """A standby whose policy is not the one that the operator names waits a period longer."""

    def patience(lease: Lease) -> float:
        return 0.0 if lease.metadata.annotations.get("pointsman.dev/wanted-policy") == "new" else 15.0

    server.annotate("pointsman.dev/wanted-policy", "newer")
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b", patience=patience)
    async with electing(a, b):
        await (a.stop() if graceful else a.crash())
        await clock.advance(15 if graceful else DURATION + 15 - 0.1)
        assert b.told == []
        await clock.advance(POLL)
        assert b.told == ["acquired"]


async def test_patience_ends_when_its_reason_does(server: LeaseServer, clock: VirtualClock) -> None:
    waits: Mapping[str, float] = {"old": 1000.0, "new": 0.0}
    server.annotate("pointsman.dev/wanted-policy", "old")
    a = Candidate(
        server, clock, "a", patience=lambda lease: waits[lease.metadata.annotations["pointsman.dev/wanted-policy"]]
    )
    async with electing(a):
        await clock.advance(100)
        assert a.told == []
        server.annotate("pointsman.dev/wanted-policy", "new")
        await clock.advance(POLL)
        assert a.told == ["acquired"]


# --- releasing


async def test_a_release_gets_past_another_write(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a").start()
    await clock.settle()
    server.annotate("pointsman.dev/wanted-policy", "abc")
    await a.stop()
    assert server.holder == ""
    assert server.read()["metadata"]["annotations"] == {"pointsman.dev/wanted-policy": "abc"}


async def test_nothing_is_released_that_is_not_held(server: LeaseServer, clock: VirtualClock) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        await b.stop()
        assert server.holder == "a"
        assert a.elector.may_write()


async def test_a_release_that_fails_does_not_fail_the_end(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a").start()
    await clock.settle()
    server.delete()
    await a.stop()
    assert not a.elector.may_write()


# --- a Lease that is deleted


async def test_a_holder_whose_lease_is_gone_stops_at_once(server: LeaseServer, clock: VirtualClock) -> None:
    a = Candidate(server, clock, "a")
    async with electing(a):
        server.delete()
        await clock.advance(RENEW)
        assert a.told == ["acquired", "lost"]
        server.make()
        await clock.advance(POLL)
        assert a.told == ["acquired", "lost", "acquired"]


async def test_a_candidate_does_not_take_the_successor_of_a_held_lease_at_once(
    server: LeaseServer, clock: VirtualClock
) -> None:
    a, b = Candidate(server, clock, "a"), Candidate(server, clock, "b")
    async with electing(a, b):
        await clock.advance(RENEW)
        a.line.thawed.clear()  # it does not notice, and goes by its deadline
        server.delete()
        server.make()
        while not b.told:
            await clock.advance(0.5)
            assert not (a.elector.may_write() and b.elector.may_write())


# --- whatever happens, never two

_FAULTS = ("down", "deaf", "frozen", "slow there", "slow back")
_steps = st.lists(
    st.tuples(
        st.sampled_from([*_FAULTS, "restart", "stop", "delete", "annotate", "nothing"]),
        st.integers(0, 1),
        st.sampled_from([0.5, 1.5, 4.0, 9.5, 11.0, 16.0, 25.0]),
    ),
    max_size=8,
)


# A process that starts right after somebody deleted a held Lease cannot know of the holder: no restarts just then.
@settings(max_examples=60)
@given(_steps)
def test_there_are_never_two_that_may_write(steps: list[tuple[str, int, float]]) -> None:
    asyncio.run(_never_two(steps))


async def _never_two(steps: list[tuple[str, int, float]]) -> None:
    clock = VirtualClock(turns=12)
    server = LeaseServer()
    server.make()
    pair = [Candidate(server, clock, "a"), Candidate(server, clock, "b")]
    async with electing(*pair):
        for number, (what, who, seconds) in enumerate(steps):
            candidate = pair[who]
            if what in _FAULTS:
                _fault(candidate.line, what)
            elif what == "annotate" and server.lease is not None:
                server.annotate("number", str(number))
            elif what == "delete" and all(_holder_seen_by(one) == server.holder for one in pair):
                server.delete()
                server.make()
            elif what in ("restart", "stop") and server.was_held:
                candidate.line.thawed.set()
                await (candidate.crash() if what == "restart" else candidate.stop())
                pair[who] = Candidate(server, clock, f"{candidate.identity}{number}").start()
            for _ in range(int(seconds * 2)):
                await clock.advance(0.5)
                assert [one.elector.may_write() for one in pair].count(True) <= 1
            if number % 2:
                _heal(candidate.line)
        for candidate in pair:
            _heal(candidate.line)
        await clock.advance(2 * DURATION + POLL)
        assert [one.elector.may_write() for one in pair].count(True) == 1


def _fault(line: Line, what: str) -> None:
    if what == "frozen":
        line.thawed.clear()
    elif what == "slow there":
        line.there = 3.0
    elif what == "slow back":
        line.back = 4.0
    else:
        setattr(line, what, True)


def _heal(line: Line) -> None:
    line.down = line.deaf = False
    line.there = line.back = 0.0
    line.thawed.set()


def _holder_seen_by(candidate: Candidate) -> str:
    lease = candidate.elector.lease
    return (lease.spec.holder_identity or "") if lease is not None and lease.spec is not None else "?"
