"""The address that the engine's pages are served on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listen:
    """Host and port; the host is a name or an address, without brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_listen(text: str) -> Listen:
    """Read `HOST:PORT`, an IPv6 address in brackets; ValueError says what is wrong with it."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(f"{text!r}: an IPv6 address must stand in brackets, as in [::1]:8080")
    if not colon or not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise ValueError(f"{text!r} is not HOST:PORT")
    return Listen(host, int(port))
