"""Whatever happens, in whatever order: nobody who fits is left waiting for longer than back-off and flush allow."""

import pytest
from tests.unit.engine.putting import identity
from tests.unit.engine.random_pods import APPS, some_pod
from tests.unit.engine.random_world import RandomWorld
from tests.unit.wakes.bench import WakeBench

from pointsman.engine.binding.verdict import Outcome, Verdict
from pointsman.engine.cluster.cluster import Changes
from pointsman.engine.cycle.cycle import schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.queue.queued_pod import Place
from pointsman.testing.builders import PodBuilder

STEPS = 120


class BusyWorld(RandomWorld):
    """A random world with a scheduler in it, whose pods come, wait and run."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.bench = WakeBench(cluster=self.cluster)
        self.names = 0

    def live(self) -> None:
        """Let something happen, and the scheduler do what it does."""
        self.bench.tell(self.step())
        if self.draw.random() < 0.4:
            self.names += 1
            self.bench.put(some_pod(self.draw, f"new{self.names}", wishes=3).spec(scheduler_name="ours"))
        if self.draw.random() < 0.1:
            self._change_a_waiting_pod()
        self.bench.clock.jump(self.draw.choice((0, 1, 3)))
        self.bench.scheduler.flush()
        self.bench.decide()
        while self.bench.submitted:
            self._settle_one()
            self.bench.decide()

    def _running(self) -> PodBuilder:
        """A pod that came to run elsewhere; of one that is there only what may change: labels, and that it ends."""
        made = super()._running()
        known = self.things.get(identity(made))
        if not isinstance(known, PodBuilder):
            return made
        known = known.label("app", self.draw.choice(APPS))
        if self.draw.random() < 0.2:
            known = known.terminating()
        return known.status(phase="Succeeded") if self.draw.random() < 0.2 else known

    def _change_a_waiting_pod(self) -> None:
        """What may change on a pod that waits: labels, and tolerations may be added."""
        waiting = [PodBuilder(record.pod.pod) for record in self.bench.scheduler._state.queue.records()]
        if waiting:
            pod = self.draw.choice(waiting)
            self.bench.put(self.draw.choice((pod.label("app", self.draw.choice(APPS)), pod.tolerate("t"))))

    def _settle_one(self) -> None:
        """A binding succeeds, and the watch tells of it; or the pod was gone; or it fails."""
        assumption = self.bench.submitted.pop()
        verdict = self.draw.choice((Verdict.BOUND, Verdict.BOUND, Verdict.DROPPED, Verdict.FAILED))
        if verdict is Verdict.BOUND:
            bound = PodBuilder(assumption.pod.pod).on(assumption.node)
            self.things[identity(bound)] = bound
            self.bench.put(bound)
        self.bench.settle(assumption, Outcome(verdict))

    def _assume(self) -> Changes:
        """Only the scheduler assumes, and its bindings end at once."""
        return ()

    def fitting(self) -> list[str]:
        """Pods that wait for a change although they fit."""
        state = self.bench.scheduler._state
        parked = [record for record in state.queue.records() if record.place is Place.UNSCHEDULABLE]
        return [
            f"{record.pod.name}, refused by {sorted(record.rejectors)}"
            for record in parked
            if schedule(state.policy, record.pod, self.cluster, state.pool.candidates, Nominator(), self.draw).row
            is not None
        ]


@pytest.mark.parametrize("seed", range(10))
def test_nobody_who_fits_is_left_waiting_for_a_change(seed: int) -> None:
    world = BusyWorld(seed)
    for step in range(STEPS):
        world.live()
        assert world.fitting() == [], f"step {step}"


@pytest.mark.parametrize("seed", range(5))
def test_everybody_who_fits_is_bound_after_the_longest_back_off(seed: int) -> None:
    """Ten seconds of back-off and its window of one second: no flush is needed."""
    world = BusyWorld(seed)
    for _ in range(STEPS):
        world.live()
    world.bench.within(11)
    assert world.fitting() == []
    assert world.bench.scheduler.report().pending.backoff == 0
