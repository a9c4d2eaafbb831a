"""Which events of the API are worth a reconcile, and of which profile.

Our own status writes come back as events of the profile; they must not wake us, or every write leads to the next. So a
profile's event counts when something that a user can change is different: generation, labels, annotations, deletion.
Every event of a child counts: a reconcile that finds nothing to do writes nothing.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pointsman.api.fields import DNS_LABEL
from pointsman.api.names import GROUP, KIND, PROFILE_LABEL
from pointsman.controller.gather.roster import Roster

Wake = Callable[[str], None]


class Wakes:
    """Turns events into names to reconcile."""

    def __init__(self, wake: Wake, roster: Roster) -> None:
        self._wake = wake
        self._roster = roster
        self._seen: dict[str, bytes] = {}

    def on_profile(self, body: Mapping[str, Any], gone: bool) -> None:
        """A SchedulerProfile came, changed, went, or was listed again."""
        name = body["metadata"]["name"]
        self._roster.see(body, gone=gone)
        mark = b"" if gone else _mark(body["metadata"])
        if self._seen.get(name) != mark:
            self._wake(name)
        if gone:
            self._seen.pop(name, None)
        else:
            self._seen[name] = mark

    def on_child(self, body: Mapping[str, Any]) -> None:
        """An object with our label came, changed or went: wake the profile that it names, and the one that owns it."""
        metadata = body["metadata"]
        owners = {
            reference.get("name")
            for reference in metadata.get("ownerReferences") or ()
            if reference.get("kind") == KIND and str(reference.get("apiVersion", "")).startswith(f"{GROUP}/")
        }
        for name in {(metadata.get("labels") or {}).get(PROFILE_LABEL), *owners}:
            if re.fullmatch(DNS_LABEL, str(name)):
                self._wake(name)


def _mark(metadata: Mapping[str, Any]) -> bytes:
    keys = ("uid", "generation", "labels", "annotations", "deletionTimestamp")
    return msgspec.json.encode([metadata.get(key) for key in keys], order="deterministic")
