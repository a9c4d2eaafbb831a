"""Protobuf bodies, as far as kubectl sends them: its typed commands (`auth can-i`, `create token`, `create configmap`,
`create namespace`, `create serviceaccount`) write nothing else since 1.35. Answers are always JSON, which they accept.

The envelope is `k8s` and a zero byte, then runtime.Unknown; numbers of fields are those of k8s.io/api 1.36.
"""

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pointsman.sandbox.store.errors import Refused, bad_request

MAGIC: Final = b"k8s\x00"
CONTENT_TYPE: Final = "application/vnd.kubernetes.protobuf"

_Read = Callable[[bytes | int], Any]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    read: _Read
    repeated: bool = False


def _text(value: bytes | int) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _base64(value: bytes | int) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else ""


def _message(fields: Mapping[int, _Field]) -> _Read:
    return lambda value: _decoded(value, fields) if isinstance(value, bytes) else {}


def _texts(*names: str) -> dict[int, _Field]:
    """Fields of text, numbered from 1."""
    return {number: _Field(name, _text) for number, name in enumerate(names, 1)}


def _map(name: str, read: _Read = _text) -> _Field:
    entry = {1: _Field("key", _text), 2: _Field("value", read)}
    return _Field(name, lambda value: _decoded(value, entry) if isinstance(value, bytes) else {}, repeated=True)


_METADATA: Final = {
    1: _Field("name", _text),
    2: _Field("generateName", _text),
    3: _Field("namespace", _text),
    5: _Field("uid", _text),
    6: _Field("resourceVersion", _text),
    11: _map("labels"),
    12: _map("annotations"),
    14: _Field("finalizers", _text, repeated=True),
}
_MAPS: Final = frozenset(("labels", "annotations", "data", "binaryData"))
_RESOURCE: Final = _texts("namespace", "verb", "group", "version", "resource", "subresource", "name")
_ACCESS: Final = {
    1: _Field("resourceAttributes", _message(_RESOURCE)),
    2: _Field("nonResourceAttributes", _message(_texts("path", "verb"))),
}
_TOKEN: Final = {
    1: _Field("audiences", _text, repeated=True),
    3: _Field("boundObjectRef", _message(_texts("kind", "apiVersion", "name", "uid"))),
    4: _Field("expirationSeconds", int),
}


def _object(**fields: tuple[int, _Field]) -> dict[int, _Field]:
    return {1: _Field("metadata", _message(_METADATA)), **dict(fields.values())}


_SPEC: Final = "spec"
_KINDS: Final[Mapping[str, Mapping[int, _Field]]] = {
    "SelfSubjectReview": _object(),
    "SelfSubjectAccessReview": _object(spec=(2, _Field(_SPEC, _message(_ACCESS)))),
    "SelfSubjectRulesReview": _object(spec=(2, _Field(_SPEC, _message(_texts("namespace"))))),
    "TokenRequest": _object(spec=(2, _Field(_SPEC, _message(_TOKEN)))),
    "Namespace": _object(),
    "ServiceAccount": _object(automount=(4, _Field("automountServiceAccountToken", bool))),
    "ConfigMap": _object(
        data=(2, _map("data")), binary=(3, _map("binaryData", _base64)), immutable=(4, _Field("immutable", bool))
    ),
}
_TYPE_META: Final = _texts("apiVersion", "kind")
_UNKNOWN: Final = {1: _Field("type", _message(_TYPE_META)), 2: _Field("raw", lambda value: value)}


def decode(body: bytes) -> dict[str, Any]:
    """The object of a body. Raises Refused: 415 for a kind that is not in the table, 400 for what is no protobuf."""
    try:
        envelope = _decoded(body[len(MAGIC) :], _UNKNOWN)
        kind = envelope.get("type", {}).get("kind", "")
        fields = _KINDS.get(kind)
        if fields is None:
            raise Refused(
                415,
                "UnsupportedMediaType",
                f"the sandbox reads no protobuf of kind {kind}: write the object to a file"
                " with --dry-run=client -o yaml and apply that",
            )
        return {**envelope["type"], **_decoded(envelope.get("raw", b""), fields)}
    except (IndexError, ValueError, KeyError) as error:
        raise bad_request(f"the body is no protobuf message of Kubernetes: {error}") from None


def _decoded(body: bytes, fields: Mapping[int, _Field]) -> dict[str, Any]:
    """Known fields by name; maps of texts come as repeated pairs."""
    found: dict[str, Any] = {}
    for number, value in _wire(body):
        field = fields.get(number)
        if field is None:
            continue
        read = field.read(value)
        if field.name in _MAPS:
            found.setdefault(field.name, {})[read.get("key", "")] = read.get("value", "")
        elif field.repeated:
            found.setdefault(field.name, []).append(read)
        elif read != "":
            found[field.name] = read
    return found


def _wire(body: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Numbers and values of a message's fields."""
    at = 0
    while at < len(body):
        key, at = _varint(body, at)
        match key & 7:
            case 0:
                value, at = _varint(body, at)
                yield key >> 3, value
            case 2:
                length, at = _varint(body, at)
                if at + length > len(body):
                    raise ValueError("a field is longer than the message")
                yield key >> 3, body[at : at + length]
                at += length
            case 1 | 5 as width:
                at += 8 if width == 1 else 4
            case other:
                raise ValueError(f"unknown wire type {other}")


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = body[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
