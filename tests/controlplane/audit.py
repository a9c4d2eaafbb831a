"""Entries of the API server's audit log, and the policy that says what goes into it.

The log is the witness of the end-to-end tests: who bound which pod, who was refused. So every call of a user is in it,
bindings and Leases with their bodies; of the control plane's own traffic only what controllers write.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

POD_NAME_KEY: Final = "authentication.kubernetes.io/pod-name"

POLICY: Final[dict[str, Any]] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "omitManagedFields": True,
    "rules": [
        {"level": "None", "users": ["system:apiserver", "system:kube-controller-manager"]},
        {"level": "None", "userGroups": ["system:serviceaccounts:kube-system"], "verbs": ["get", "list", "watch"]},
        {"level": "None", "nonResourceURLs": ["/readyz*", "/livez*", "/healthz*", "/openapi*", "/version*"]},
        {
            "level": "RequestResponse",
            "verbs": ["create", "update", "patch"],
            "resources": [
                {"group": "", "resources": ["pods/binding", "bindings"]},
                {"group": "coordination.k8s.io", "resources": ["leases"]},
            ],
        },
        {"level": "Metadata"},
    ],
}


class _Part(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    pass


class User(_Part, frozen=True, kw_only=True):
    """Who asked. `extra` of a token that is bound to a pod names the pod and its node."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: dict[str, tuple[str, ...]] = {}


class ObjectReference(_Part, frozen=True, kw_only=True):
    """What was asked for."""

    api_group: str = ""
    api_version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""


class ResponseStatus(_Part, frozen=True, kw_only=True):
    """How the server answered; `reason` and `message` are set for refusals."""

    code: int = 0
    reason: str = ""
    message: str = ""


class AuditEvent(_Part, frozen=True, kw_only=True):
    """One call. Bodies are there for bindings and Leases only."""

    audit_id: str = msgspec.field(default="", name="auditID")
    stage: str = ""
    verb: str = ""
    request_uri: str = msgspec.field(default="", name="requestURI")
    user: User = User()
    user_agent: str = ""
    object_ref: ObjectReference = ObjectReference()
    response_status: ResponseStatus = ResponseStatus()
    request_object: dict[str, Any] | None = None
    response_object: dict[str, Any] | None = None
    request_received_timestamp: datetime
    stage_timestamp: datetime

    @property
    def code(self) -> int:
        """HTTP status of the answer."""
        return self.response_status.code

    @property
    def pod(self) -> str:
        """Name of the pod that the caller's token is bound to, else empty."""
        return next(iter(self.user.extra.get(POD_NAME_KEY, ())), "")

    @property
    def refused(self) -> bool:
        """The caller was not known, or not allowed to do it."""
        return self.code in {401, 403}


_DECODER = msgspec.json.Decoder(AuditEvent)


def read(path: Path) -> Iterator[AuditEvent]:
    """Entries in the order in which calls ended; a last line that is still being written is left out."""
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield _DECODER.decode(line)
