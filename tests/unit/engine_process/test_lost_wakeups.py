"""No pod waits for a change that has happened: whatever the cluster does, who is parked would be rejected again."""

import random
from collections.abc import Callable

import pytest
from tests.unit.engine_process.harness import ours
from tests.unit.engine_process.test_scheduler import Bench

from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.queue.queued_pod import Place
from pointsman.kube.objects import Node
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import PodBuilder, host_port, node, pod

STEPS = 150


class World:
    """A handful of nodes, pods that run there and pods that wait, changed at random."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.bench = Bench()
        self.running: dict[str, PodInfo] = {}
        self.names = 0

    def step(self) -> None:
        act: Callable[[], None] = self.draw.choice(
            [self.change_node, self.change_node, self.remove_node, self.arrive, self.arrive, self.depart, self.shrink]
        )
        act()
        while self.bench.scheduler.has_next():
            self.bench.scheduler.schedule_next()
            while self.bench.submitted:
                assumption = self.bench.submitted.pop()
                verdict = self.draw.choice([Verdict.BOUND, Verdict.BOUND, Verdict.DROPPED])
                if verdict is Verdict.BOUND:
                    self.runs(assumption.pod, assumption.node)
                self.bench.settle(assumption, Outcome(verdict))

    def runs(self, one: PodInfo, node_name: str) -> None:
        self.bench.assigned(PodBuilder(one.pod), node_name)
        self.running[one.uid] = PodBuilder(one.pod).on(node_name).info()

    def change_node(self) -> None:
        draw = self.draw
        target = node(draw.choice("abcd")).cpu(str(draw.randint(1, 4))).memory("4Gi").pods(draw.randint(0, 4))
        if draw.random() < 0.3:
            target = target.taint("t")
        if draw.random() < 0.5:
            target = target.label("disk", draw.choice(["ssd", "hdd"]))
        built: Node = target.spec(unschedulable=True, taints=()).build() if draw.random() < 0.2 else target.build()
        self.bench._broadcast(self.bench.cluster.upsert_node(built))

    def remove_node(self) -> None:
        self.bench._broadcast(self.bench.cluster.remove_node(self.draw.choice("abcd")))

    def arrive(self) -> None:
        draw = self.draw
        self.names += 1
        new = ours(f"p{self.names}")
        ports = (host_port(draw.choice([80, 81])),) if draw.random() < 0.3 else ()
        new = new.container(cpu=f"{draw.randint(0, 40)}00m", memory=f"{draw.randint(0, 3)}Gi", ports=ports)
        if draw.random() < 0.2:
            new = new.select("disk", draw.choice(["ssd", "hdd"]))
        if draw.random() < 0.3:
            self.runs(pod(f"other{self.names}").container(cpu="1", ports=ports).info(), draw.choice("abcde"))
        self.bench.pending(new)

    def depart(self) -> None:
        if self.running:
            uid = self.draw.choice(sorted(self.running))
            self.bench.deleted(PodBuilder(self.running.pop(uid).pod))

    def shrink(self) -> None:
        if self.running:
            one = self.running[self.draw.choice(sorted(self.running))]
            ports = tuple(port for container in one.pod.spec.containers for port in container.ports)
            smaller = pod(one.name).metadata(uid=one.uid).container(cpu="100m", ports=ports)
            self.runs(smaller.info(), one.node_name)

    def fitting(self) -> list[str]:
        """Pods that are parked although they fit."""
        state = self.bench.scheduler._state
        parked = [record.pod for record in state.queue.records() if record.place is Place.UNSCHEDULABLE]
        candidates, cluster = state.pool.candidates, self.bench.cluster
        return [
            one.name
            for one in parked
            if schedule(state.policy, one, cluster, candidates, Nominator(), self.draw).row is not None
        ]


@pytest.mark.parametrize("seed", range(20))
def test_nobody_who_fits_is_left_waiting(seed: int) -> None:
    world = World(seed)
    for _ in range(STEPS):
        world.step()
        assert world.fitting() == []
