"""Refusals in the API server's own words and shape: what a client reads as a `Status` object.

`kube.errors` is a client's view and cuts texts; a server has to send them whole, with details and causes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pointsman.sandbox.store.kinds import Kind


@dataclass(frozen=True, slots=True)
class Cause:
    """One fault of an object: a reason such as FieldValueInvalid, the field's path, and what is wrong with it."""

    reason: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class Refused(Exception):
    """A call that the store does not do. `status()` is the answer's body, `code` its HTTP status."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    def status(self) -> dict[str, Any]:
        """The `Status` object that says so."""
        body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        body["message"] = self.message
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        return {**body, "code": self.code}


def not_found(kind: Kind, name: str) -> Refused:
    """404 for one object."""
    return Refused(404, "NotFound", f'{kind.qualified} "{name}" not found', _named(kind, name))


def already_exists(kind: Kind, name: str) -> Refused:
    """409 of a create."""
    return Refused(409, "AlreadyExists", f'{kind.qualified} "{name}" already exists', _named(kind, name))


def conflict(kind: Kind, name: str, why: str) -> Refused:
    """409 of a write that is based on another state than the stored one."""
    message = f'Operation cannot be fulfilled on {kind.qualified} "{name}": {why}'
    return Refused(409, "Conflict", message, _named(kind, name))


def stale(kind: Kind, name: str) -> Refused:
    """409 of a write whose resourceVersion is not the stored one."""
    return conflict(
        kind, name, "the object has been modified; please apply your changes to the latest version and try again"
    )


def forbidden(kind: Kind, name: str, why: str) -> Refused:
    """403 of an admission check."""
    return Refused(403, "Forbidden", f'{kind.qualified} "{name}" is forbidden: {why}', _named(kind, name))


def bad_request(message: str) -> Refused:
    """400: the request makes no sense, whatever is stored."""
    return Refused(400, "BadRequest", message)


def invalid(kind: Kind, name: str, causes: Sequence[Cause]) -> Refused:
    """422 with every fault; equal texts are told once."""
    texts = list(dict.fromkeys(map(str, causes)))
    what = f"{kind.kind}.{kind.group}" if kind.group else kind.kind
    said = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    details: dict[str, Any] = {"name": name, "group": kind.group, "kind": kind.kind}
    details["causes"] = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in causes]
    return Refused(422, "Invalid", f'{what} "{name}" is invalid: {said}', {k: v for k, v in details.items() if v})


def version_required(kind: Kind, name: str) -> Refused:
    """422 of a PUT that does not say which version it replaces."""
    what = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    field, _, message = what.partition(": ")
    cause = {"reason": "FieldValueInvalid", "message": message, "field": field}
    details = {**_named(kind, name), "causes": [cause]}
    return Refused(422, "Invalid", f'{kind.qualified} "{name}" is invalid: {what}', details)


def expired(message: str) -> Refused:
    """410: events that old are no longer held."""
    return Refused(410, "Expired", message)


def _named(kind: Kind, name: str) -> dict[str, Any]:
    details = {"name": name, "group": kind.group, "kind": kind.plural}
    return {key: value for key, value in details.items() if value}
