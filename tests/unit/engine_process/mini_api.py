"""A small API server in memory: just the calls that an engine makes, with an API server's own rules for bindings.

What it stores is read and changed directly by tests (`put`, `delete`, `pod`). Faults are injected by name: a function
put into `bind_faults` decides about one binding each, and `down` makes every call fail.
"""

import asyncio
import contextlib
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from enum import Enum, auto
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.kube.clock import Clock

Key = tuple[str, str, str]  # plural, namespace, name
Json = dict[str, Any]


class BindFault(Enum):
    """What happens to one binding."""

    LOSE_ANSWER = auto()  # bound, then the connection breaks
    NO_ANSWER = auto()  # not bound, the connection breaks
    SERVER_ERROR = auto()  # not bound, 500


class Refused(Exception):
    """The server says no."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class MiniApi:
    """State, and the handlers on it."""

    def __init__(self) -> None:
        self.objects: dict[Key, Json] = {}
        self.bindings: list[tuple[str, str]] = []  # (pod, node) of every binding that was accepted
        self.deletions: list[tuple[str, str]] = []  # (namespace, name) of what was deleted by a call
        self.events: list[Json] = []
        self.status_patches: list[Json] = []
        self.graceful = False  # deleted pods stay, marked, until the test removes them
        self.forbidden_deletions = 0  # so many are refused first
        self.withheld: set[str] = set()  # names of pods of which the watches hear nothing
        self.bind_faults: deque[BindFault] = deque()
        self.before_bind: deque[Callable[[], None]] = deque()  # each is run when one binding arrives
        self.before_patch: defaultdict[str, deque[Callable[[], None]]] = defaultdict(deque)  # by plural, likewise
        self.listed: set[str] = set()  # plurals of which a list was asked for
        self.refuse: dict[str, int] = {}  # plural -> status with which every call about it is refused
        self.down = False
        self.version = 100
        self._watchers: dict[str, list[asyncio.Queue[Json]]] = {}

    # What tests do

    @contextlib.asynccontextmanager
    async def client(self, clock: Clock) -> AsyncIterator[Client]:
        """Serve, and give a client that talks to it. Several may be open at once, and one after another."""
        server = TestServer(self._application())
        await server.start_server(shutdown_timeout=0.01)
        connection = Connection(str(server.make_url("")).rstrip("/"), None, no_token, "default")
        try:
            async with Client(connection, user_agent="pointsman-test", clock=clock) as client:
                yield client
        finally:
            await server.close()

    def put(self, plural: str, manifest: Json) -> Json:
        """Create or replace an object and tell the watches."""
        metadata = manifest.setdefault("metadata", {})
        key = (plural, metadata.get("namespace", ""), metadata["name"])
        self.version += 1
        metadata["resourceVersion"] = str(self.version)
        kind = "MODIFIED" if key in self.objects else "ADDED"
        self.objects[key] = manifest
        self._tell(plural, kind, manifest)
        return manifest

    def delete(self, plural: str, name: str, namespace: str = "") -> None:
        """Remove an object and tell the watches."""
        gone = self.objects.pop((plural, namespace, name))
        self.version += 1
        self._tell(plural, "DELETED", {**gone, "metadata": {**gone["metadata"], "resourceVersion": str(self.version)}})

    def pod(self, name: str, namespace: str = "default") -> Json:
        return self.objects["pods", namespace, name]

    def node_of(self, name: str) -> str:
        return str(self.pod(name)["spec"].get("nodeName", ""))

    def condition(self, name: str) -> Json:
        """The pod's PodScheduled condition, empty when it has none."""
        conditions = self.pod(name).get("status", {}).get("conditions", [])
        return next((one for one in conditions if one["type"] == "PodScheduled"), {})

    def lease(self) -> Json:
        return self.objects["leases", "fleet", "engine-p"]

    def watched(self, plural: str) -> bool:
        """Whether somebody hears of changes."""
        return bool(self._watchers.get(plural))

    def events_of(self, reason: str) -> list[Json]:
        return [event for event in self.events if event["reason"] == reason]

    # What it answers

    def _application(self) -> web.Application:
        application = web.Application()
        for prefix in ("/api/v1", "/apis/{group}/v1"):
            application.router.add_route("*", prefix + "/{plural}", self._answer)
            application.router.add_route("*", prefix + "/{plural}/{name}", self._answer)
            application.router.add_route("*", prefix + "/namespaces/{namespace}/{plural}", self._answer)
            path = prefix + "/namespaces/{namespace}/{plural}/{name}"
            application.router.add_route("*", path, self._answer)
            application.router.add_route("*", path + "/{sub}", self._answer)
        return application

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.down:
            _abort(request)
            return web.Response()
        if request.query.get("watch") == "true":
            return await self._watch(request, request.match_info["plural"])
        body = await request.json() if request.can_read_body else {}
        try:
            return web.json_response(*self._handle(request, body))
        except Refused as refused:
            status = {"kind": "Status", "message": refused.message, "code": refused.code}
            return web.json_response(status, status=refused.code)

    def _handle(self, request: web.Request, body: Json) -> tuple[Json]:
        info = request.match_info
        plural, namespace, name = info["plural"], info.get("namespace", ""), info.get("name", "")
        if request.method == "GET" and not name:
            self.listed.add(plural)
        if plural in self.refuse:
            raise Refused(self.refuse[plural], f'forbidden: cannot {request.method.lower()} resource "{plural}"')
        if request.method == "POST" and plural == "events":
            self.events.append(body)
            return (body,)
        if not name:
            items = [item for (kind, _, _), item in self.objects.items() if kind == plural and _is_live(plural, item)]
            return ({"metadata": {"resourceVersion": str(self.version)}, "items": items},)
        if info.get("sub") == "binding" and self.before_bind:
            self.before_bind.popleft()()
        if request.method == "PATCH" and self.before_patch[plural]:
            self.before_patch[plural].popleft()()
        found = self.objects.get((plural, namespace, name))
        if found is None:
            raise Refused(404, f'{plural} "{name}" not found')
        return (self._act(request, plural, found, body),)

    def _act(self, request: web.Request, plural: str, found: Json, body: Json) -> Json:
        """A call about one object that is there."""
        if request.method == "GET":
            return found
        if request.method == "DELETE":
            return self._end(plural, found, body)
        if request.match_info.get("sub") == "binding":
            return self._bind(request, found, body)
        return self._patch(plural, found, body)

    def _bind(self, request: web.Request, pod: Json, binding: Json) -> Json:
        fault = self.bind_faults.popleft() if self.bind_faults else None
        if fault is BindFault.SERVER_ERROR:
            raise Refused(500, "etcdserver: leader changed")
        if fault is BindFault.NO_ANSWER:
            _abort(request)
            return {}
        _check_binding(pod, binding)
        node = binding["target"]["name"]
        self.bindings.append((pod["metadata"]["name"], node))
        self.bound(pod["metadata"]["name"], node, pod["metadata"]["namespace"])
        if fault is BindFault.LOSE_ANSWER:
            _abort(request)
        return {"kind": "Status", "status": "Success"}

    def bound(self, name: str, node: str, namespace: str = "default") -> None:
        """Have a pod be on a node, as if somebody had bound it."""
        pod = self.pod(name, namespace)
        conditions = [{"type": "PodScheduled", "status": "True"}]
        self.put("pods", {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": {"conditions": conditions}})

    def _end(self, plural: str, found: Json, options: Json) -> Json:
        metadata = found["metadata"]
        if self.forbidden_deletions:
            self.forbidden_deletions -= 1
            raise Refused(403, f'forbidden: cannot delete resource "{plural}"')
        if options.get("preconditions", {}).get("uid", metadata["uid"]) != metadata["uid"]:
            raise Refused(409, "Precondition failed: UID in precondition")
        self.deletions.append((metadata["namespace"], metadata["name"]))
        if self.graceful:
            return self.put(plural, {**found, "metadata": {**metadata, "deletionTimestamp": "2026-01-01T00:00:30Z"}})
        self.delete(plural, metadata["name"], metadata["namespace"])
        return found

    def _patch(self, plural: str, found: Json, patch: Json) -> Json:
        for field in ("uid", "resourceVersion"):
            if patch.get("metadata", {}).get(field, found["metadata"].get(field)) != found["metadata"].get(field):
                raise Refused(409, f"Operation cannot be fulfilled: {field}")
        if plural == "pods":
            self.status_patches.append(patch)
            status = patch["status"]
            patch = {"status": {**status, "conditions": _merged(found, status.get("conditions", []))}}
        changed = json.loads(json.dumps(found))
        _merge(changed, patch)
        return self.put(plural, changed)

    async def _watch(self, request: web.Request, plural: str) -> web.StreamResponse:
        response = web.StreamResponse()
        news: asyncio.Queue[Json] = asyncio.Queue()
        self._watchers.setdefault(plural, []).append(news)
        await response.prepare(request)
        try:
            while not self.down:
                await response.write(json.dumps(await news.get()).encode() + b"\n")
            _abort(request)
        finally:
            self._watchers[plural].remove(news)
        return response

    def _tell(self, plural: str, kind: str, manifest: Json) -> None:
        if plural == "pods" and manifest["metadata"]["name"] in self.withheld:
            return
        for news in self._watchers.get(plural, []):
            news.put_nowait({"type": kind, "object": json.loads(json.dumps(manifest))})

    def break_down(self) -> None:
        """From now on nothing answers, and open watches end."""
        self.down = True
        for watchers in self._watchers.values():
            for news in watchers:
                news.put_nowait({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": str(self.version)}}})


def _is_live(plural: str, item: Json) -> bool:
    return plural != "pods" or item.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def _check_binding(pod: Json, binding: Json) -> None:
    """What the API server checks (pkg/registry/core/pod/storage/storage.go, 1.36); all of it is a conflict."""
    name, spec = pod["metadata"]["name"], pod["spec"]
    if binding["metadata"]["uid"] != pod["metadata"]["uid"]:
        raise Refused(409, "Precondition failed: UID in precondition")
    if pod["metadata"].get("deletionTimestamp"):
        raise Refused(409, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise Refused(409, f"pod {name} is already assigned to node {spec['nodeName']!r}")
    if spec.get("schedulingGates"):
        raise Refused(409, f"pod {name} has non-empty .spec.schedulingGates")


def _abort(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()


def _merged(pod: Json, conditions: list[Json]) -> list[Json]:
    """A strategic merge of a pod's conditions, which are a map by type."""
    by_type = {one["type"]: one for one in pod.get("status", {}).get("conditions", [])}
    for condition in conditions:
        by_type[condition["type"]] = {**by_type.get(condition["type"], {}), **condition}
    return list(by_type.values())


def _merge(target: Json, patch: Json) -> None:
    """A JSON merge patch in place."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until the condition holds; what never comes fails the test after twenty seconds."""
    async with asyncio.timeout(20):
        while True:
            if condition():
                return
            await asyncio.sleep(0)
