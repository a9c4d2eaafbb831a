"""Protobuf bodies: the bytes are written here by hand, field by field."""

import pytest

from pointsman.sandbox.server.protobuf import MAGIC, decode
from pointsman.sandbox.store.errors import Refused


def field(number: int, content: bytes) -> bytes:
    """A field of bytes, shorter than 128."""
    return bytes([number << 3 | 2, len(content)]) + content


def envelope(api_version: bytes, kind: bytes, raw: bytes) -> bytes:
    return MAGIC + field(1, field(1, api_version) + field(2, kind)) + field(2, raw)


def test_a_review_of_access_is_read() -> None:
    attributes = field(2, b"list") + field(5, b"pods") + field(1, b"room")
    body = envelope(
        b"authorization.k8s.io/v1", b"SelfSubjectAccessReview", field(1, b"") + field(2, field(1, attributes))
    )
    assert decode(body) == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "room"}},
    }


def test_maps_numbers_and_bytes_are_read() -> None:
    entry = field(2, field(1, b"colour") + field(2, b"red"))
    binary = field(3, field(1, b"raw") + field(2, b"\x00\xff"))
    immutable = bytes([4 << 3, 1])
    found = decode(envelope(b"v1", b"ConfigMap", field(1, field(1, b"settings")) + entry + binary + immutable))
    assert found["metadata"] == {"name": "settings"}
    assert (found["data"], found["binaryData"], found["immutable"]) == ({"colour": "red"}, {"raw": "AP8="}, True)


def test_a_number_of_two_bytes_is_read() -> None:
    seconds = bytes([4 << 3]) + b"\x90\x1c"  # 0x10 + 0x1c * 128 = 3600
    body = envelope(b"authentication.k8s.io/v1", b"TokenRequest", field(2, field(1, b"here") + seconds))
    assert decode(body)["spec"] == {"audiences": ["here"], "expirationSeconds": 3600}


def test_a_kind_that_is_not_known_is_told_what_to_do() -> None:
    with pytest.raises(Refused, match="no protobuf of kind Deployment: write the object to a file") as refused:
        decode(envelope(b"apps/v1", b"Deployment", b""))
    assert refused.value.code == 415


@pytest.mark.parametrize("body", [MAGIC + b"\x0a\x7f", MAGIC + b"\x0b", MAGIC + b"\x0a", MAGIC + field(2, b"")])
def test_what_is_no_message_is_a_refusal(body: bytes) -> None:
    with pytest.raises(Refused):
        decode(body)
