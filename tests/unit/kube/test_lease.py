"""The elector: who takes a Lease, how it is kept, and when it is lost."""

from tests.unit.kube.candidates import POLL, RENEW, Candidate, electing
from tests.unit.kube.lease_server import LeaseServer

from pointsman.testing.clock import VirtualClock

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
