"""The loop: put up a world, decide on its candidates one after another on both sides, compare, wipe, next world."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman.kube.known import Key
from tests.controlplane.build import Binaries
from tests.controlplane.server import running
from tests.oracle.compare import compare, told
from tests.oracle.kube_scheduler import kube_scheduler
from tests.oracle.ours import Ours
from tests.oracle.profiles import Variant, variants
from tests.oracle.report import Report
from tests.oracle.server import Server, Verdict, connected, prepare
from tests.oracle.things import Candidate, World
from tests.oracle.worlds.generate import generate
from tests.oracle.worlds.shared import NAMESPACES, shared

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """So many decisions, on the worlds 0, 1, … of a seed or on one of them alone."""

    seed: int
    decisions: int
    world: int | None = None

    def worlds(self) -> Iterable[int]:
        return itertools.count() if self.world is None else (self.world,)


@dataclass(frozen=True, slots=True)
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
            await self._decisions(number, world, ours, limit)
        finally:
            await self.server.wipe(world)
            self.server.pods.listener = None

    async def _decisions(self, number: int, world: World, ours: Ours, limit: int) -> None:
        await self.server.put_up(world)
        await ours.read(self.server.client)
        for candidate in world.candidates[:limit]:
            await self._decide(number, world, candidate, ours)

    async def _decide(self, number: int, world: World, candidate: Candidate, ours: Ours) -> None:
        ours.catch_up()
        pod = await self.server.create(candidate)
        if candidate.claims:
            await ours.read_again(self.server.client)
        decided = ours.decide(pod)
        await self.server.release(candidate, pod)
        verdict = await self.server.verdict(pod)
        policy = ours.policies[pod.spec.scheduler_name]
        found = compare(verdict, decided, policy)
        self.report.add(found)
        if not found.equal:
            detail = {"scheduler": pod.spec.scheduler_name, "reason": verdict.reason}
            self.disagree(told(self.seed, number, candidate.key, found, detail))
        await self._follow(verdict, world, ours)

    async def _follow(self, verdict: Verdict, world: World, ours: Ours) -> None:
        """Let the states be equal again: what binding wrote is read, who fits nowhere goes."""
        pod = verdict.pod
        if not verdict.node:
            await self._clear(verdict)
            return
        if any(volume.persistent_volume_claim or volume.ephemeral for volume in pod.spec.volumes):
            await self.server.controller.idle()
            await ours.read_again(self.server.client)
        if world.preempts:
            number = len(self.server.pods.objects)
            await self.server.start(pod, f"2026-02-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z")

    async def _clear(self, verdict: Verdict) -> None:
        gone = [verdict.pod.metadata, *(self.server.pods.objects[key].metadata for key in _keys(verdict.log.victims))]
        await self.server.remove([(one.namespace, one.name) for one in gone])


async def oracle(folder: Path, binaries: Binaries, order: Order, disagree: Say) -> Report:
    """Compare what is ordered, on a control plane of its own in `folder`; `disagree` is told each difference."""
    report = Report()
    profiles = variants(order.seed)
    configured = [profile.configuration() for profile in profiles]
    with running(folder, binaries, bare=True) as plane:
        async with connected(plane) as (client, pods, controller):
            await prepare(client, NAMESPACES, shared())
            async with kube_scheduler(plane, binaries, configured, folder) as scheduler:
                server = Server(client, scheduler, pods, controller)
                session = Session(order.seed, server, profiles, report, disagree)
                for number in order.worlds():
                    await session.world(number, order.decisions - report.decisions)
                    if report.decisions >= order.decisions:
                        break
    return report


def _keys(names: Iterable[str]) -> Iterator[Key]:
    for name in names:
        namespace, _, rest = name.partition("/")
        yield namespace, rest
