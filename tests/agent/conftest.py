"""An agent in the test's own process, on the shared control plane; whatever blocks runs in a thread beside it."""

import asyncio
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from pointsman.kube.connection import Connection, connect
from pointsman.sandbox.agent.agent import BackoffLimits, NodeAgent, NodeShape
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import T, eventually

IMAGE = "test/python:1"
QUICK = BackoffLimits(base=0.1, cap=0.4)


async def until(check: Callable[[], T], what: str, within: float = 20.0) -> T:
    """`eventually`, with the event loop free meanwhile."""
    return await asyncio.to_thread(eventually, check, what=what, within=within)


@pytest.fixture
async def connection(control_plane: ControlPlane) -> Connection:
    return await connect(str(control_plane.kubeconfig))


class Agents:
    """Starts agents that end with the test, and makes pods for their nodes."""

    def __init__(self, plane: ControlPlane, connection: Connection, namespace: str, folder: Path) -> None:
        self.plane = plane
        self.namespace = namespace
        self.folder = folder
        self.node = f"node-{uuid.uuid4().hex[:8]}"
        self.stack = AsyncExitStack()
        self._connection = connection

    async def start(self, *shapes: NodeShape, **options: Any) -> NodeAgent:
        """An agent for the given nodes, or for one that is called `node`; python is its only image."""
        defaults: dict[str, Any] = {
            "images": {IMAGE: (sys.executable,)},
            "work_dir": self.folder,
            "backoff": QUICK,
            "remove_nodes_on_exit": True,
        }
        agent = NodeAgent(self._connection, shapes or (NodeShape(self.node),), **(defaults | options))
        return await self.stack.enter_async_context(agent)

    def pod(
        self, name: str, *args: str, image: str = IMAGE, spec: dict[str, Any] | None = None, **container: Any
    ) -> dict[str, Any]:
        """A pod that is on the node already, since nobody schedules here."""
        main = {"name": "main", "image": image, "args": list(args), **container}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": self.namespace, "labels": {"app": name}},
            "spec": {"nodeName": self.node, "containers": [main], **(spec or {})},
        }

    async def apply(self, manifest: dict[str, Any]) -> None:
        await asyncio.to_thread(self.plane.apply, manifest)

    def get(self, name: str, kind: str = "pod") -> dict[str, Any]:
        return self.plane.get(kind, name, "--namespace", self.namespace)

    async def kubectl(self, *args: str) -> str:
        done = await asyncio.to_thread(self.plane.kubectl, *args, "--namespace", self.namespace)
        return done.stdout

    async def until(self, name: str, is_so: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Waits for something about a pod; returns the pod."""

        def check() -> dict[str, Any]:
            pod = self.get(name)
            return pod if is_so(pod) else {}

        return await until(check, f"{name} {what}")

    async def until_ready(self, name: str) -> dict[str, Any]:
        return await self.until(name, is_ready, "to be ready")

    async def until_phase(self, name: str, phase: str) -> dict[str, Any]:
        return await self.until(name, lambda pod: bool(pod["status"].get("phase") == phase), f"to be {phase}")


@pytest.fixture
async def agents(
    control_plane: ControlPlane, connection: Connection, namespace: str, tmp_path: Path
) -> AsyncIterator[Agents]:
    made = Agents(control_plane, connection, namespace, tmp_path)
    async with made.stack:
        yield made


def condition(pod: dict[str, Any], type_: str) -> str:
    """Status of a condition, or nothing."""
    found = [known for known in pod["status"].get("conditions", ()) if known["type"] == type_]
    return str(found[0]["status"]) if found else ""


def is_ready(pod: dict[str, Any]) -> bool:
    return condition(pod, "Ready") == "True"


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def main_status(pod: dict[str, Any]) -> dict[str, Any]:
    """Status of the container `main`, or nothing."""
    statuses = [status for status in pod["status"].get("containerStatuses", ()) if status["name"] == "main"]
    return statuses[0] if statuses else {}
