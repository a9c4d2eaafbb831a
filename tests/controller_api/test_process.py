"""The whole operator as one process: it elects, reacts within seconds, answers its probes, and lets go."""

import asyncio
import json
import random
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest

from pointsman.api.names import FLEET_NAMESPACE
from pointsman.controller.http import ServeError
from pointsman.controller.process import Options, run
from pointsman.kube.client import Client
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import connect
from tests.controller_api.fleet import child, children, conditions, profile
from tests.controller_api.operator import FLEET
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

pytestmark = pytest.mark.timeout(120)
T = TypeVar("T")


async def soon(check: Callable[[], T], what: str) -> T:
    """Wait for a condition without holding up the operator, which runs on this loop."""
    return await asyncio.to_thread(eventually, check, what=what)


async def doing(function: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.to_thread(function, *arguments)


class Running:
    """An operator that runs in the background."""

    def __init__(self, identity: str, port: int) -> None:
        self.options = Options(identity, "pointsman-system", FLEET, ("127.0.0.1", port))
        self.stop = asyncio.Event()
        self.task: asyncio.Task[int] | None = None

    async def ended(self) -> int:
        """The exit code, once it has ended."""
        assert self.task is not None
        async with asyncio.timeout(30):
            return await self.task

    def page(self, path: str) -> str:
        """A page's text; empty when it is not there or says that something is wrong."""
        host, port = self.options.listen
        try:
            with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""


@asynccontextmanager
async def operating(kubeconfig: str, identity: str, port: int) -> AsyncIterator[Running]:
    running = Running(identity, port)
    connection = await connect(kubeconfig)
    async with Client(connection, user_agent="pointsman-test") as client:
        work = run(client, connection, running.options, running.stop, clock=SystemClock(), rng=random.Random(1))
        running.task = asyncio.create_task(work)
        try:
            yield running
        finally:
            running.stop.set()
            await running.ended()


def holder(plane: ControlPlane) -> str:
    return str(plane.get("lease", "pointsman-operator", "-n", "pointsman-system")["spec"].get("holderIdentity", ""))


async def test_it_reacts_within_seconds_heals_and_lets_go_of_its_lease(
    plane: ControlPlane, operator_kubeconfig: str, name: str, unused_tcp_port: int
) -> None:
    async with operating(operator_kubeconfig, "one", unused_tcp_port) as operator:
        await doing(plane.apply, profile(name))
        await soon(lambda: f"deployment/engine-{name}" in children(plane, name), "the children")
        await soon(lambda: conditions(plane, name)["Ready"] == ("Unknown", "Progressing"), "the status")
        assert await doing(holder, plane) == "one"
        patch = json.dumps([{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"pool": "x"}}])
        arguments = ("-n", FLEET_NAMESPACE, "--type=json", "-p", patch)
        await doing(plane.kubectl, "patch", "deployment", f"engine-{name}", *arguments)
        await soon(lambda: "nodeSelector" not in pod_spec(plane, name), "the node selector to be taken away")
        await doing(plane.kubectl, "delete", "lease,role", f"engine-{name}", "-n", FLEET_NAMESPACE)
        await soon(lambda: {f"lease/engine-{name}", f"role/engine-{name}"} <= set(children(plane, name)), "both back")
        assert await doing(operator.page, "/healthz") == "ok\n"
        assert await doing(operator.page, "/readyz") == "ok\n"
        metrics = await doing(operator.page, "/metrics")
        assert f'schedulerprofile_condition{{profile="{name}",status="Unknown",type="Ready"}} 1.0' in metrics
        assert "schedulerprofile_leader 1.0" in metrics
        operator.stop.set()
        assert await operator.ended() == 0
    assert await doing(holder, plane) == ""
    events = await doing(plane.get, "events.events.k8s.io", "-n", "default")
    told = [event["reason"] for event in events["items"] if event["regarding"].get("name") == name]
    assert "Progressing" in told


async def test_a_second_operator_stands_by_and_takes_over(
    plane: ControlPlane, operator_kubeconfig: str, name: str, unused_tcp_port_factory: Callable[[], int]
) -> None:
    async with operating(operator_kubeconfig, "one", unused_tcp_port_factory()) as first:
        await soon(lambda: holder(plane) == "one", "the first one to lead")
        async with operating(operator_kubeconfig, "two", unused_tcp_port_factory()) as second:
            await soon(lambda: second.page("/readyz") == "ok\n", "the second one to stand by")
            first.stop.set()
            assert await first.ended() == 0
            await soon(lambda: holder(plane) == "two", "the second one to lead")
            await doing(plane.apply, profile(name))
            await soon(lambda: f"deployment/engine-{name}" in children(plane, name), "the children")


async def test_one_that_sees_another_leader_ends_with_a_fault(
    plane: ControlPlane, operator_kubeconfig: str, unused_tcp_port: int
) -> None:
    async with operating(operator_kubeconfig, "one", unused_tcp_port) as operator:
        await soon(lambda: holder(plane) == "one", "it to lead")
        patch = json.dumps({"spec": {"holderIdentity": "another"}})
        arguments = ("-n", "pointsman-system", "--type=merge", "-p", patch)
        await doing(plane.kubectl, "patch", "lease", "pointsman-operator", *arguments)
        assert await operator.ended() == 1
    await doing(plane.kubectl, "delete", "lease", "pointsman-operator", "-n", "pointsman-system")


async def test_an_address_that_is_taken_is_told_in_words(operator_kubeconfig: str, unused_tcp_port: int) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", unused_tcp_port)
    async with server:
        connection = await connect(operator_kubeconfig)
        options = Options("x", "pointsman-system", FLEET, ("127.0.0.1", unused_tcp_port))
        async with Client(connection, user_agent="pointsman-test") as client:
            with pytest.raises(ServeError, match=f"cannot serve on 127.0.0.1, port {unused_tcp_port}"):
                await run(client, connection, options, asyncio.Event(), clock=SystemClock(), rng=random.Random(1))


def pod_spec(plane: ControlPlane, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = child(plane, "deployment", f"engine-{name}")["spec"]["template"]["spec"]
    return spec
