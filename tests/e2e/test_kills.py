"""Processes die at the worst moments; pods are placed all the same, once each, and nobody counts backwards."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pointsman.api.names import REPORT_ANNOTATION, REPORT_INTERVAL_SECONDS
from pointsman.api.report import decode
from tests.controlplane.wait import eventually
from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import FLEET, SYSTEM, Fleet, hollow
from tests.e2e.pace import pass_time
from tests.e2e.witness import ENGINE_USER, Binding, bindings
from tests.e2e.workloads import in_pool, pod, profile

pytestmark = pytest.mark.timeout(400)

NAME = "killed"
RATE = 10
SECONDS = 60
ENGINE_KILLS = 20
OPERATOR_KILLS = 5


@pytest.fixture
def cluster(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """20 nodes of 32 pods each: room for 640 pods of 100m and no more than 7 % to spare."""
    with make_fleet(hollow(20, pool="kills", cpu="3200m")) as fleet:
        yield fleet


@dataclass
class Counters:
    """What the report on the Lease said whenever it was looked at."""

    scheduled: list[int] = field(default_factory=list)

    def look(self, fleet: Fleet) -> None:
        """Read the Lease once; a Lease without a report yet tells nothing."""
        lease = fleet.plane.get("lease", f"engine-{NAME}", "-n", FLEET)
        report = decode(lease["metadata"].get("annotations", {}).get(REPORT_ANNOTATION, ""))
        if report and NAME in report.profiles:
            self.scheduled.append(report.profiles[NAME].attempts.scheduled)


def test_pods_arrive_for_a_minute_while_engine_and_operator_are_killed(cluster: Fleet, tmp_path: Path) -> None:
    cluster.apply(profile(NAME))
    cluster.wait_ready(NAME)
    template = tmp_path / "pod.yaml"
    template.write_text(str(pod("load", NAME, **in_pool("kills"))))
    counters = Counters()
    killed_at: list[float] = []
    killed: set[int] = set()
    with loading(cluster, template) as load:
        start = time.monotonic()
        for kill in kill_plan(random.Random(20261130)):
            pass_time(start + kill.at - time.monotonic(), lambda: counters.look(cluster))
            moment = kill_next(cluster, kill.namespace, killed)
            if kill.namespace == FLEET:
                killed_at.append(moment)
        assert load.wait(timeout=SECONDS * 2) == 0
    total = RATE * SECONDS
    cluster.wait_bound(total, f"app={NAME}", seconds=90)

    placed = [bound for bound in bindings(cluster.plane.audit()) if bound.namespace == "default"]
    assert len({bound.pod for bound in placed}) == len(placed) == total
    assert {bound.user for bound in placed} == {ENGINE_USER + NAME}
    cluster.assert_no_node_is_overcommitted()
    cluster.assert_nobody_was_refused()
    assert len(killed) == ENGINE_KILLS + OPERATOR_KILLS
    pass_time(2 * REPORT_INTERVAL_SECONDS, lambda: counters.look(cluster))
    assert counters.scheduled == sorted(counters.scheduled), "a counter fell"
    assert total - lost_at_most(placed, killed_at) <= counters.scheduled[-1] <= total


@dataclass(frozen=True)
class Kill:
    """One kill: seconds after the start, and the namespace whose pod dies."""

    at: float
    namespace: str


def kill_plan(rng: random.Random) -> list[Kill]:
    """20 kills of the engine and 5 of the operator, spread over the minute at no regular distance."""
    step = SECONDS / ENGINE_KILLS
    engine = [Kill(number * step + rng.uniform(0, step), FLEET) for number in range(ENGINE_KILLS)]
    step = SECONDS / OPERATOR_KILLS
    operator = [Kill(number * step + rng.uniform(0, step), SYSTEM) for number in range(OPERATOR_KILLS)]
    return sorted(engine + operator, key=lambda kill: kill.at)


@contextmanager
def loading(fleet: Fleet, template: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`pointsman load` at 10 pods a second for a minute."""
    command = [
        *(sys.executable, "-m", "pointsman", "load", "--kubeconfig", str(fleet.plane.kubeconfig)),
        *("--template", str(template), "--scheduler-name", NAME),
        *("--rate", str(RATE), "--count", str(RATE * SECONDS)),
    ]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.terminate()


def kill_next(fleet: Fleet, namespace: str, killed: set[int]) -> float:
    """Kill the process of the namespace's one pod as soon as it has one that was not killed before.

    Returns the moment of the kill, as a timestamp.
    """
    label = f"pointsman.dev/profile={NAME}" if namespace == FLEET else "app.kubernetes.io/component=operator"

    def hit() -> bool:
        pods = fleet.pods(label, namespace)
        processes = {fleet.agent.kill(namespace, pod["metadata"]["name"], signal.SIGKILL) for pod in pods}
        fresh = processes - killed - {0}
        killed.update(fresh)
        return bool(fresh)

    eventually(hit, what=f"a process to kill in {namespace}")
    return time.time()


def lost_at_most(placed: list[Binding], kills: list[float]) -> int:
    """Binds of the ten seconds before each kill, plus a second for the clocks of log and test."""
    return sum(
        any(kill - REPORT_INTERVAL_SECONDS - 1 <= bound.at.timestamp() <= kill + 1 for kill in kills)
        for bound in placed
    )  # fmt: skip
