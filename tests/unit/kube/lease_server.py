"""One Lease in memory, with optimistic locking, and lines to it that fail, lag and freeze as the test says."""

import asyncio
import copy
from typing import Any

import msgspec

from pointsman.kube.errors import Conflict, Forbidden, NotFound, Unreachable
from pointsman.testing.clock import VirtualClock

PATH = "/apis/coordination.k8s.io/v1/namespaces/fleet/leases"


class LeaseServer:
    """What an API server does with Leases, as far as electors can tell."""

    def __init__(self) -> None:
        self.lease: dict[str, Any] | None = None
        self.version = 0
        self.uids = 0
        self.writes: list[str] = []  # the holder that each write left

    def make(self, **content: Any) -> dict[str, Any]:
        """Create the Lease, as the operator does: without a spec."""
        if self.lease is not None:
            raise Conflict(409, "AlreadyExists", "it exists")
        self.uids += 1
        metadata = {"name": "engine-a", "namespace": "fleet", "uid": f"uid-{self.uids}", "annotations": {}}
        metadata |= content.pop("metadata", {})
        self.lease = {"metadata": metadata, **content}
        return self._stored()

    def delete(self) -> None:
        self.lease = None

    def annotate(self, key: str, value: str) -> None:
        """Write an annotation, as the operator does by server-side apply."""
        assert self.lease is not None
        self.lease["metadata"]["annotations"][key] = value
        self._stored()

    def read(self) -> dict[str, Any]:
        if self.lease is None:
            raise NotFound(404, "NotFound", 'leases "engine-a" not found')
        return copy.deepcopy(self.lease)

    def merge(self, patch: dict[str, Any]) -> dict[str, Any]:
        lease = self.read()
        if patch["metadata"]["resourceVersion"] != lease["metadata"]["resourceVersion"]:
            raise Conflict(409, "Conflict", "the object has been modified")
        lease["metadata"]["annotations"] |= patch["metadata"].get("annotations", {})
        lease["spec"] = lease.get("spec", {}) | patch["spec"]
        self.lease = lease
        return self._stored()

    @property
    def holder(self) -> str:
        return str((self.lease or {}).get("spec", {}).get("holderIdentity", ""))

    @property
    def was_held(self) -> bool:
        return "spec" in (self.lease or {})

    @property
    def spec(self) -> dict[str, Any]:
        return dict(self.read()["spec"])

    def _stored(self) -> dict[str, Any]:
        assert self.lease is not None
        self.version += 1
        self.lease["metadata"]["resourceVersion"] = str(self.version)
        self.writes.append(self.holder)
        return copy.deepcopy(self.lease)


class Line:
    """A client of that server, as far as an elector uses one."""

    def __init__(self, server: LeaseServer, clock: VirtualClock) -> None:
        self.server = server
        self.down = False  # nothing gets through
        self.deaf = False  # everything gets through, no answer comes back
        self.forbidden = False
        self.there = 0.0  # seconds on the way to the server
        self.back = 0.0  # and back
        self.calls: list[str] = []
        self.thawed = asyncio.Event()
        self.thawed.set()
        self._clock = clock
        self._late: set[asyncio.Task[Any]] = set()

    async def request(
        self, method: str, path: str, *, body: bytes | None, content_type: str, timeout: float, urgent: bool
    ) -> bytes:
        assert urgent, "a renewal must not wait behind bindings"
        assert path == (PATH if method == "POST" else f"{PATH}/engine-a")
        assert content_type == ("application/merge-patch+json" if method == "PATCH" else "application/json")
        verb = {"GET": "get", "PATCH": "patch", "POST": "create"}[method]
        return await self._call(verb, timeout, None if body is None else msgspec.json.decode(body))

    async def _call(self, verb: str, timeout: float, body: dict[str, Any] | None = None) -> bytes:
        self.calls.append(verb)
        await self.thawed.wait()
        if self.down:
            raise Unreachable("connection refused")
        if self.forbidden:
            raise Forbidden(403, "Forbidden", "leases is not for you")
        if self.there + self.back >= timeout or self.deaf:
            late = asyncio.create_task(self._arrive(verb, body))
            self._late.add(late)
            late.add_done_callback(self._late.discard)
            await self._clock.sleep(timeout)
            await self.thawed.wait()
            raise Unreachable("timed out")
        if self.there:
            await self._clock.sleep(self.there)
        answer = self._serve(verb, body)
        if self.back:
            await self._clock.sleep(self.back)
        await self.thawed.wait()
        if isinstance(answer, Exception):
            raise answer
        return msgspec.json.encode(answer)

    async def _arrive(self, verb: str, body: dict[str, Any] | None) -> None:
        """What was given up on gets there all the same."""
        await self._clock.sleep(self.there)
        self._serve(verb, body)

    def _serve(self, verb: str, body: dict[str, Any] | None) -> dict[str, Any] | Exception:
        try:
            if verb == "get":
                return self.server.read()
            assert body is not None
            return self.server.merge(body) if verb == "patch" else self.server.make(**body)
        except (Conflict, NotFound) as error:
            return error


class FrozenClock:
    """The clock of a process that may be stopped: time passes, but nobody wakes."""

    def __init__(self, clock: VirtualClock, line: Line) -> None:
        self._clock = clock
        self._line = line
        self.monotonic = clock.monotonic
        self.now = clock.now

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        await self._line.thawed.wait()
