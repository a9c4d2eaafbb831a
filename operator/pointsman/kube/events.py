"""Events on objects, told in the background.

An event is a courtesy: it must never hold up a decision, nor fail one. So there is a bounded queue which drops the
oldest, a few workers, and a count of what did not get through. The objects have the shape that client-go's recorder
(tools/events 1.36) gives them; the limits are those of the API server's validation, which refuses the whole event.
"""

import asyncio
import logging
import re
from datetime import datetime
from typing import Any, Final

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock, rfc3339
from pointsman.kube.errors import Conflict, Forbidden, KubeError, Unreachable
from pointsman.kube.resources import EVENTS

MAX_NOTE: Final = 1024  # bytes
_ELLIPSIS: Final = " ..."  # as kube-scheduler ends a note that it cuts
_MAX_WORD: Final = 128  # characters of reason, action and reporting instance
_MAX_NAME: Final = 253
_DEFAULT_NAMESPACE: Final = "default"  # where events of cluster-scoped objects lie
_ATTEMPTS: Final = 3  # of one event, when the API server gives no answer
_RETRY_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)

Event = dict[str, Any]


class EventWriter:
    """Writes events.k8s.io/v1 Events without ever holding anybody up.

    written, failed, dropped: counts; dropped ones were pushed out of a full queue
    last_error: why the last event that failed did
    """

    def __init__(
        self,
        client: Client,
        *,
        reporting_controller: str,
        reporting_instance: str,
        clock: Clock,
        capacity: int = 1000,
        workers: int = 4,
    ) -> None:
        self.written = 0
        self.failed = 0
        self.dropped = 0
        self.last_error = ""
        self._client = client
        self._controller = reporting_controller
        self._instance = reporting_instance[:_MAX_WORD]
        self._clock = clock
        self._workers = workers
        self._queue: asyncio.Queue[Event] = asyncio.Queue(capacity)
        self._count = 0

    def post(
        self,
        *,
        regarding: dict[str, Any],
        reason: str,
        note: str,
        type: str,  # noqa: A002 - the field's word
        action: str,
        related: dict[str, Any] | None = None,
    ) -> None:
        """Queue one event and return at once. `regarding` and `related` are object references."""
        self._count += 1
        event: Event = {
            "apiVersion": EVENTS.api_version,
            "kind": EVENTS.kind,
            "metadata": {
                "name": event_name(str(regarding.get("name", "")), self._clock.now(), self._count),
                "namespace": regarding.get("namespace") or _DEFAULT_NAMESPACE,
            },
            "eventTime": rfc3339(self._clock.now(), micro=True),
            "reportingController": self._controller,
            "reportingInstance": self._instance,
            "action": action[:_MAX_WORD],
            "reason": reason[:_MAX_WORD],
            "regarding": regarding,
            "note": cut(note),
            "type": type,
        }
        if related is not None:
            event["related"] = related
        if self._queue.full():
            self._queue.get_nowait()
            self.dropped += 1
        self._queue.put_nowait(event)

    async def run(self) -> None:
        """Write what is queued until cancelled. No refusal ends it."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            event = await self._queue.get()
            try:
                await self._write(event)
            except KubeError as error:
                self.failed += 1
                self._tell(event["metadata"]["namespace"], error)
            else:
                self.written += 1

    async def _write(self, event: Event) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                await self._client.create(EVENTS.path(event["metadata"]["namespace"]), event)
            except Unreachable:
                if attempt == _ATTEMPTS - 1:
                    raise
                await self._clock.sleep(_RETRY_SECONDS)
            except Conflict:
                return  # the name is ours alone: an attempt without an answer got through
            else:
                return

    def _tell(self, namespace: str, error: KubeError) -> None:
        before = self.last_error
        prefix = "forbidden: " if isinstance(error, Forbidden) else ""
        self.last_error = f"{prefix}cannot create events in namespace {namespace}: {error}"
        if self.last_error != before:
            _log.warning("%s", self.last_error)


def event_name(name: str, moment: datetime, count: int) -> str:
    """Name an event after its object and the moment, as client-go does, with a count against two in a microsecond."""
    suffix = f".{int(moment.timestamp() * 1_000_000) * 1000 + count % 1000:x}"
    stem = re.sub(r"[^a-z0-9.-]+", "-", name.lower())[: _MAX_NAME - len(suffix)].strip("-.")
    return (stem or "event") + suffix


def cut(note: str) -> str:
    """Keep a note within what the API server accepts, without splitting a character."""
    content = note.encode(errors="replace")
    if len(content) <= MAX_NOTE:
        return content.decode()
    return content[: MAX_NOTE - len(_ELLIPSIS)].decode(errors="ignore") + _ELLIPSIS
