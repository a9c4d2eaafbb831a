"""The cluster that a workload starts from: made once through the API, kept as an etcd folder, copied for every run.

So every contestant meets the same objects with the same resource versions, and nothing of an earlier run.
"""

import asyncio
import shutil
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import msgspec

from tests.bench.side_by_side.workloads import NAMESPACE, Manifest, Workload, measured, node
from tests.controlplane.build import Binaries
from tests.controlplane.files import SCHEDULER
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running

AT_ONCE: Final = 64
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


class Door:
    """A client of the measurements' own, so that it measures nothing of what is measured."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane

    async def __aenter__(self) -> "Door":
        context = ssl.create_default_context(cafile=self._plane.ca)
        self._session = aiohttp.ClientSession(
            self._plane.url,
            connector=aiohttp.TCPConnector(limit=2 * AT_ONCE, ssl=context),
            headers={"Authorization": f"Bearer {self._plane.token}"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def send(self, method: str, path: str, body: Manifest | None = None) -> dict[str, Any]:
        """The decoded answer. Raises aiohttp.ClientResponseError with what the API server said."""
        data = None if body is None else msgspec.json.encode(body)
        headers = {"Content-Type": "application/json"}
        async with self._session.request(method, path, data=data, headers=headers) as answer:
            content = await answer.read()
            if answer.status >= 300:
                raise aiohttp.ClientResponseError(
                    answer.request_info, answer.history, status=answer.status, message=content.decode()[:500]
                )
            return dict(msgspec.json.decode(content))

    async def lines(self, path: str) -> aiohttp.ClientResponse:
        """The open answer of a watch, to be read line by line."""
        return await self._session.get(path)

    async def send_all(self, work: Iterator[Callable[[], Awaitable[object]]]) -> None:
        """Do it all, so many at once."""

        async def worker() -> None:
            for one in work:
                await one()

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))


@contextmanager
def server(folder: Path, binaries: Binaries, state: Path | None = None) -> Iterator[ControlPlane]:
    """etcd and kube-apiserver alone, empty or on a copy of a kept state."""
    folder.mkdir()
    with running(folder, binaries, bare=True, state=state) as plane:
        yield plane


def prepare(workload: Workload, folder: Path, binaries: Binaries) -> Path:
    """Make the workload's cluster; returns the etcd folder of it."""
    kept = folder / f"{workload.title}.etcd"
    with server(folder / f"{workload.title}.prepare", binaries) as plane:
        asyncio.run(_fill(plane, workload))
        store = next(process for process in plane.processes if process.name == "etcd")
        for process in plane.processes:
            if process is not store:
                process.kill()
        store.popen.terminate()  # in good order: what it has not written yet would be missing
        store.popen.wait(60)
        shutil.copytree(plane.folder / "etcd", kept)
    return kept


async def _fill(plane: ControlPlane, workload: Workload) -> None:
    async with Door(plane) as door:
        await door.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", _everything())
        for one in workload.classes:
            await door.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", one)
        await door.send("POST", LEASE, _lease())
        await door.send_all(_post(door, "/api/v1/nodes", node(number)) for number in range(workload.nodes))
        await door.send_all(_post(door, PODS, one) for one in pods(workload))


def pods(workload: Workload) -> Iterator[Manifest]:
    """Existing pods on their nodes in turn, waiting ones, and those that are measured."""
    for number in range(workload.existing if workload.make_existing else 0):
        manifest = workload.make_existing(number)  # type: ignore[misc]
        yield {**manifest, "spec": {**manifest["spec"], "nodeName": f"node-{number % workload.nodes:05}"}}
    for number in range(workload.waiting if workload.make_waiting else 0):
        yield workload.make_waiting(number)  # type: ignore[misc]
    for number in range(workload.measured):
        yield measured(workload.make(number))


def _post(door: Door, path: str, body: Manifest) -> Callable[[], Awaitable[object]]:
    return lambda: door.send("POST", path, body)


def _lease() -> Manifest:
    metadata = {"name": "bench", "namespace": "kube-system"}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}


def _everything() -> Manifest:
    """All contestants act as kube-scheduler's user, so that they share its place in the API server's queues."""
    subject = {"kind": "User", "name": SCHEDULER[0], "apiGroup": "rbac.authorization.k8s.io"}
    role = {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": "rbac.authorization.k8s.io"}
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding"}
    return {**kind, "metadata": {"name": "bench"}, "subjects": [subject], "roleRef": role}
