"""The same where important pods make others go: the room is taken or given up, and nobody waits for nothing."""

import pytest
from tests.unit.engine.random_pods import some_pod
from tests.unit.wakes.test_random_events import BusyWorld

from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.preemption.eviction import Eviction
from pointsman.engine.queue.queued_pod import Place
from pointsman.testing.builders import PodBuilder

STEPS = 80


class UnequalWorld(BusyWorld):
    """Its pods differ in priority, and its evictions succeed, at once or a little later, or fail."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.leaving: list[PodBuilder] = []

    def live(self) -> None:
        super().live()
        self.names += 1
        wanted = some_pod(self.draw, f"new{self.names}", wishes=1).container(name="more", cpu="1")
        self.bench.put(wanted.priority(self.draw.choice((0, 10, 100))).spec(scheduler_name="ours"))
        self.go_on()

    def go_on(self) -> None:
        """Decide, carry out what was decided, and let those go that were asked to."""
        self.bench.decide()
        while self.bench.submitted:
            self._settle_one()
        while self.bench.evictions:
            self._evict(self.bench.evictions.pop())
        while self.leaving and self.draw.random() < 0.7:
            gone = self.leaving.pop()
            self.things.pop(("Pod", (gone.draft.metadata.namespace, gone.draft.metadata.name)), None)
            self.bench.take(gone)

    def _evict(self, eviction: Eviction) -> None:
        if self.draw.random() < 0.2:
            eviction.ended("the API server is away")
            return
        for victim in eviction.victims:
            eviction.evicted(victim)
            leaving = PodBuilder(victim.pod).terminating()
            self.bench.put(leaving)
            self.leaving.append(leaving)
        eviction.ended("")

    def settle_down(self) -> None:
        """Let time pass without news until everybody who was asked to has gone."""
        for _ in range(40):
            self.bench.clock.jump(1)
            self.bench.scheduler.flush()
            self.go_on()
        assert not self.leaving

    def waiting_for_nothing(self) -> list[str]:
        """Pods that wait for a change although they fit, beside those that others make room for."""
        state, around = self.bench.scheduler._state, self.bench.scheduler._around
        parked = [record for record in state.queue.records() if record.place is Place.UNSCHEDULABLE]
        return [
            f"{record.pod.name}, refused by {sorted(record.rejectors)}"
            for record in parked
            if schedule(state.policy, record.pod, self.cluster, state.pool.candidates, around.nominator, self.draw).row
            is not None
        ]


@pytest.mark.parametrize("seed", range(6))
def test_when_all_has_settled_nobody_waits_who_fits(seed: int) -> None:
    world = UnequalWorld(seed)
    for _ in range(STEPS):
        world.live()
    world.settle_down()
    assert any("preempted by" in said for said in world.bench.said)
    assert world.waiting_for_nothing() == []
