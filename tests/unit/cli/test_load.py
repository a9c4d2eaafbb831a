"""`pointsman load`: the pace on a virtual clock, what pods look like, and what is said when they are refused."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from pointsman.cli.load import command
from pointsman.cli.podload import LOAD_LABEL, Plan, Tally, pod_of, run_load
from pointsman.kube.client import Client
from pointsman.kube.errors import Forbidden, Unreachable
from pointsman.testing.clock import VirtualClock

POD = {"metadata": {"generateName": "load-"}, "spec": {"schedulerName": "a"}}


@dataclass
class Server:
    """Takes pods and remembers when; `answer` is asked first and may raise, `delay` is how long each call takes."""

    clock: VirtualClock
    answer: Callable[[int], None] = lambda _: None
    delay: float = 0.0
    start: float = 0.0
    times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = self.clock.monotonic()

    async def create(self, path: str, obj: Mapping[str, Any]) -> bytes:
        assert (path, obj) == ("/api/v1/namespaces/default/pods", POD)
        self.times.append(self.clock.monotonic() - self.start)
        await self.clock.sleep(self.delay)
        self.answer(len(self.times))
        return b"{}"


async def load(
    clock: VirtualClock, server: Server, plan: Plan, seconds: float, stop_after: float | None = None
) -> tuple[Tally | None, list[str]]:
    """What became of a plan after some seconds; None while it still goes on."""
    said: list[str] = []
    stop = asyncio.Event()
    task = asyncio.create_task(run_load(cast("Client", server), plan, stop, clock, said.append))
    if stop_after is not None:
        await clock.advance(stop_after)
        stop.set()
    await clock.advance(seconds - (stop_after or 0))
    if task.done():
        return task.result(), said
    task.cancel()
    await asyncio.wait([task])
    return None, said


@pytest.mark.parametrize(
    ("plan", "times"),
    [
        pytest.param({}, [0, 5, 10, 15, 20, 25, 30], id="by default one every five seconds"),
        pytest.param({"rate": 0.1}, [0, 10, 20, 30], id="by rate"),
        pytest.param({"rate": 0.2, "burst": 2}, [0, 0, 10, 10, 20, 20, 30, 30], id="in bursts, at the same rate"),
        pytest.param({"count": 2}, [0, 5], id="until so many"),
        pytest.param({"burst": 3, "count": 4, "rate": 3}, [0, 0, 0, 1], id="the last burst is what is left"),
        pytest.param({"duration": 10}, [0, 5], id="until so long"),
    ],
)
async def test_pods_are_made_when_they_are_due(plan: dict[str, Any], times: list[float]) -> None:
    clock = VirtualClock()
    server = Server(clock)
    await load(clock, server, Plan(POD, "default", **plan), 30)
    assert server.times == times


async def test_the_pace_does_not_depend_on_how_long_calls_take() -> None:
    clock = VirtualClock()
    server = Server(clock, delay=7)
    tally, _ = await load(clock, server, Plan(POD, "default", rate=1, count=5), 20)
    assert server.times == [0, 1, 2, 3, 4]
    assert tally is not None
    assert tally.created == 5


async def test_a_stop_ends_it_at_once_but_lets_calls_end() -> None:
    clock = VirtualClock()
    server = Server(clock, delay=2)
    tally, _ = await load(clock, server, Plan(POD, "default"), 8, stop_after=6)
    assert tally is not None
    assert (server.times, tally.created) == ([0, 5], 2)


async def test_a_passing_failure_is_told_once_and_does_not_end_it() -> None:
    def refuse(number: int) -> None:
        if number in {2, 3}:
            raise Unreachable("connection refused")

    clock = VirtualClock()
    tally, said = await load(clock, Server(clock, refuse), Plan(POD, "default", count=5), 30)
    assert tally is not None
    assert (tally.created, tally.failed, tally.hopeless) == (3, 2, None)
    assert said == ["a pod was not created: connection refused; going on"]


async def test_a_refusal_that_will_be_repeated_ends_it() -> None:
    def refuse(_: int) -> None:
        raise Forbidden(403, "Forbidden", "pods is forbidden")

    clock = VirtualClock()
    server = Server(clock, refuse)
    tally, said = await load(clock, server, Plan(POD, "default"), 60)
    assert tally is not None
    assert (len(server.times), str(tally.hopeless)) == (1, "pods is forbidden")
    assert said == []


def test_a_pod_is_the_template_with_a_generated_name_a_label_and_the_scheduler() -> None:
    template = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "elsewhere", "labels": {"app": "web"}},
        "spec": {"schedulerName": "a", "containers": []},
    }
    assert pod_of(template, "b") == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "web-", "labels": {"app": "web", LOAD_LABEL: "b"}},
        "spec": {"schedulerName": "b", "containers": []},
    }
    assert pod_of(template, "")["spec"]["schedulerName"] == "a"
    assert template["metadata"] == {"name": "web", "namespace": "elsewhere", "labels": {"app": "web"}}


def test_a_pod_without_a_scheduler_is_not_made() -> None:
    with pytest.raises(ValueError, match="give --scheduler-name"):
        pod_of({"spec": {}}, "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param([], "give --scheduler-name, or set spec.schedulerName in the template", id="no scheduler"),
        pytest.param(["--rate", "0"], "'--rate': 0.0 is not in the range x>0", id="no rate"),
        pytest.param(["--burst", "0"], "'--burst': 0 is not in the range x>=1", id="no burst"),
        pytest.param(["--template", "missing"], "missing: No such file or directory", id="no template"),
        pytest.param(["--template", "node"], "node: must hold one Pod, and nothing else", id="another kind"),
    ],
)
def test_bad_options_are_usage_errors(
    args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "node").write_text("kind: Node")
    result = CliRunner().invoke(command, args)
    assert result.exit_code == 2
    assert message in result.output


def test_without_a_cluster_it_says_so_in_one_line() -> None:
    result = CliRunner(env={"KUBECONFIG": None, "KUBERNETES_SERVICE_HOST": None}).invoke(command, ["--cleanup"])
    assert result.exit_code == 1
    assert result.output.startswith("pointsman load: no API server to talk to")
    assert result.output.count("\n") == 1
