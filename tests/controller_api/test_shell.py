"""kopf as a pair of ears: what it hears is handed on, it writes nothing, and it may die."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from pointsman.api.names import FLEET_NAMESPACE
from pointsman.controller.shell import Shell
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import Connection, connect
from tests.controller_api.fleet import profile
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

Heard = asyncio.Queue[tuple[str, str]]
SECONDS = 20.0


class Ears:
    """A running shell, and what it heard: kind of event and name."""

    def __init__(self, connection: Connection) -> None:
        self.heard: Heard = asyncio.Queue()
        self.restarted = asyncio.Event()
        self.shell = Shell(
            connection,
            FLEET_NAMESPACE,
            self._profile,
            self._child,
            self._served,
            clock=SystemClock(),
            rng=random.Random(1),
        )

    def _profile(self, body: Mapping[str, Any], gone: bool) -> None:
        self.heard.put_nowait(("gone" if gone else "profile", body["metadata"]["name"]))

    def _child(self, body: Mapping[str, Any]) -> None:
        self.heard.put_nowait(("child", body["metadata"]["name"]))

    async def _served(self) -> None:
        self.restarted.set()

    async def hear(self, kind: str, name: str) -> None:
        """Wait until this was heard; other things may be heard before."""
        async with asyncio.timeout(SECONDS):
            while await self.heard.get() != (kind, name):
                pass


@asynccontextmanager
async def listening(connection: Connection) -> AsyncIterator[Ears]:
    ears = Ears(connection)
    task = asyncio.create_task(ears.shell.run())
    try:
        yield ears
    finally:
        task.cancel()
        await asyncio.wait([task], timeout=SECONDS)
        assert task.cancelled()


@pytest.fixture
async def connection(operator_kubeconfig: str) -> Connection:
    return await connect(operator_kubeconfig)


async def test_profiles_and_our_children_are_heard_and_nothing_is_written(
    plane: ControlPlane, connection: Connection, name: str
) -> None:
    ours = {"app.kubernetes.io/managed-by": "pointsman", "pointsman.dev/profile": name}
    metadata = {"name": f"engine-{name}", "namespace": FLEET_NAMESPACE, "labels": ours}
    foreign = {"name": f"foreign-{name}", "namespace": FLEET_NAMESPACE}
    async with listening(connection) as ears:
        plane.apply(profile(name))
        await ears.hear("profile", name)
        plane.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": foreign})
        plane.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        await ears.hear("child", f"engine-{name}")
        plane.kubectl("delete", "serviceaccount", f"engine-{name}", "-n", FLEET_NAMESPACE)
        await ears.hear("child", f"engine-{name}")
        plane.kubectl("delete", "sprof", name)
        await ears.hear("gone", name)
        assert ears.shell.stuck() == []
    assert not ears.shell.watching
    plane.kubectl("delete", "configmap", f"foreign-{name}", "-n", FLEET_NAMESPACE)
    eventually(lambda: "watch" in verbs_of_kopf(plane), what="the watches to be in the audit log")
    assert verbs_of_kopf(plane) == {"get", "list", "watch"}


def verbs_of_kopf(plane: ControlPlane) -> set[str]:
    """What kopf asked of the API server; a call is in the log when it has ended."""
    return {call.verb for call in plane.audit() if call.user_agent.startswith("kopf")}


async def test_it_starts_again_when_its_credentials_are_refused_and_goes_on_when_they_are_not(
    plane: ControlPlane, connection: Connection, name: str
) -> None:
    forgotten = asyncio.Event()
    good = True

    async def token() -> str | None:
        return await connection.token() if good else "nobody"

    plane.apply(profile(name))
    async with listening(replace(connection, token=token, forget_token=forgotten.set)) as ears:
        await ears.hear("profile", name)
        assert not ears.restarted.is_set()
    good = False
    async with listening(replace(connection, token=token, forget_token=forgotten.set)) as ears:
        async with asyncio.timeout(SECONDS):
            await forgotten.wait()
            await ears.restarted.wait()
        good = True
        await ears.hear("profile", name)
