"""What goes back to a client: bytes with a status, and the forms that a client may ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.stored import encode
from pointsman.sandbox.tables.table import table

JSON: Final = "application/json"
_TABLE: Final = ";as=table"
_DISCOVERY: Final = "g=apidiscovery.k8s.io"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `warnings` are shown by kubectl as they are."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """How a client wants objects: as they are, or as rows of a table with part of each object beside them."""

    rows: bool = False
    include: str = "Metadata"
    aggregated: bool = False  # of discovery


def form(accept: str, query: Mapping[str, str]) -> Form:
    """Read an Accept header. Of the forms that a client names, the first one that is known counts."""
    wanted = accept.lower().replace(" ", "")
    first = next((part for part in wanted.split(",") if part.startswith((JSON, "*/*"))), "")
    return Form(
        _TABLE in first and "g=meta.k8s.io" in first, query.get("includeObject") or "Metadata", _DISCOVERY in first
    )


def answer(body: Object, status: int = 200, warnings: Sequence[str] = ()) -> Answer:
    """One JSON object."""
    return Answer(encode(body) + b"\n", status, warnings=warnings)


def refusal(refused: Refused) -> Answer:
    """The Status object of a refused call; plain text where a real server's routing answers, which knows no objects."""
    if refused.code == 404 and not refused.reason:
        return Answer(f"{refused.message}\n".encode(), refused.code, "text/plain")
    return answer(refused.status(), refused.code)


def success(status: int, details: Mapping[str, Any] | None = None) -> Answer:
    """A Status that says that it worked, for calls that have no object to show."""
    body: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return answer({**body, "details": dict(details)} if details else {**body, "code": status}, status)


def rows(kind: Kind, objects: Sequence[Object], now: datetime, wanted: Form, metadata: Mapping[str, Any]) -> Answer:
    """A table of objects."""
    return answer(table(kind, objects, now, metadata=metadata, include=wanted.include))
