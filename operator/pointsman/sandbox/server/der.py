"""The few shapes of DER (X.690) that a certificate is made of. Each function returns the encoded value."""

from datetime import datetime


def tagged(tag: int, *parts: bytes) -> bytes:
    """A value of any tag: its parts, one after the other."""
    content = b"".join(parts)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + content


def sequence(*parts: bytes) -> bytes:
    """Values in this order."""
    return tagged(0x30, *parts)


def set_of(*parts: bytes) -> bytes:
    """Values in no order."""
    return tagged(0x31, *parts)


def integer(value: int) -> bytes:
    """A number that is not negative."""
    return tagged(0x02, value.to_bytes(value.bit_length() // 8 + 1))


def boolean(value: bool) -> bytes:
    """True or false."""
    return tagged(0x01, b"\xff" if value else b"\x00")


def octets(content: bytes) -> bytes:
    """A string of bytes."""
    return tagged(0x04, content)


def bits(content: bytes, unused: int = 0) -> bytes:
    """A string of bits; the last `unused` ones of `content` do not belong to it."""
    return tagged(0x03, bytes([unused]), content)


def text(value: str) -> bytes:
    """A string of UTF-8."""
    return tagged(0x0C, value.encode())


def time(moment: datetime) -> bytes:
    """An aware datetime in UTC; two digits of the year up to 2049, four after it, as RFC 5280 4.1.2.5 wants it."""
    if moment.year < 2050:
        return tagged(0x17, moment.strftime("%y%m%d%H%M%SZ").encode())
    return tagged(0x18, moment.strftime("%Y%m%d%H%M%SZ").encode())


def identifier(dotted: str) -> bytes:
    """An object identifier such as `2.5.4.3`."""
    first, second, *rest = map(int, dotted.split("."))
    encoded = bytearray()
    for number in (first * 40 + second, *rest):
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(0x80 | (number & 0x7F))
        encoded += bytes(reversed(groups))
    return tagged(0x06, bytes(encoded))
