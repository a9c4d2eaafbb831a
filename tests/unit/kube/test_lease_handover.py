"""The elector: how a Lease changes hands, by release, crash or deletion, and that two never hold it."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kube.candidates import DURATION, POLL, RENEW, Candidate, electing, heal
from tests.unit.kube.lease_server import LeaseServer, Line

from pointsman.kube.objects import Lease
from pointsman.testing.clock import VirtualClock

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
                heal(candidate.line)
        for candidate in pair:
            heal(candidate.line)
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


def _holder_seen_by(candidate: Candidate) -> str:
    lease = candidate.elector.lease
    return (lease.spec.holder_identity or "") if lease is not None and lease.spec is not None else "?"
