"""A certificate for one server on this machine, made at its start and worth nothing after its end.

kubectl sends no token over plain HTTP, so the sandbox speaks TLS; and no dependency is needed for one signature.
ECDSA on P-256 (SEC 1 4.1.3, FIPS 186-4 D.1.2.3) takes a few milliseconds with Python's integers. These are not
constant in time: the key guards a sandbox on a loopback address, and nothing else may ever use this module.
"""

import base64
import hashlib
import ipaddress
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pointsman.sandbox.server import der

_P: Final = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_G: Final = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_CURVE: Final = der.identifier("1.2.840.10045.3.1.7")
_KEY_TYPE: Final = der.identifier("1.2.840.10045.2.1")
_SIGNATURE_TYPE: Final = der.sequence(der.identifier("1.2.840.10045.4.3.2"))  # ecdsa-with-SHA256
_LIFE: Final = timedelta(days=365)
_SLACK: Final = timedelta(hours=1)  # for a client whose clock is behind

_Point = tuple[int, int] | None  # None is the neutral element


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed certificate, which is its own authority, and its private key; both PEM."""

    certificate: bytes
    key: bytes


def self_signed(address: str, name: str, now: datetime) -> Certificate:
    """A new key, and a certificate of a server at an IP address and of a DNS name."""
    secret = secrets.randbelow(_N - 1) + 1
    point = _encoded(_multiply(secret, _G))
    common_name = der.sequence(der.set_of(der.sequence(der.identifier("2.5.4.3"), der.text("pointsman-sandbox"))))
    to_be_signed = der.sequence(
        der.tagged(0xA0, der.integer(2)),  # version 3
        der.integer(secrets.randbits(64)),
        _SIGNATURE_TYPE,
        common_name,
        der.sequence(der.time(now - _SLACK), der.time(now + _LIFE)),
        common_name,
        der.sequence(der.sequence(_KEY_TYPE, _CURVE), der.bits(point)),
        der.tagged(0xA3, der.sequence(*_extensions(address, name, hashlib.sha256(point).digest()[:20]))),
    )
    certificate = der.sequence(to_be_signed, _SIGNATURE_TYPE, der.bits(_signature(secret, to_be_signed)))
    key = der.sequence(
        der.integer(1), der.octets(secret.to_bytes(32)), der.tagged(0xA0, _CURVE), der.tagged(0xA1, der.bits(point))
    )
    return Certificate(_pem("CERTIFICATE", certificate), _pem("EC PRIVATE KEY", key))


def _extensions(address: str, name: str, key_id: bytes) -> tuple[bytes, ...]:
    """What RFC 5280 wants of an authority, and the two names of the server."""
    packed = ipaddress.ip_address(address).packed
    return (
        _extension("2.5.29.19", der.sequence(der.boolean(True)), critical=True),  # basicConstraints: an authority
        _extension("2.5.29.15", der.bits(b"\x84", unused=2), critical=True),  # keyUsage: signatures, certificates
        _extension("2.5.29.14", der.octets(key_id)),  # subjectKeyIdentifier
        _extension("2.5.29.35", der.sequence(der.tagged(0x80, key_id))),  # authorityKeyIdentifier
        _extension("2.5.29.17", der.sequence(der.tagged(0x87, packed), der.tagged(0x82, name.encode()))),
    )


def _extension(dotted: str, value: bytes, *, critical: bool = False) -> bytes:
    marks = (der.boolean(True),) if critical else ()
    return der.sequence(der.identifier(dotted), *marks, der.octets(value))


def _signature(secret: int, message: bytes) -> bytes:
    digest = int.from_bytes(hashlib.sha256(message).digest())
    while True:
        nonce = secrets.randbelow(_N - 1) + 1
        point = _multiply(nonce, _G)
        r = point[0] % _N if point else 0
        s = pow(nonce, -1, _N) * (digest + r * secret) % _N
        if r and s:
            return der.sequence(der.integer(r), der.integer(s))


def _multiply(factor: int, point: _Point) -> _Point:
    total: _Point = None
    while factor:
        if factor & 1:
            total = _add(total, point)
        point = _add(point, point)
        factor >>= 1
    return total


def _add(one: _Point, other: _Point) -> _Point:
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % _P == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, _P) if one == other else (y2 - y1) * pow(x2 - x1, -1, _P)
    x = (slope * slope - x1 - x2) % _P
    return x, (slope * (x1 - x) - y1) % _P


def _encoded(point: _Point) -> bytes:
    x, y = point or (0, 0)
    return b"\x04" + x.to_bytes(32) + y.to_bytes(32)


def _pem(label: str, content: bytes) -> bytes:
    lines = base64.encodebytes(content).replace(b"\n", b"").decode()
    wrapped = "\n".join(lines[at : at + 64] for at in range(0, len(lines), 64))
    return f"-----BEGIN {label}-----\n{wrapped}\n-----END {label}-----\n".encode()
