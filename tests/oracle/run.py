"""The loop: put up a world, decide on its candidates one after another on both sides, compare, wipe, next world."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pointsman.kube.known import Key, key_of
from pointsman.kube.objects import Pod
from pointsman.policy.volumes.claims import used_claims
from tests.controlplane.build import Binaries
from tests.controlplane.server import running
from tests.oracle.compare import Comparison, compare, compare_volumes, told
from tests.oracle.kube_scheduler import kube_scheduler
from tests.oracle.ours import Ours
from tests.oracle.profiles import Variant, variants
from tests.oracle.report import Report
from tests.oracle.server import Server, Verdict, connected, prepare
from tests.oracle.things import Candidate, World
from tests.oracle.worlds.generate import generate
from tests.oracle.worlds.shared import NAMESPACES, shared

EPOCH: Final = 40  # worlds that share their profiles
PATIENT_ROUNDS: Final = 3
BEYOND_INT64: Final = "requests beyond int64, which kube-scheduler counts wrong and Pointsman refuses"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """So many decisions, on the worlds 0, 1, … of a seed or on one of them alone."""

    seed: int
    decisions: int
    world: int | None = None

    def epochs(self) -> Iterable[tuple[int, Iterable[int]]]:
        """Worlds by the epoch whose profiles they have."""
        if self.world is not None:
            return ((self.world // EPOCH, (self.world,)),)
        return ((epoch, range(epoch * EPOCH, (epoch + 1) * EPOCH)) for epoch in itertools.count())


@dataclass(slots=True)
class Session:
    """One kube-scheduler with its profiles, and where to count."""

    seed: int
    server: Server
    profiles: Sequence[Variant]
    report: Report
    disagree: Say

    async def world(self, number: int, limit: int) -> None:
        """Compare up to `limit` decisions of one world."""
        world = generate(self.seed, number, [profile.name for profile in self.profiles])
        ours = Ours({profile.name: profile.policy() for profile in self.profiles})
        self.server.pods.listener = ours.on_pod
        try:
            await self.server.put_up(world)
            await ours.read(self.server.client)
            visit = Visit(self, number, world, ours)
            for candidate in world.candidates[:limit]:
                await visit.decide(candidate)
        finally:
            await self.server.wipe(world)
            self.server.pods.listener = None


@dataclass(slots=True)
class Visit:
    """The decisions on one world. `waiting` are preemptors whose victims are still going, `rounds` how long yet."""

    session: Session
    number: int
    world: World
    ours: Ours
    waiting: list[Verdict] = field(default_factory=list)
    rounds: int = 0

    async def decide(self, candidate: Candidate) -> None:
        """Have both sides decide on one pod, compare, and make the states equal again."""
        server, report = self.session.server, self.session.report
        self.ours.catch_up()
        pod = await server.create(candidate)
        if candidate.claims:
            await self.ours.read_again(server.client)
        decided = self.ours.decide(pod)
        await server.release(candidate, pod)
        verdict = await server.verdict(candidate, pod, decided.ties)
        found = compare(verdict, decided, self.ours.policies[pod.spec.scheduler_name])
        if verdict.node:
            await self._compare_volumes(found, pod, verdict.node)
        if candidate.beyond_int64:
            report.add_known(found, BEYOND_INT64)
        else:
            report.add(found)
            if not found.equal:
                detail = {"scheduler": pod.spec.scheduler_name, "reason": verdict.reason}
                self.session.disagree(told(self.session.seed, self.number, candidate.key, found, detail))
        await self._follow(verdict, candidate)

    async def _compare_volumes(self, found: Comparison, pod: Pod, node: str) -> None:
        """Before anything of what kube-scheduler did is taken over."""
        if not any(used_claims(pod)) or not found.feasible:
            return
        rooms, namespace = self.ours.rooms(pod, node), pod.metadata.namespace
        theirs = {claim: self.ours.room(await self.session.server.volume_of(namespace, claim)) for claim in rooms}
        compare_volumes(found, theirs, rooms)

    async def _follow(self, verdict: Verdict, candidate: Candidate) -> None:
        """Who fits nowhere goes, at once or after it has waited for its victims."""
        pod = verdict.pod
        self.rounds -= 1
        if verdict.log.target:
            await self._wait_for_victims(verdict)
        elif not verdict.node or candidate.beyond_int64:
            await self._clear([verdict])
        else:
            await self._settle(pod)
        if self.waiting and self.rounds <= 0:
            await self._clear(self.waiting)
            self.waiting = []

    async def _wait_for_victims(self, verdict: Verdict) -> None:
        """One preemptor may wait; with a second one both go, for the end of one's victims would wake the other."""
        if self.world.quiet and not self.waiting:
            self.waiting, self.rounds = [verdict], PATIENT_ROUNDS
        else:
            await self._clear([verdict, *self.waiting])
            self.waiting = []

    async def _settle(self, pod: Pod) -> None:
        """A pod was bound: what binding wrote is read, and where others may preempt it, it starts."""
        server = self.session.server
        if any(used_claims(pod)):
            await server.controller.idle()
            await self.ours.read_again(server.client)
        if self.world.preempts:
            await server.start(pod, _start_time(len(server.pods.objects)))

    async def _clear(self, verdicts: Sequence[Verdict]) -> None:
        """Delete pods that wait, then those that they have preempted: the other way round they would take the room."""
        await self.session.server.remove([key_of(verdict.pod) for verdict in verdicts])
        await self.session.server.remove([_key(victim) for verdict in verdicts for victim in verdict.log.victims])


async def oracle(folder: Path, binaries: Binaries, order: Order, disagree: Say) -> Report:
    """Compare what is ordered, on a control plane of its own in `folder`; `disagree` is told each difference."""
    report = Report()
    with running(folder, binaries, bare=True) as plane:
        async with connected(plane) as (client, pods, controller):
            await prepare(client, NAMESPACES, shared())
            for epoch, worlds in order.epochs():
                profiles = variants(order.seed, epoch)
                configured = [profile.configuration() for profile in profiles]
                async with kube_scheduler(plane, binaries, configured, folder) as scheduler:
                    server = Server(client, scheduler, pods, controller)
                    session = Session(order.seed, server, profiles, report, disagree)
                    for number in worlds:
                        await session.world(number, order.decisions - report.decisions)
                        if report.decisions >= order.decisions:
                            return report
    return report


def _start_time(number: int) -> str:
    """Another for each number, and later than those of pods that a world began with."""
    return f"2026-02-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"


def _key(name: str) -> Key:
    namespace, _, rest = name.partition("/")
    return namespace, rest
